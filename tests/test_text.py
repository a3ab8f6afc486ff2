"""Laws of text as people read it."""

import math
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from audit.text import (
    decimals_to_tell_apart,
    did_you_mean,
    distinct,
    listed,
    number,
    plural,
    quoted,
    slugify,
    visible,
    without_marks,
)

anything = st.text(st.characters(exclude_categories=()))
"""Any text that Python can hold: control and direction characters and lone surrogates included."""

names = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=8)
scores = st.floats(-1, 1)
JOINERS = "\u200c\u200d\ufe0f"


# visible, quoted


@given(anything, st.integers(5, 400))
def test_what_is_visible_has_no_control_or_direction_character(text, limit):
    """Nothing is left that could rearrange a line, break it, or fail to be written as UTF-8."""
    shown = visible(text, limit)
    categories = {unicodedata.category(sign) for sign in shown if sign not in JOINERS}
    assert categories & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
    assert len(shown) <= limit
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert len(shown.splitlines()) <= 1


@given(
    st.lists(st.text("ab1 ", max_size=40), min_size=1, max_size=12, unique=True),
    st.text("ab", max_size=30),
    st.sampled_from([4, 5, 7, 12, 40]),
)
@example(["a" * 20, "a" * 21, "a" * 22], "", 7)
@example(["aaaaaa…2", "a" * 20, "a" * 21], "", 7)
def test_names_that_are_shortened_together_stay_apart(middles, around, limit):
    """Whatever they have in common at both ends; none is longer than the limit, nor changed where all are short."""
    texts = tuple(f"{around}{middle}{around}" for middle in middles)
    shown = distinct(texts, limit)
    assert len(set(shown)) == len(texts)
    assert max(map(len, shown)) <= limit
    if max(map(len, texts)) <= limit:
        assert shown == texts


def test_every_character_of_unicode_is_safe_to_show():
    """All of them in one text: what is left besides letters, marks, digits, signs and blanks are the joiners."""
    shown = visible("".join(map(chr, range(0x110000))), 10**8)
    left = {
        sign for sign in set(shown) if unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    }
    assert left <= set(JOINERS)


@given(anything)
def test_what_is_visible_already_stays(text):
    """Showing twice is showing once."""
    once = visible(text, 10**6)
    assert visible(once, 10**6) == once


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs", "M"])))
def test_ordinary_text_is_shown_as_it_stands(text):
    """Letters of any script, marks, digits, signs and blanks."""
    assert visible(text, max(5, len(text))) == text


JOINED = {
    "a woman at a computer": "\U0001f469\u200d\U0001f4bb",
    "with a colour of skin": "\U0001f469\U0001f3fd\u200d\U0001f4bb",
    "a flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Hindi": "\u0915\u094d\u200d\u0937",
}
HIDDEN = {
    "al\u200dice": r"al\u200dice",
    "a\u200cb": r"a\u200cb",
    "\u200d": r"\u200d",
    "\u6f22\u200d\u5b57": "\u6f22\\u200d\u5b57",
    "one\u2028two": r"one\u2028two",
    "one\u2029two": r"one\u2029two",
    "\u202ered": r"\u202ered",
    "\x1b[31mred": r"\x1b[31mred",
}


@pytest.mark.parametrize("text", JOINED.values(), ids=JOINED)
def test_a_joiner_stays_where_it_shapes_letters_or_pictures(text):
    """Where scripts need it (RFC 5892, appendix A), and in emoji."""
    assert visible(text) == without_marks(text) == text


@pytest.mark.parametrize(("text", "shown"), HIDDEN.items())
def test_what_nobody_sees_is_an_escape(text, shown):
    """Two names would look the same, or one would stand on two lines; on a page, in a terminal and in a CSV alike."""
    assert visible(text) == without_marks(text) == shown


@given(anything)
def test_escapes_can_be_read_back(text):
    """An escape names its character as Python does; a soft hyphen is not shown."""
    assume("\\" not in text)
    text = text.replace("\u00ad", "")
    shown = visible(text, 10**6).encode("ascii", "backslashreplace").decode("unicode_escape")
    # A pair of surrogate escapes is one character to nobody: each was shown alone, and each comes back alone.
    assert shown == text


