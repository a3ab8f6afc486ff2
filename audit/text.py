"""Text as people read it: safe to show, easy to compare, counted in the right number.

Everything an organiser's files say (team names, labels, item ids, file names) is data. What is shown of it passes
through :func:`visible`, so that a control or direction character cannot rearrange the line it stands in.
"""

import difflib
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from itertools import filterfalse, pairwise, takewhile

# Cc control, Cf format (bidirectional marks, zero-width), Zl/Zp separators, Cs lone surrogates.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SOFT_HYPHEN = "\u00ad"
"""Names copied from a typeset page have it; names that differ in it alone are refused as one team's."""
_NON_JOINER = "\u200c"
_JOINER = "\u200d"
# the combining class of the signs that mute a vowel, behind which a joiner shapes a letter
_VIRAMA = 9
_OF_EMOJI = frozenset({"So", "Sk"})  # pictures, and colours of skin
_VARIANTS = frozenset("\ufe0e\ufe0f")  # an emoji as text, or as a picture
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by name, of which nothing is seen."""
_MOST_POINTS = 8
_NO_CONTROLS = dict.fromkeys((*range(9), *range(14, 28), 127))  # those of ASCII that are no blank


def visible(text: str, limit: int = 80) -> str:
    r"""Text with control and direction characters as escapes, cut in the middle when long.

    Joiners stay where they shape what stands around them, as in an emoji of several.

    >>> visible("a\x1b[31mred\u202e")
    'a\\x1b[31mred\\u202e'
    >>> visible("x" * 300, limit=9)
    'xxxx…xxxx'
    """
    # Of thousands of texts one has such a character.
    if text.isprintable():
        shown = text
    else:
        shown = "".join(_visible_characters(text))
    if len(shown) <= limit:
        return shown
    half = (limit - 1) // 2
    return f"{shown[: limit - 1 - half]}…{shown[-half:]}"


@cache
def distinct(texts: tuple[str, ...], limit: int) -> tuple[str, ...]:
    """Texts as :func:`visible` cuts them; those that would look alike are cut where they differ, or else numbered.

    >>> distinct(("a long name of team 01 of ten", "a long name of team 02 of ten", "short"), 12)
    ('a l…1 of ten', 'a l…2 of ten', 'short')
    """
    shown = [visible(text, limit) for text in texts]
    if len(set(shown)) == len(texts):
        return tuple(shown)
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(shown):
        groups.setdefault(text, []).append(place)
    for places in groups.values():
        whole = sorted({visible(texts[place], _WHOLE) for place in places})
        if len(whole) > 1:
            alike = [_n_alike(one, other) for one, other in pairwise(whole)]
            latest = dict(zip(whole, map(max, [0, *alike], [*alike, 0]), strict=True))
            for place in places:
                text = visible(texts[place], _WHOLE)
                shown[place] = _cut_at(text, min(alike), latest[text], limit)
    return tuple(_numbered(texts, shown, limit))


def _numbered(texts: Iterable[str], shown: Iterable[str], limit: int) -> Iterator[str]:
    """Shortened texts, the later ones of those that still look alike with a number at the end."""
    text_of: dict[str, str] = {}
    for text, short in zip(texts, shown, strict=True):
        numbered = short
        number = 1
        while text_of.setdefault(numbered, text) != text:
            number += 1
            ending = f"…{number}"
            numbered = short[: max(1, limit - len(ending))].rstrip("…") + ending
        yield numbered


_WHOLE = 10_000
_HEAD = 4  # most characters of the beginning that are kept before the place where texts differ


def _n_alike(one: str, other: str) -> int:
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)


def _cut_at(text: str, first: int, last: int, limit: int) -> str:
    """The beginning of a text, and as much as fits from the first place where texts differ; the last is in it."""
    head = max(1, min(_HEAD, limit // 4))
    room = limit - head - 2
    begin = min(max(first, last - room + 1), max(head, len(text) - room - 1))
    rest = text[begin:]
    if len(rest) <= room + 1:
        tail = rest
    else:
        tail = f"{rest[:room]}…"
    return f"{text[:head]}…{tail}"


def _visible_characters(text: str) -> Iterator[str]:
    for place, character in enumerate(text):
        # which marks where a word may be broken, and is seen nowhere else
        if character != _SOFT_HYPHEN:
            yield _unless_obeyed(text, place)


def without_marks(text: str) -> str:
    r"""Text whose control and direction characters are escapes, but for tabs and the ends of lines.

    >>> without_marks("one\ttwo\n\u202ered\u2028")
    'one\ttwo\n\\u202ered\\u2028'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character in "\t\n\r" else _unless_obeyed(text, place)
        for place, character in enumerate(text)
    )


