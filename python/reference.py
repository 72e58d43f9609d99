"""Writes the reference of the Python package into the guide, from signatures and docstrings.

    python reference.py [--check]

It stands between two marks in ``book/src/python.md``; ``--check`` only says whether it is up to date.
"""

import inspect
import sys
from pathlib import Path

# Beside this script stand the sources of the package; the package is installed elsewhere.
sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != Path(__file__).resolve().parent]

import steric  # noqa: E402

CHAPTER = Path(__file__).resolve().parents[1] / "book" / "src" / "python.md"
BEGIN, END = "<!-- reference: begin (python/reference.py writes this) -->", "<!-- reference: end -->"
GROUPS = {
    "Arrays": ["neighbors", "overlaps", "Index", "Neighbors", "set_threads", "threads"],
    "Models": ["read", "model", "radii", "Model", "check", "CheckReport", "Report"],
    "Relaxing, building, packing": ["relax", "relaxation", "Relaxation", "RelaxReport", "build", "pack", "ready_scenes"],
    "Worlds": ["diffuse", "Diffusion", "deform", "Deformation", "animate", "Animation", "dock", "Docking"],
    "Pictures": ["render", "Picture"],
    "Errors": ["FormatError", "InternalError"],
}


def text_of(thing) -> str:
    """A docstring as Markdown: examples become blocks of Python."""
    lines, inside = [], False
    for line in (inspect.getdoc(thing) or "").replace("``", "`").splitlines():
        if line.startswith(">>>") and not inside:
            lines += ["```python"]
            inside = True
        elif inside and not line.strip():
            lines += ["```"]
            inside = False
        lines.append(line)
    return "\n".join([*lines, *(["```"] if inside else [])])


def signature_of(name: str, thing) -> str:
    """As it is called, without the types."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    parameters = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values() if one.name != "self"]
    return f"{name}{signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)}"


def members_of(thing) -> list[str]:
    """The members of a class, a line each."""
    lines = []
    for name, member in sorted(vars(thing).items()):
        # What an exception inherits from how it was made is not ours.
        if name.startswith("_") or not (inspect.getdoc(member) or "").strip():
            continue
        first = inspect.getdoc(member).replace("``", "`").split("\n\n")[0].replace("\n", " ")
        is_method = inspect.isfunction(member) or inspect.ismethoddescriptor(member) or isinstance(member, (staticmethod, classmethod))
        shown = signature_of(name, getattr(thing, name)) if is_method else name
        lines.append(f"- `{shown}`: {first}")
    return lines


def reference() -> str:
    parts = []
    listed = [name for names in GROUPS.values() for name in names]
    missing = set(steric.__all__) - set(listed) - {"__version__", "instruction_set"}
    assert not missing, f"in no group: {sorted(missing)}"
    for group, names in GROUPS.items():
        parts.append(f"### {group}")
        for name in names:
            thing = getattr(steric, name)
            is_made = inspect.isclass(thing) and not (name == "Index" or issubclass(thing, Exception))
            parts.append(f"#### `{name if is_made or inspect.isclass(thing) and issubclass(thing, Exception) else signature_of(name, thing)}`")
            parts.append(text_of(thing))
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                parts.append("\n".join(members_of(thing)))
    return "\n\n".join(part for part in parts if part)


def main() -> int:
    chapter = CHAPTER.read_text(encoding="utf-8")
    before, rest = chapter.split(BEGIN)
    after = rest.split(END)[1]
    new = f"{before}{BEGIN}\n\n{reference()}\n\n{END}{after}"
    if "--check" in sys.argv:
        print("up to date" if new == chapter else "book/src/python.md is not up to date: run python/reference.py")
        return int(new != chapter)
    CHAPTER.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