@given(anything, st.integers(5, 60))
def test_long_text_loses_its_middle(text, limit):
    """Beginning and end are left, around one ellipsis."""
    whole, cut = visible(text, 10**6), visible(text, limit)
    if len(whole) <= limit:
        assert cut == whole
    else:
        before, _, after = (
            cut.partition("…")
            if "…" not in whole
            else (cut[: limit // 2], "", cut[-(limit // 2 - 1) :])
        )
        assert len(cut) == limit
        assert whole.startswith(before)
        assert whole.endswith(after)


@given(anything)
def test_quoted_is_visible_in_quotes(text):
    """One pair of typographic quotes."""
    assert quoted(text, 30) == f"“{visible(text, 30)}”"


# slugify, did_you_mean


@given(anything)
@example("ß\u0301")
@example("s\u200d\u0301")
@example("﷽")
@example("_ -")
def test_a_slug_is_its_own_slug(text):
    """Folding twice is folding once."""
    assert slugify(slugify(text)) == slugify(text)


@given(anything)
def test_a_slug_is_never_empty(text):
    """Unless the text is."""
    assert bool(slugify(text)) == bool(text)


@given(
    st.text(st.sampled_from("aBcÄé1 _-."), min_size=1),
    st.sampled_from([" ", "_", "-", ".", "  ", "_-"]),
)
def test_case_and_separators_do_not_tell_teams_apart(text, separator):
    """Upper or lower case, any run of separators: one slug."""
    respelt = separator.join(
        text.upper().replace("_", " ").replace("-", " ").replace(".", " ").split()
    )
    assume(respelt)
    assert slugify(respelt) == slugify(text)


@given(st.lists(st.text(min_size=4, max_size=12), min_size=1, max_size=5))
def test_a_name_that_is_known_is_meant(known):
    """What is there but for case is the first suggestion."""
    hint = did_you_mean(known[0].swapcase(), known)
    folded = {name.casefold().strip(): name for name in reversed(known)}
    assume(known[0].swapcase().casefold() == known[0].casefold())
    assert hint == f" Did you mean {quoted(folded[known[0].casefold().strip()])}?"


@given(anything, st.lists(anything, max_size=5))
def test_a_suggestion_is_known_and_visible(found, known):
    """Nothing is suggested that does not exist."""
    hint = did_you_mean(found, known)
    assert hint in {"", *(f" Did you mean {quoted(name)}?" for name in known)}


# number, decimals_to_tell_apart


@given(scores, st.integers(1, 12))
def test_a_number_is_what_python_rounds_it_to(value, decimals):
    """Read back, it is the same as Python's own formatting."""
    shown = number(value, decimals)
    assert float(shown.replace("−", "-")) == float(f"{value:.{decimals}f}")
    assert len(shown.partition(".")[2]) == decimals


@given(scores, st.integers(1, 12))
def test_a_number_has_no_zero_before_the_point_and_a_true_minus(value, decimals):
    """As papers print scores; zero has no sign."""
    shown = number(value, decimals)
    assert not shown.lstrip("−").startswith("0")
    assert "-" not in shown
    assert shown.startswith("−") == (float(f"{value:.{decimals}f}") < 0)


@pytest.mark.parametrize("decimals", range(7))
def test_undefined_is_a_dash(decimals):
    """Whatever the digits."""
    assert number(math.nan, decimals) == "–"


@given(st.lists(scores | st.just(math.nan), max_size=6), st.integers(1, 4), st.integers(4, 8))
def test_enough_decimals_tell_values_apart_and_fewer_do_not(values, fewest, most):
    """The least number of digits at which different values print differently, within the bounds."""
    decimals = decimals_to_tell_apart(values, fewest, most)
    assert fewest <= decimals <= most
    different = {round(value, 12) for value in values if not math.isnan(value)}

    def apart(digits):
        return len({number(value, digits) for value in different}) == len(different)

    assert decimals == most or apart(decimals)
    assert not any(apart(digits) for digits in range(fewest, decimals))


# listed, plural


@given(names, st.sampled_from(["and", "or"]))
def test_a_list_names_everything_in_order(words, conjunction):
    """Commas between, the conjunction before the last."""
    if len(words) == 1:
        assert listed(words, conjunction) == words[0]
    else:
        assert listed(words, conjunction) == ", ".join(words[:-1]) + f" {conjunction} {words[-1]}"


@given(names, st.integers(1, 8))
def test_a_long_list_counts_the_rest(words, limit):
    """Shown and counted add up to all."""
    shown = listed(words, limit=limit)
    if len(words) <= limit:
        assert shown == listed(words)
    else:
        assert shown == listed([*words[:limit], f"{len(words) - limit} more"])


def test_an_empty_list_is_empty():
    """Nothing is said of nothing."""
    assert listed([]) == ""


@given(st.integers(0, 10**9))
def test_one_is_singular_and_everything_else_plural(count):
    """Zero too; thousands are separated as Python separates them."""
    noun = "class" if count == 1 else "classes"
    assert plural(count, "class", "classes") == f"{count:,} {noun}"
    assert plural(count, "item") == f"{count:,} item{'' if count == 1 else 's'}"


def test_a_soft_hyphen_is_not_seen():
    """It marks where a word may be broken."""
    assert visible("ITNLP\u00ad-AiKF") == "ITNLP-AiKF"