def is_obeyed(character: str) -> bool:
    """Whether a character is seen nowhere, and programs do as it says: of control, of direction, between lines."""
    return unicodedata.category(character) in _INVISIBLE


def _unless_obeyed(text: str, place: int) -> str:
    """The character at a place; an escape for one that programs obey, or that nobody sees."""
    character = text[place]
    if is_obeyed(character) and not _shapes(text, place):
        return escape(character)
    return character


def _shapes(text: str, place: int) -> bool:
    """Whether a character is a joiner where one has a use: in emoji, and by the rules of domain names (RFC 5892, A)."""
    character = text[place]
    before = text[:place][-1:]
    behind = text[place + 1 :][:1]
    if character not in (_NON_JOINER, _JOINER) or not before or not behind:
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return True
    if character == _NON_JOINER:
        # letters that join
        return unicodedata.bidirectional(before) == unicodedata.bidirectional(behind) == "AL"
    is_of_emoji = before in _VARIANTS or unicodedata.category(before) in _OF_EMOJI
    return is_of_emoji and unicodedata.category(behind) in _OF_EMOJI


def escape(character: str) -> str:
    """A character by its number, as Python writes it."""
    code = ord(character)
    if code < 0x100:  # noqa: PLR2004 - the widest code that fits \xNN
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - the end of \uNNNN


def cut_off(text: str, limit: int) -> str:
    """Text whose end is left out behind a word where it is long.

    >>> cut_off("one two three", 9)
    'one two…'
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit].rpartition(' ')[0][: limit - 1] or text[: limit - 1]}…"


def quoted(text: str, limit: int = 60) -> str:
    """Visible text in typographic quotes, for use in a sentence."""
    return f"“{visible(text, limit)}”"


def composed(path: str) -> str:
    r"""A path or name with letters and their marks as one character (NFC), as most systems write them; macOS does not.

    >>> composed("Jose\u0301.csv") == "Jos\u00e9.csv"
    True
    """
    if path.isascii():
        return path
    return unicodedata.normalize("NFC", path)


def slugify(text: str) -> str:
    """One spelling for names that a reader would take for the same.

    Case, width, blanks, dots, hyphens and underscores are folded and invisible characters dropped; every other
    character counts, so that "C" and "C++" stay two teams.

    >>> slugify("Team  X") == slugify("team_x") == slugify("TEAM-X")
    True
    >>> slugify("C") == slugify("C++")
    False
    """
    shown = "".join(character for character in text if unicodedata.category(character) != "Cf")
    # Folding case can part what was composed (ß with an accent), hence composing again.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", shown).casefold())
    return re.sub(r"[\s_.\-]+", "-", folded).strip("-") or text


def slug_of(name: str) -> str:
    """A name as the slug of a task: letters, digits and hyphens, at most 100.

    >>> slug_of("Flood Posts 2031"), slug_of("C++") == slug_of("C")
    ('flood-posts-2031', True)
    """
    return re.sub(r"[^\w.]+", "-", slugify(name)).strip("-._")[:100] or "campaign"


# Letters of other scripts, hyphens and quotes, by their numbers, with the one that looks the same and is typed.
_ALIKE = {
    number: character
    for character, numbers in {
        "A": (0x410, 0x391), "B": (0x412, 0x392), "C": (0x421,), "E": (0x415, 0x395), "H": (0x41D, 0x397),
        "I": (0x406, 0x399), "J": (0x408,), "K": (0x41A, 0x39A), "M": (0x41C, 0x39C), "N": (0x39D,),
        "O": (0x41E, 0x39F), "P": (0x420, 0x3A1), "S": (0x405,), "T": (0x422, 0x3A4), "X": (0x425, 0x3A7),
        "Y": (0x3A5,), "Z": (0x396,), "a": (0x430,), "c": (0x441,), "e": (0x435,), "i": (0x456,), "j": (0x458,),
        "o": (0x43E, 0x3BF), "p": (0x440,), "s": (0x455,), "x": (0x445,), "y": (0x443,),
        "-": (0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212),
        "'": (0x2018, 0x2019, 0x201A, 0x2032), '"': (0x201C, 0x201D, 0x201E, 0x2033),
    }.items()
    for number in numbers
}  # fmt: skip
_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(?:[.,][0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?")
_MOST_DECIMAL_CLASSES = 50
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:[.,][0-9]{1,40})?")
_QUOTED = re.compile(r"""(["'])(.+)\1""", re.DOTALL)


def look_of(text: str) -> str:
    r"""The text folded as a reader confuses texts: without case and quotes, and however a number is written.

    Letters with their marks are composed, what has no width is left out, blanks of any kind are one, letters of
    other scripts that look the same are one, and a number is its value, in the digits of any script.

    >>> look_of("cafe\u0301") == look_of("Caf\u00e9"), look_of("1.0") == look_of("1"), look_of("a") == look_of("b")
    (True, True, False)
    """
    folded = at_a_glance(text).casefold()
    if whole := _QUOTED.fullmatch(folded):
        folded = whole[2].strip()
    if not folded.isascii():
        folded = "".join(map(_digit, folded))
    if not _DECIMAL.fullmatch(folded):
        return unicodedata.normalize("NFC", folded)
    value = Decimal(folded.replace(",", "."))
    if value:
        return f"{value.normalize():f}"
    return "0"


def are_measurements(labels: Collection[str], n_items: int) -> bool:
    """Whether labels are numbers to be predicted rather than classes: decimal numbers, nearly all of them different.

    All are numbers and half or more have decimals other than 0; and more than half of the items have a label of their
    own, or there are more than 50 labels.

    >>> are_measurements(["0.13", "2.5", "3.75", "4.1"], 4), are_measurements(["0.5", "1.5"], 200)
    (True, False)
    >>> are_measurements(["1", "2", "3"], 3)
    False
    """
    values = [
        Decimal(text.replace(",", "."))
        for text in map(str.strip, labels)
        if _DECIMAL.fullmatch(text)
    ]
    n_decimal = sum(value != value.to_integral_value() for value in values)
    is_many = 2 * len(labels) > n_items or len(labels) > _MOST_DECIMAL_CLASSES
    return is_many and len(values) == len(labels) and 2 * n_decimal >= len(values) > 2  # noqa: PLR2004 - two are classes


_ESCAPE = r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}"
_ESCAPES = re.compile(_ESCAPE)
_CHARACTERS = re.compile(f"{_ESCAPE}|.", re.DOTALL)
_HIGHEST = 0x10FFFF  # the last code point


