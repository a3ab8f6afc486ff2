"""Write the golden files anew: ``python tests/golden/update.py``, and then read the diff before it is committed."""

import re
from pathlib import Path

from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from audit.version import versions
from audit.writers.html import render_html
from audit.writers.latex import paper_files

FOLDER = Path(__file__).parent / "flood-posts"
_LEFT_TO_OTHER_TESTS = {"references.bib", "numbers.tex"}
_NAMES = {"numpy": "NumPy", "scipy": "SciPy"}
_HASHES = re.compile(r"(?<= )'sha256-[^']+' ?")
# drawn, or files of the checkout
_LEFT_OUT = re.compile(r"(<(svg|style|script)\b[^>]*>).*?(</\2>)", re.DOTALL)


def golden_files() -> dict[str, str]:
    """Every golden file by name: the sample's page without its pictures, styles and scripts, and its LaTeX.

    Versions of the program and of libraries stand there as words, so that the files are the same on every machine.
    """
    evaluation = evaluate(read_campaign(samples() / "flood-posts"))
    page = _HASHES.sub("", _LEFT_OUT.sub(_emptied, render_html(evaluation)))
    files = {
        "report.html": page,
        **{name: data.decode() for name, data in paper_files(evaluation).items()},
    }
    return {
        name: _without_versions(text)
        for name, text in files.items()
        if name not in _LEFT_TO_OTHER_TESTS
    }


def _emptied(element: re.Match[str]) -> str:
    """An element without its content; of a picture only its kind remains, which no version of a library changes."""
    return "<svg></svg>" if element[2] == "svg" else f"{element[1]}{element[3]}"


def _without_versions(text: str) -> str:
    for name, version in versions().items():
        number, shown = re.escape(version), _NAMES.get(name, name)
        named = (
            rf"\b({name}|{shown}|version:(?:\\allowbreak{{}})?|auditor==)(\W{{0,12}}?){number}\b"
        )
        text = re.sub(named, r"\1\2VERSION", text)
    return text


def main() -> None:
    """Write every file, and remove those that are none any more."""
    FOLDER.mkdir(exist_ok=True)
    files = golden_files()
    for path in FOLDER.iterdir():
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
