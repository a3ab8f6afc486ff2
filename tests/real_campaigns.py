"""Real campaigns that stand beside the checkout, taken in as the docs tell it: with the docs' own files."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"


def folder_of(name):
    """A campaign's files; the test is skipped where they are not."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"{name} stands beside the checkout, not in it")
    return folder


def copied(source, target, *patterns):
    """The files that a campaign needs, in a folder where task.toml can be written."""
    for pattern in patterns:
        for file in source.glob(pattern):
            to = target / file.relative_to(source)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to)
    return target


def blocks_of_docs():
    """The files that docs/recipes.md shows of real campaigns, by their names."""
    page = (
        (ROOT / "docs/recipes.md").read_text(encoding="utf-8").partition("\n## Kinds of files\n")[0]
    )
    return dict(re.findall(r"^```\w+ ([\w.]+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def arct_tabled(target):
    """SemEval-2018 task 12: the organisers' XML turned into a table of the submissions."""
    source = folder_of("semeval2018-task12-arct")
    folder, blocks = (
        copied(source, target, "data/gold/truth.txt", "data/submissions/*"),
        blocks_of_docs(),
    )
    for name in ("make_table.py", "task.toml"):
        (folder / name).write_text(blocks[name], encoding="utf-8")
    subprocess.run([sys.executable, "make_table.py"], cwd=folder, check=True)
    return folder


def cqa(target):
    """SemEval-2016 task 3: four subtasks from the distribution's folder as it stands, with one task.toml."""
    source = folder_of("semeval2016-task3-cqa") / "SemEval2016_task3_submissions_and_scores"
    folder = copied(source, target, "**/*.*")
    (folder / "task.toml").write_text(blocks_of_docs()["cqa.toml"], encoding="utf-8")
    return folder