def spelling_of(text: str) -> str:
    r"""The text folded as :func:`look_of` does, character by character, to find one text inside another.

    Without case and what has no width, also where :func:`visible` shows it as an escape; letters apart from their
    marks, letters, digits and hyphens that look the same as one. Every blank stays, and so does every sign of a number.

    >>> spelling_of("TW\u20119021\u00ad-k") == spelling_of("tw-90\u200b21-k") == spelling_of(r"tw-90\u200b21-k")
    True
    """
    if "\\" in text:
        text = _ESCAPES.sub(_unescaped, text)
    return text.translate(_SPELLINGS)


def spelling_places(text: str) -> list[int]:
    r"""The place in the text of each character of its spelling, and the text's end.

    >>> spelling_places("a\u200bb"), spelling_places("Stra\u00dfe")
    ([0, 2, 3], [0, 1, 2, 3, 4, 4, 5, 6])
    """
    of_characters = (
        match.start() for match in _CHARACTERS.finditer(text) for _ in spelling_of(match[0])
    )
    return [*of_characters, len(text)]


def _unescaped(match: re.Match[str]) -> str:
    """The character that an escape stands for; the text itself where no character is shown by one."""
    number = int(match[0][2:], 16)  # noqa: FURB166 - \x is no prefix of a number
    if number <= _HIGHEST and unicodedata.category(chr(number)) in _INVISIBLE:
        return chr(number)
    return match[0]


class _Spellings(dict[int, str]):
    """The spelling of each character by its number, made when it is met first: there are a million."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        if _is_hidden(character):
            self[number] = ""
        elif character.isspace():
            self[number] = " "
        else:
            seen = "".join(map(_digit, _without_width(character))).translate(_ALIKE).casefold()
            self[number] = unicodedata.normalize("NFD", seen)
        return self[number]


_SPELLINGS = _Spellings()


def _digit(character: str) -> str:
    """A digit of any script as one of ASCII; another character as it is."""
    value = unicodedata.decimal(character, None)
    if value is None:
        return character
    return str(value)


def lookalikes(texts: Iterable[str], look: Callable[[str], str]) -> list[tuple[str, ...]]:
    r"""Groups of different texts that look alike by a folding, :func:`look_of` or :func:`at_a_glance`.

    >>> lookalikes(["pos", "neu ", "Pos", "neu", "neg", "pos"], look_of)
    [('Pos', 'pos'), ('neu', 'neu ')]
    >>> lookalikes(["Bob", "bob"], at_a_glance), len(lookalikes(["caf\u00e9", "b", "cafe\u0301"], at_a_glance))
    ([], 1)
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for text in sorted(set(texts)):
        groups[look(text)].append(text)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def at_a_glance(text: str) -> str:
    r"""The text as it is seen at a glance: with its case, and with every sign of a number.

    >>> at_a_glance("cafe\u0301") == at_a_glance("caf\u00e9"), at_a_glance("1.0") == at_a_glance("1")
    (True, False)
    """
    if text.isascii():
        if text.isalnum():
            return text
        return " ".join(text.translate(_NO_CONTROLS).split())
    composed = unicodedata.normalize("NFC", "".join(filterfalse(_is_hidden, text)))
    return " ".join("".join(map(_without_width, composed)).translate(_ALIKE).split())


