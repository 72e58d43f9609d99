"""Bars of progress: tqdm's where it is installed, else a line of our own; none on request or where nobody looks."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


class Bar:
    """A bar that may be none.

    >>> with Bar(10, "steps", progress=False) as bar:
    ...     bar.to(3)
    """

    def __init__(self, total: int | None, what: str, *, progress: bool | None = None) -> None:
        self._total, self._what, self._at, self._bar = total, what, 0, None
        wanted = _is_watched() if progress is None else progress
        self._line = wanted
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, unit=what, leave=False, file=sys.stderr)
            self._line = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._line:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)

    def to(self, at: int, message: str = "") -> None:
        """Shows that so many are done."""
        if self._bar is not None:
            self._bar.update(at - self._at)
            if message:
                self._bar.set_postfix_str(message)
        elif self._line:
            of = f" of {self._total}" if self._total else ""
            print(f"\r{at}{of} {self._what} {message}"[:78].ljust(78), end="", file=sys.stderr, flush=True)
        self._at = at


def _is_watched() -> bool:
    """Whether someone looks: a terminal, or a notebook."""
    main: Any = sys.modules.get("IPython")
    if main is not None and main.get_ipython() is not None and "zmqshell" in type(main.get_ipython()).__module__:
        return True
    return bool(getattr(sys.stderr, "isatty", lambda: False)())
