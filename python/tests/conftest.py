"""What tests share: data of the repository, and files that are not always there."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"


@pytest.fixture
def popc() -> Path:
    """Five lipids in a file."""
    return ROOT / "scenes" / "data" / "popc.pdb"


@pytest.fixture
def shared():
    """A file of the large shared data, or a skip."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"no {path}")
        return path

    return find