def _is_hidden(character: str) -> bool:
    """Whether a character is neither seen nor a blank."""
    hidden = unicodedata.category(character) in _INVISIBLE and not character.isspace()
    return hidden or character in _VARIANTS or character in _BLANK


def _without_width(character: str) -> str:
    """The usual form of a letter or digit in full or half width; ² is compatible with 2 too, and looks different."""
    is_wide = unicodedata.decomposition(character).startswith(("<wide>", "<narrow>"))
    if is_wide:
        return unicodedata.normalize("NFKC", character)
    return character


def told_apart(texts: Sequence[str]) -> list[str]:
    r"""Texts in quotes, those that look the same with the code points in which they differ.

    >>> told_apart(["a b", "a\u00a0b", "c"])[1:] == ["“a\u00a0b” (U+00A0)", "“c”"]
    True
    """
    groups = [
        [other for other in texts if other != text and at_a_glance(other) == at_a_glance(text)]
        for text in texts
    ]
    return [quoted(text) + _points(text, alike) for text, alike in zip(texts, groups, strict=True)]


def twin_of(written: str, choices: Iterable[str]) -> str:
    r"""``' Did you mean “x”?'`` for the choice that looks the same, with the code points of both; nothing for none.

    >>> twin_of("cafe\u0301", ["caf\u00e9", "tea"]).isascii(), twin_of("coffee", ["tea"])
    (False, '')
    """
    look = at_a_glance(written)
    twin = next(
        (choice for choice in choices if choice != written and at_a_glance(choice) == look), None
    )
    if twin is None:
        return ""
    shown, meant = told_apart([written, twin])
    return f" Did you mean {meant}? It looks the same, and is {shown}."


def _points(text: str, alike: Sequence[str]) -> str:
    """The code points in which a text differs from those that look the same, in brackets."""
    before = min((_n_alike(text, other) for other in alike), default=len(text))
    rest = text[before:]
    after = min((_n_alike(rest[::-1], other[before:][::-1]) for other in alike), default=0)
    points = " ".join(
        f"U+{ord(character):04X}" for character in rest[: len(rest) - after][:_MOST_POINTS]
    )
    if points:
        return f" ({points})"
    return ""


def natural_order(name: str) -> tuple[tuple[tuple[str, int, str], ...], str]:
    """A key that sorts names as people do: numbers in them by their value, letters without regard to case.

    >>> sorted(["run10", "Run2", "run1"], key=natural_order)
    ['run1', 'Run2', 'run10']
    """
    parts = re.findall(r"(\D*)(\d*)", name.casefold())
    # as text: a number may have a million digits
    numbers = ((text, digits.lstrip("0")) for text, digits in parts)
    return tuple((text, len(digits), digits) for text, digits in numbers), name


def did_you_mean(written: str, choices: Iterable[str]) -> str:
    """' Did you mean “x”?' for the closest known name, or nothing; of two numbers neither is meant by the other.

    >>> print(did_you_mean("positve", ["negative", "positive"]))
     Did you mean “positive”?
    >>> did_you_mean("qqq", ["negative", "positive"])
    ''
    """
    near = nearest(written, choices)
    if near is not None:
        return f" Did you mean {quoted(near)}?"
    return ""


def nearest(written: str, choices: Iterable[str]) -> str | None:
    """The closest known name, whatever its case; None where none is close, and of two numbers.

    >>> nearest("Positve", ["negative", "positive"]), nearest("1", ["2"])
    ('positive', None)
    """
    is_number = _NUMBER.fullmatch(written.strip())
    names = [
        name
        for name in choices
        if name == written or not (is_number and _NUMBER.fullmatch(name.strip()))
    ]
    by_fold = {name.casefold().strip(): name for name in reversed(names)}
    near = difflib.get_close_matches(written.casefold().strip(), by_fold, n=1, cutoff=0.6)
    if near:
        return by_fold[near[0]]
    return None


