"""The docs as a site: built strictly, whole, and with nothing that is fetched from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("material", reason="MkDocs with Material is not installed")
ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def built(settings, folder):
    """The one command, in another folder; told to be quiet, MkDocs would count no warnings."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", settings, "-d", folder]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as the one command builds it."""
    folder = tmp_path_factory.mktemp("site")
    done = built(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_of_the_docs_is_on_the_site(site):
    """Each as a page that the navigation leads to; report, figures and schema as files beside them."""
    start = (site / "index.html").read_text(encoding="utf-8")
    names = {path.stem for path in DOCS.glob("*.md")} - {"README"} | {"notebook", "example-report"}
    for name in names:
        assert (site / f"{name}.html").is_file()
    led_to = set(re.findall(r'href="(?:\./)?([\w-]+)\.html"', start))
    sections = ("tour", "cli", "uncertainty")  # the first page of each leads to the others
    for name in sections:
        led_to |= set(
            re.findall(
                r'href="(?:\./)?([\w-]+)\.html"',
                (site / f"{name}.html").read_text(encoding="utf-8"),
            )
        )
    assert names <= led_to
    for file in [DOCS / "example-report.html", DOCS / "evaluation.schema.json"]:
        assert (site / file.relative_to(DOCS)).read_bytes() == file.read_bytes()
    assert not list(site.glob("*.py"))


def test_a_page_fetches_nothing(site):
    """No script, style, font or picture of another host: links lead there, and nothing else."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(
            r'<(?:script|img|iframe|link|source)\b[^>]*?(?:src|href)="([^"]+)"', text
        )
        assert [address for address in fetched if "//" in address] == []


def test_what_github_and_mkdocs_write_differently_is_set(site):
    """Formulas as MathML, names of files above their blocks, sessions without marks of doctest, cells with outputs."""
    pages = {
        name: (site / f"{name}.html").read_text(encoding="utf-8")
        for name in ("metrics", "kinds", "python")
    }
    assert pages["metrics"].count("<math") == (DOCS / "metrics.md").read_text(
        encoding="utf-8"
    ).count("\n$$ ")
    assert "$$" not in pages["metrics"]
    named = re.findall(
        r"^```\w+ (\S+)$", (DOCS / "kinds.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert pages["kinds"].count('class="filename"') == len(named)
    assert "BLANKLINE" not in pages["python"]
    assert '<span class="gp">&gt;&gt;&gt; </span>' in pages["python"]
    notebook = (site / "notebook.html").read_text(encoding="utf-8")
    assert (
        notebook.count("<svg") - (site / "python.html").read_text(encoding="utf-8").count("<svg")
        >= 2
    )
    assert "Traceback" in notebook or "UsageError" in notebook


def test_a_link_that_leads_nowhere_is_an_error(tmp_path):
    """With the settings of the site: to no page, to no heading, to the top of the host, to no file of the checkout."""
    links = ("one.md", "#two", "/three.md", "../audit/four.py")
    (tmp_path / "docs").mkdir()
    text = "# Start\n\n" + "\n".join(f"[gone]({link})" for link in links)
    (tmp_path / "docs" / "README.md").write_text(text, encoding="utf-8")
    settings = tmp_path / "mkdocs.yml"
    settings.write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nextra_css: []\nnav: [README.md]\n"
        f"hooks: [{DOCS / 'site_pages.py'}]\n",
        encoding="utf-8",
    )
    done = built(settings, tmp_path / "site")
    assert done.returncode != 0
    assert [link for link in links if link.removeprefix("../") not in done.stderr] == []
