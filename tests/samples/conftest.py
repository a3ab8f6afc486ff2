"""How the tests of the samples reach the generators, and compare folders."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from audit.resources import samples


@pytest.fixture
def regenerate(tmp_path: Path) -> Callable[[str], Path]:
    """A function that runs a generator into an empty folder, and gives that folder."""

    def run(generator: str) -> Path:
        _load(samples() / generator).write_campaign(tmp_path)
        return tmp_path

    return run


@pytest.fixture
def assert_same_bytes() -> Callable[[Path, Path], None]:
    """A function that holds every file of one folder against the file of the same name in another."""

    def compare(written: Path, committed: Path) -> None:
        files = [path.relative_to(written) for path in sorted(written.rglob("*")) if path.is_file()]
        assert files
        for file in files:
            assert (written / file).read_bytes() == (committed / file).read_bytes(), file

    return compare


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