def plural(number: int, singular: str, plural_form: str | None = None) -> str:
    """A number with its noun, and thousands separated.

    >>> plural(1, "class", "classes"), plural(12284, "item")
    ('1 class', '12,284 items')
    """
    if number == 1:
        noun = singular
    else:
        noun = plural_form or f"{singular}s"
    return f"{number:,} {noun}"


def agreeing(number: int, singular: str, plural_form: str) -> str:
    """The form of a verb or pronoun that goes with a number."""
    if number == 1:
        return singular
    return plural_form


_IN_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def in_words(count: int) -> str:
    """A count inside a sentence: up to twelve in words.

    >>> in_words(0), in_words(9), in_words(1300)
    ('no', 'nine', '1,300')
    """
    if count < len(_IN_WORDS):
        return _IN_WORDS[count]
    return f"{count:,}"


_SPELT_WITH_VOWEL = frozenset("AEFHILMNORSX")  # letters whose names begin with a vowel
_SPOKEN_WITH_CONSONANT = re.compile(r"uni(?!n)|use|one|eu", re.IGNORECASE)


def with_article(noun: str) -> str:
    """A noun with the indefinite article that its sound asks for.

    >>> with_article("accuracy"), with_article("F1"), with_article("macro recall"), with_article("unit score")
    ('an accuracy', 'an F1', 'a macro recall', 'a unit score')
    >>> with_article("nDCG@10"), with_article("chrF")
    ('an nDCG@10', 'a chrF')
    """
    word, *_ = re.findall(r"\w+", noun) or [""]
    if word.isupper() or (word[:1].islower() and word[1:].isupper()):  # nDCG, mAP
        is_vowel = word[0].upper() in _SPELT_WITH_VOWEL
    else:
        is_vowel = word[:1].lower() in set("aeiou") and not _SPOKEN_WITH_CONSONANT.match(word)
    return f"{'an' if is_vowel else 'a'} {noun}"


def listed(words: Sequence[str], conjunction: str = "and", limit: int | None = None) -> str:
    """Words as an English list; beyond the limit the rest is counted, unless it is a single one.

    >>> listed(["A", "B", "C"]), listed(["A", "B", "C", "D"], limit=2), listed(["A", "B"], "or")
    ('A, B and C', 'A, B and 2 more', 'A or B')
    """
    shown = list(words)
    if limit is not None and len(shown) > limit + 1:
        shown = [*shown[:limit], f"{len(shown) - limit:,} more"]
    if len(shown) < 2:  # noqa: PLR2004 - a list of one needs no conjunction
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {conjunction} {shown[-1]}"


def sentence_case(text: str) -> str:
    """Text with a capital first letter, as at the head of a sentence or a column."""
    return text[:1].upper() + text[1:]


def decimal_text(value: float) -> str:
    """A number without an exponent, with as many decimals as it has, at most six."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def number(value: float, decimals: int = 3) -> str:
    """A score as papers print it: no zero before the point, a true minus sign, – where undefined.

    >>> number(0.28449), number(1), number(-0.0461), number(float("nan")), number(0.123456, 5)
    ('.284', '1.000', '−.046', '–', '.12346')
    """
    if math.isnan(value):
        return "–"
    shown = f"{abs(value):.{decimals}f}"
    if value < 0 and float(shown) > 0:
        sign = "−"
    else:
        sign = ""
    return sign + (shown[1:] if shown.startswith("0.") else shown)


def range_text(lower: float, upper: float, decimals: int = 3) -> str:
    """An interval as it is printed; – where it is undefined."""
    if math.isnan(lower):
        return "–"
    return f"[{number(lower, decimals)}, {number(upper, decimals)}]"


def decimals_to_tell_apart(values: Iterable[float], fewest: int = 3, most: int = 6) -> int:
    """Decimals at which values that differ print differently, within bounds.

    >>> decimals_to_tell_apart([0.28449, 0.28441]), decimals_to_tell_apart([0.5, 0.6, 0.6])
    (4, 3)
    """
    # Closer than rounding in floating point is equal, and no number of decimals should try.
    different = {round(value, 12) for value in values if not math.isnan(value)}
    for decimals in range(fewest, most):
        if len({number(value, decimals) for value in different}) == len(different):
            return decimals
    return most
