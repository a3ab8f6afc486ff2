"""The export as an RO-Crate, and how the program is cited."""

import hashlib
import json
import re
from pathlib import Path

import pytest
import yaml

from audit.errors import InputError
from audit.formats.settings.parsing import parse_settings
from audit.version import __version__
from audit.workflow import export_task, load
from audit.writers.bundle.folder import ExportOptions
from tests.formats.campaigns import write

ROOT = Path(__file__).resolve().parents[2]
STATED = '[publication]\ndate = "2027-03-01"\nlicense = "{license}"\n'


def exported(root, publication, figures=()):
    """The export of a small campaign with this table in its task.toml."""
    answers = "id,label\n1,no\n2,yes\n3,no\n"
    write(root / "t", {"gold.csv": answers.replace("3,no", "3,yes"), "submissions/A.csv": answers})
    write(root / "t", {"task.toml": f'slug = "t"\ntitle = "T <b>"\n{publication}'})
    load(root / "t", root / "s.db")
    return export_task("t", root / "export", root / "s.db", ExportOptions(figures=figures), overwrite=True)


def test_a_crate_describes_every_file_of_the_export(tmp_path):
    """By the rules of RO-Crate 1.1: a descriptor, a root with date and licence, a part for each file."""
    folder = exported(tmp_path, STATED.format(license="CC-BY-4.0") + 'doi = "10.5281/zenodo.1"\n', ("svg",))
    text = (folder / "ro-crate-metadata.json").read_text()
    graph = {each["@id"]: each for each in json.loads(text)["@graph"]}
    assert graph["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    root = graph["./"]
    assert (root["datePublished"], root["name"]) == ("2027-03-01", "T <b>: leaderboard audit")
    assert root["license"] == {"@id": "https://spdx.org/licenses/CC-BY-4.0"}
    assert root["identifier"] == "https://doi.org/10.5281/zenodo.1"
    beside = {"SHA256SUMS", "ro-crate-metadata.json"}
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert {part["@id"] for part in root["hasPart"]} == set(files) - beside
    for name in set(files) - beside:
        assert graph[name]["@type"] == "File"
        assert graph[name]["contentSize"] == str(len(files[name]))
        assert graph[name]["sha256"] == hashlib.sha256(files[name]).hexdigest()
    references = re.findall(r'"@id": "([^"]+)"', text)
    assert set(references) - set(graph) == {"https://w3id.org/ro/crate/1.1"}
    assert "ro-crate-metadata.json" in files["README.txt"].decode()
    again = exported(tmp_path, STATED.format(license="https://example.org/l") + "# changed\n")
    assert "https://example.org/l" in (again / "ro-crate-metadata.json").read_text()


@pytest.mark.parametrize("publication", ["", '[publication]\ndate = "2027-03-01"\n'])
def test_without_date_and_licence_there_is_no_crate(publication, tmp_path):
    """No clock and no guess stands for them."""
    assert not (exported(tmp_path, publication) / "ro-crate-metadata.json").exists()


@pytest.mark.parametrize(
    "stated",
    ['date = "1.3.2027"', "date = 2027-03-01", 'date = "2027-02-30"', 'license = "CC BY"', 'doi = "zenodo.1"'],
)
def test_what_no_catalogue_takes_is_refused(stated):
    """At its line."""
    with pytest.raises(InputError) as caught:
        parse_settings(f"[publication]\n{stated}\n".encode())
    (issue,) = caught.value.issues
    assert (issue.slug, issue.lines) == ("bad-setting", (2,))


def test_the_citation_is_of_this_version():
    """What Zenodo and GitHub read; its schema asks for these fields."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert (citation["version"], citation["license"]) == (__version__, "MIT")
