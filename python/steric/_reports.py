"""What was found, as a mapping whose keys are attributes too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


class Report(Mapping[str, Any]):
    """A report: ``report["overlaps"]`` and ``report.overlaps`` are the same.

    >>> report = Report({"overlaps": 2, "seconds": {"read": 0.1}})
    >>> report.overlaps, report.seconds.read
    (2, 0.1)
    >>> sorted(report)
    ['overlaps', 'seconds']
    """

    def __init__(self, values: Mapping[str, Any], text: str | None = None) -> None:
        self._values, self._text = dict(values), text

    @classmethod
    def _of_json(cls, text: str, words: str | None = None) -> Report:
        return cls(json.loads(text), words)

    def __getitem__(self, key: str) -> Any:
        return _wrapped(self._values[key])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self._values)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        short = ", ".join(f"{key}={value!r}" for key, value in self._values.items() if _is_short(value))
        return f"<steric.{type(self).__name__} {short}>"

    def __str__(self) -> str:
        return self._text if self._text is not None else json.dumps(self._values, indent=2)

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists."""
        return json.loads(json.dumps(self._values))  # type: ignore[no-any-return]


def _is_short(value: Any) -> bool:
    return not isinstance(value, (list, dict)) and len(str(value)) < 60


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Report(value)
    if isinstance(value, list):
        return [_wrapped(one) for one in value]
    return value


class CheckReport(Report):
    """What a check found. Every pair stands in arrays beside the totals."""

    _pairs: tuple[np.ndarray, np.ndarray, np.ndarray]

    @property
    def is_clean(self) -> bool:
        """Whether nothing overlaps."""
        return bool(self._values["overlaps"] == 0)

    @property
    def atoms_of_pairs(self) -> np.ndarray:
        """Both atoms of each pair, as numbers in their files: int64 of shape ``(n, 2)``."""
        return self._pairs[0][:, [1, 3]]

    @property
    def files_of_pairs(self) -> np.ndarray:
        """Which file each of both atoms is from: int64 of shape ``(n, 2)``."""
        return self._pairs[0][:, [0, 2]]

    @property
    def molecules_of_pairs(self) -> np.ndarray:
        """Both molecules of each pair: int64 of shape ``(n, 2)``."""
        return self._pairs[1]

    @property
    def depths(self) -> np.ndarray:
        """How deep each pair overlaps, in angstroms: float32."""
        return self._pairs[2]

    def to_pandas(self) -> Any:
        """Every pair as a pandas table."""
        import pandas

        files, atoms, molecules = self.files_of_pairs, self.atoms_of_pairs, self.molecules_of_pairs
        return pandas.DataFrame(
            {
                "first_file": files[:, 0],
                "first_atom": atoms[:, 0],
                "second_file": files[:, 1],
                "second_atom": atoms[:, 1],
                "first_molecule": molecules[:, 0],
                "second_molecule": molecules[:, 1],
                "depth": self.depths,
            }
        )


class Picture:
    """A picture: a notebook shows it, ``pixels`` is an array of shape (height, width, 4), ``save`` writes a PNG."""

    def __init__(self, png: bytes, pixels: np.ndarray) -> None:
        self.png, self.pixels = png, pixels

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<steric.Picture {width} x {height}>"

    def save(self, path: Any) -> None:
        """Writes the PNG."""
        with open(path, "wb") as file:
            file.write(self.png)
