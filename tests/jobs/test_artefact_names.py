"""Files of a release: each name is of one test set and one kind, whatever text somebody made a slug of."""

import re
from itertools import product

from audit.service.child import STORE
from audit.service.releases import ENDINGS, SUMMARY, artefact_name

PIECES = (
    "",
    "a",
    "-export",
    "-bundle",
    ".html",
    ".json",
    ".zip",
    "difference-",
    "summary",
    "audit.db",
    "é",
    "я" * 60,
)
# of one test set among several: the campaign's, a hyphen, its own
SLUG = re.compile(r"[^\W_][\w.\-]{0,200}")


def slugs():
    """Every slug of three pieces that could be taken for a part of another file's name."""
    return sorted(
        {"".join(pieces) for pieces in product(PIECES, repeat=3) if SLUG.fullmatch("".join(pieces))}
    )


def test_no_ending_is_the_end_of_another():
    """By which two names are alike only where slug and kind are."""
    for one, other in product(ENDINGS.values(), repeat=2):
        assert one == other or not one.endswith(other)


def test_no_two_files_of_a_release_have_one_name():
    found = slugs()
    assert len(found) > 700
    names = [artefact_name(slug, kind) for slug in found for kind in ENDINGS]
    assert len({*names, SUMMARY, STORE}) == len(names) + 2


def test_a_name_fits_into_a_file_system_and_long_ones_stay_apart(tmp_path):
    """Two hundred letters of any script, which are up to 800 bytes; with what is put behind it while it is written."""
    long = [letter * 200 + end for letter in "aя漢𐐀" for end in "12"]
    names = {artefact_name(slug, "bundle") for slug in long}
    assert len(names) == len(long)
    for name in names:
        (tmp_path / f".{name}.part").touch()


def test_short_names_are_what_they_were_called():
    """Links and programs name them."""
    assert [artefact_name("words", kind) for kind in ENDINGS] == [
        "words.html",
        "words.json",
        "words-export.zip",
        "words-bundle.zip",
    ]
