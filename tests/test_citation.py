"""How the program is cited."""

from pathlib import Path

import yaml

from audit.version import __version__

ROOT = Path(__file__).resolve().parents[1]


def test_the_citation_is_of_this_version():
    """What Zenodo and GitHub read; its schema asks for these fields."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert (citation["version"], citation["license"]) == (__version__, "MIT")
