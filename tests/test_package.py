"""What is handed out: the wheel has every file, runs outside the checkout, and names what is public."""

import importlib
import importlib.util
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import audit
from tests.nightly import slow

CHECKOUT = Path(__file__).resolve().parents[1]
PLACES = {"audit": "audit", "templates": "audit/_templates", "migrations": "audit/_migrations"}
PLACES |= {"sample_submissions": "audit/_sample_submissions"}
PACKAGES = [
    audit,
    *(
        importlib.import_module(each.name)
        for each in pkgutil.walk_packages(audit.__path__, "audit.")
        if each.ispkg
    ),
]

needs_builder = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("build", "hatchling", "hatch_fancy_pypi_readme"))),
    reason="the build backend is not installed",
)
needs_checkout = pytest.mark.skipif(
    not (CHECKOUT / ".git").exists() or shutil.which("git") is None,
    reason="these tests do not stand in a checkout",
)


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    """The folder of the source archive, built from the checkout, and of the wheel, built from the source archive."""
    folder = tmp_path_factory.mktemp("distributions")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, CHECKOUT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="session")
def wheel(distributions):
    """The wheel, built from the source archive."""
    (built,) = distributions.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """A fresh environment that has the wheel, and the libraries of this one."""
    root = tmp_path_factory.mktemp("environment")
    venv.create(root, with_pip=False, symlinks=True)
    scheme = {"base": str(root), "platbase": str(root)}
    site, scripts = (
        Path(sysconfig.get_path(name, "venv", vars=scheme)) for name in ("purelib", "scripts")
    )
    python = scripts / "python"
    if importlib.util.find_spec("pip"):
        installer = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--python",
            python,
            "install",
        ]
    elif uv := shutil.which("uv"):
        installer = [uv, "pip", "install", "--python", python]
    else:
        pytest.skip("neither pip nor uv is installed")
    done = subprocess.run(
        [*installer, "--quiet", "--no-deps", "--no-index", wheel],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    libraries = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (site / "libraries.pth").write_text("\n".join(libraries) + "\n")
    return python


def committed(*places):
    """The files that git knows or would take, below these places."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *places]
    found = subprocess.run(
        command, cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return {name for name in found if name and (CHECKOUT / name).is_file()}


@needs_builder
@needs_checkout
def test_the_wheel_has_exactly_the_files_of_the_checkout(wheel):
    """Code, templates, migrations and samples: none is forgotten, none is stale."""
    files = committed(*PLACES)
    assert {name.split("/")[0] for name in files} == set(PLACES)
    expected = {f"{PLACES[name.split('/')[0]]}/{name.split('/', 1)[1]}" for name in files}
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert packed == expected
        for name in files:
            place = f"{PLACES[name.split('/')[0]]}/{name.split('/', 1)[1]}"
            assert archive.read(place) == (CHECKOUT / name).read_bytes(), name


@needs_builder
@needs_checkout
def test_the_source_archive_has_every_file_of_the_checkout(distributions):
    """And what the builder says of it, no more."""
    (built,) = distributions.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert packed == committed(".") | {"PKG-INFO"}


@needs_builder
@needs_checkout
def test_a_package_index_shows_no_link_that_leads_nowhere(wheel):
    """Links of the README into the checkout are names of files there."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        text = archive.read(metadata).decode()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert all(link.startswith("https://") for link in links)
    assert "`docs/architecture.md`" in text


@needs_builder
@needs_checkout
def test_the_wheel_carries_its_licence_and_command(wheel):
    """What an installer shows and sets up."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        root = metadata.removesuffix("METADATA")
        text = archive.read(metadata).decode()
        assert f"Version: {audit.__version__}" in text
        assert "License-Expression: MIT" in text
        assert archive.read(f"{root}licenses/LICENSE") == (CHECKOUT / "LICENSE").read_bytes()
        assert "audit = audit.cli:main" in archive.read(f"{root}entry_points.txt").decode()


@needs_builder
@needs_checkout
def test_the_installed_wheel_audits_outside_the_checkout(installed, tmp_path):
    """In a fresh environment and another folder: the sample is read, stored, scored and reported from the wheel."""
    shutil.copytree(CHECKOUT / "sample_submissions" / "flood-posts", tmp_path / "campaign")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))
    }
    where = "import audit, audit.resources as r; print(audit.__file__); print(r.templates()); print(r.migrations())"
    found = subprocess.run(
        [installed, "-c", where],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(
        Path(line).is_relative_to(installed.parents[1]) for line in found.stdout.splitlines()
    )
    done = subprocess.run(
        [installed.parent / "audit", "run", "campaign", "--json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert len(data["ranking"]) == 12
    assert (tmp_path / data["report"]).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "audit.db").is_file()


CALLS = """\
import audit

evaluation = audit.evaluate(["a", "b"], {"X": ["a", "b"]}, certainty=False)
audit.evaluate(["a", "b"], {"X": ["a", "b"]}, nonsense=3)
"""
"""What a user writes: a right call, and a wrong one."""


@needs_builder
@needs_checkout
@slow("test_the_wheel_has_exactly_the_files_of_the_checkout, py.typed among them")
@pytest.mark.parametrize("strictness", [[], ["--strict"]])
def test_a_type_checker_knows_the_installed_wheel(strictness, installed, tmp_path):
    """The wheel says that it is typed (PEP 561): mypy finds the wrong call of a script, and no other."""
    (tmp_path / "script.py").write_text(CALLS)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "COV", "MYPY"))
    }
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file=",
        "--python-executable",
        installed,
        *strictness,
    ]
    checked = subprocess.run(
        [*command, "--cache-dir", tmp_path / "cache", "script.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"^script\.py:(\d+): error: .*\[([a-z-]+)\]$", checked.stdout, re.MULTILINE)
    assert found == [("4", "call-arg")], checked.stdout + checked.stderr
    assert checked.returncode == 1


def exported(package):
    """The names that a package lists, or else those that it imports from its modules."""
    names = getattr(package, "__all__", None)
    if names is None:
        names = [
            name
            for name in vars(package)
            if getattr(vars(package)[name], "__module__", "").startswith("audit")
        ]
    return {name: getattr(package, name) for name in names}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_public_names_are_listed_once_and_have_a_docstring(package):
    """Everything that is exported can be had under one name, and says what it is; and so does its package."""
    assert package.__doc__
    names = getattr(package, "__all__", ())
    assert len(set(names)) == len(names)
    for name, value in exported(package).items():
        assert value is not None
        assert not callable(value) or value.__doc__, name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_no_module_hides_behind_something_of_its_name(package):
    """What a package exports under a module's name would take the module's place."""
    for each in pkgutil.iter_modules(package.__path__):
        if each.name != "__main__":
            importlib.import_module(f"{package.__name__}.{each.name}")
            assert isinstance(getattr(package, each.name), ModuleType), each.name


SHARED = (
    "rules",
    "files",
    "items",
    "tables",
    "analyses",
    "campaign",
    "numbers",
    "platforms",
    "columns",
)
"""Topics of more than one room, such as the files and items of a campaign, and those of the store or the service."""


def test_every_module_has_a_name_of_its_own():
    """A file is known by its name alone; the engine is called like the value that it makes, a section by its topic."""
    modules = [
        each.name for each in pkgutil.walk_packages(audit.__path__, "audit.") if not each.ispkg
    ]
    findings = [name for name in modules if name.startswith("audit.findings.")]
    decided = {name.replace("audit.findings.", "audit.report.") for name in findings}
    names = Counter(name.rpartition(".")[2] for name in modules if name not in decided)
    assert {name for name, count in names.items() if count > 1} == {"evaluation", *SHARED}


def test_a_name_that_is_not_public_is_an_attribute_error():
    """The lazy door behaves as any module does."""
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        audit.nothing  # noqa: B018 - the access is the point
