"""The docs say what the program does: generated pages are up to date, links lead somewhere, commands exist."""

import importlib.util
import re
import shlex
import shutil
import tomllib
from functools import cache
from pathlib import Path

import pytest
import typer.main

from audit.cli import app
from audit.writers.html import render_html
from tests.nightly import slow

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for folder in (
        ROOT,
        ROOT / "docs",
        ROOT / "benchmarks",
        *(ROOT / "sample_submissions").iterdir(),
    )
    for path in folder.glob("*.md")
)


@cache
def program(name):
    """A program of the docs as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generator():
    return program("generate")


PAGES_OF_TEXT = (
    "service-api.json",
    "cli.md",
    "task-toml.md",
    "metrics.md",
    "readings.md",
    "flags.md",
    "evaluation.schema.json",
)


@pytest.mark.parametrize("name", PAGES_OF_TEXT)
def test_a_generated_page_is_what_the_program_says_today(name):
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == generator().PAGES[name](), "run: python docs/generate.py"


def test_every_generated_page_is_tested():
    assert set(generator().PAGES) == set(PAGES_OF_TEXT)


def test_every_picture_of_the_service_is_shown_and_small():
    """As docs/service_screenshots.py takes them."""
    page = (ROOT / "docs" / "service-use.md").read_text(encoding="utf-8")
    pictures = sorted((ROOT / "docs" / "service").iterdir())
    assert re.findall(r"\]\(service/([\w-]+\.png)\)", page)
    for picture in pictures:
        assert f"](service/{picture.name})" in page
        assert picture.stat().st_size <= 100_000


@slow("web_browser/test_several_test_sets: the pages without a browser")
def test_the_pictures_of_the_service_show_what_it_says_today(tmp_path):
    """Each has in it the text of the page that it was taken of."""
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    image = pytest.importorskip("PIL.Image")
    if shutil.which("chromium") is None:
        pytest.skip("there is no Chromium to look with")
    pictures = program("service_screenshots")
    pictures.take(tmp_path)
    for picture in sorted(pictures.FOLDER.iterdir()):
        says = [
            image.open(folder / picture.name).text["says"] for folder in (pictures.FOLDER, tmp_path)
        ]
        assert says[0] == says[1], f"{picture.name}: run python docs/service_screenshots.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_of_a_page_leads_to_a_file(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    missing = [
        link for link in links if link and "://" not in link and not (page.parent / link).exists()
    ]
    assert not missing


def commands_in(page: Path) -> list[list[str]]:
    """Every `audit …` call in a fenced block of a page, cut at what a shell would do with it."""
    blocks = re.findall(
        r"```(?:sh|text)?\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    lines = [re.split(r"\s#\s|&&|\|", line) for block in blocks for line in block.splitlines()]
    calls = [
        shlex.split(part)
        for parts in lines
        for part in parts
        if re.match(r"\s*(\.venv/bin/)?audit ", part)
    ]
    return [call[1:] for call in calls]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_exists_with_its_options(page):
    known = typer.main.get_command(app).commands
    for call in commands_in(page):
        command = known[call[0]]
        options = {
            option
            for parameter in command.params
            for option in (*parameter.opts, *parameter.secondary_opts)
        }
        assert {word for word in call[1:] if word.startswith("-")} <= options, call


def test_the_readme_has_the_two_commands_that_the_gate_runs():
    readme, gate = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".ci/run"))
    for mark in ("run", "test"):
        assert re.search(rf"<!-- command: {mark} -->\n```sh\n[^\n]+\n```", readme)
        assert f"readme_command {mark}" in gate


def test_every_dependency_stands_on_the_page_of_the_code_with_a_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = [
        each
        for extra in ("parquet", "excel", "zst", "web")
        for each in project["optional-dependencies"][extra]
    ]
    required = [*project["dependencies"], *optional]
    named = {re.split(r"[<>=\[]", requirement)[0] for requirement in required}
    table = (
        (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## Dependencies")[1]
    )
    reasons = {
        row.group(1).lower(): row.group(2) for row in re.finditer(r"\| ([\w-]+) \| (.+) \|", table)
    }
    for heading in ("library", "---"):
        reasons.pop(heading)
    assert named == set(reasons)


def test_the_picture_of_the_readme_shows_a_fresh_run():
    """Its metadata holds the verdict and the ranking that it shows, and the example report is that of today."""
    example = program("example")
    evaluation = example.example()
    assert example.shown(example.PICTURE) == example.first_screen(evaluation), (
        "run: python docs/example.py"
    )
    written = example.REPORT.read_text(encoding="utf-8")
    assert without_drawings(written) == without_drawings(render_html(evaluation)), (
        "run: python docs/example.py"
    )


def without_drawings(page):
    """What no version of a library changes."""
    return re.sub(r"<(svg)\b.*?</\1>|\b\d+\.\d+\.\d+\b", "", page, flags=re.DOTALL)
