"""Downloads as the platforms name them, of teams with other names: the layouts stand beside the checkout."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from audit.cli import app
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from tests.nightly import slow

LAYOUTS = Path(__file__).resolve().parents[3] / "shared" / "platforms" / "imports"
NAMES = (
    "a_b",
    "late-7",
    "x.y",
    "PhaseId3",
    "zoë",
    "q__r",
    "17",
    "team_a",
    "uni-z",
    "m_n_o",
    "b1",
    "k",
)


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    """Every layout, of the sample's submissions under other names; and the names."""
    if not LAYOUTS.is_dir():
        pytest.skip("the layouts stand beside the checkout, not in it")
    root = tmp_path_factory.mktemp("downloads")
    shutil.copytree(samples() / "flood-posts", root / "sample")
    files = [
        path
        for path in sorted((root / "sample" / "submissions").iterdir())
        if path.suffix == ".csv"
    ]
    for path in (root / "sample" / "submissions").iterdir():
        if path not in files:
            path.unlink()
    names = NAMES[: len(files)]
    for path, name in zip(files, names, strict=True):
        path.rename(path.with_name(f"{name}.csv"))
    for script in ("layouts.py", "more_layouts.py"):
        subprocess.run(
            [sys.executable, LAYOUTS / script, root / "sample", root / script[:-3]], check=True
        )
    return {
        path.name: path
        for each in ("layouts", "more_layouts")
        for path in sorted((root / each).iterdir())
    }, names


@slow("door/test_draft.py::test_a_download_is_read_by_the_names_that_its_platform_gave")
def test_every_layout_is_read_by_init_and_run(downloads, tmp_path):
    """Each team once; where a user handed in twice, the latest upload."""
    folders, names = downloads
    lower = {name.lower() for name in names}
    users = {"anna", "ben_k", "c-3", "dora", "e.f", "gil"}
    expected = {
        "codabench_old": lower,
        "codabench_new": {f"{name}_x" for name in lower},
        "codabench_new_runs": {
            name for at, name in enumerate(sorted(names)) if at < (len(names) + 1) // 2
        },
        "codalab": lower,
        "codalab_detailed": lower,
        "evalai": set(names),
        "tira": lower,
        "old": users,
        "new": users,
        "new_nocsv": users,
    }
    assert set(folders) == set(expected)
    for layout, folder in folders.items():
        assert CliRunner().invoke(app, ["init", str(folder)]).exit_code == 0, layout
        campaign = read_campaign(folder)
        assert {each.team.lower() for each in campaign.submissions} == {
            each.lower() for each in expected[layout]
        }, layout
        assert not [
            path
            for path in campaign.ignored
            if path.endswith((".csv", ".zip")) and "sub" not in path
        ], layout
    store, page = tmp_path / "s.db", tmp_path / "r.html"
    ran = CliRunner().invoke(
        app, ["run", str(folders["new"]), "--store", str(store), "-o", str(page)]
    )
    assert ran.exit_code == 0, ran.output
    assert "Not read" not in ran.output
