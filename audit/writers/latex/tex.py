r"""Text as TeX: what an organiser's files say stands in a table as it is, and never as a command.

Latin letters with accents become commands, which every engine and encoding has; Greek and Cyrillic stand in
``\auditscript``, which chooses the encoding that pdfLaTeX needs; other scripts need LuaLaTeX and a font that has them.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import groupby

from audit.text import visible

_SPECIAL: Mapping[str, str] = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "-": "{-}", "\u00a0": "~", "–": "--", "—": "---", "−": "$-$", "…": r"\dots\allowbreak{}",
    "\u2018": "`", "\u2019": "'", "\u201c": "``",
    "\u201d": "''", "\u201e": r"\quotedblbase{}", "\u201a": r"\quotesinglbase{}", "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}", "\u2039": r"\guilsinglleft{}", "\u203a": r"\guilsinglright{}", "•": r"\textbullet{}",
    "·": r"\textperiodcentered{}", "°": r"\textdegree{}", "±": r"\textpm{}", "×": r"\texttimes{}",
    "÷": r"\textdiv{}", "§": r"\S{}", "¶": r"\P{}", "©": r"\textcopyright{}", "®": r"\textregistered{}",
    "™": r"\texttrademark{}", "£": r"\pounds{}", "€": r"\texteuro{}", "¥": r"\textyen{}", "¿": "?`", "¡": "!`",
    "½": r"\textonehalf{}", "¼": r"\textonequarter{}", "¾": r"\textthreequarters{}", "²": r"\texttwosuperior{}",
    "³": r"\textthreesuperior{}", "¹": r"\textonesuperior{}", "†": r"\dag{}", "‡": r"\ddag{}", "′": r"$'$",
    "ß": r"\ss{}", "æ": r"\ae{}", "œ": r"\oe{}", "ø": r"\o{}", "đ": r"\dj{}", "ð": r"\dh{}", "þ": r"\th{}",
    "ł": r"\l{}", "●": r"$\bullet$", "○": r"$\circ$", "≤": r"$\leq$", "≡": r"$\equiv$", "⁴": r"\textsuperscript{4}",
    "\u0131": r"\i{}", "ŋ": r"\ng{}", "Æ": r"\AE{}", "Œ": r"\OE{}", "Ø": r"\O{}", "Đ": r"\DJ{}",
    "Ð": r"\DH{}", "Þ": r"\TH{}", "Ł": r"\L{}", "Ŋ": r"\NG{}",
}  # fmt: skip
_ACCENTS: Mapping[str, str] = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\=", "\u0306": r"\u",
    "\u0307": r"\.", "\u0308": r'\"', "\u030a": r"\r", "\u030b": r"\H", "\u030c": r"\v", "\u0323": r"\d",
    "\u0327": r"\c", "\u0328": r"\k", "\u0331": r"\b",
}  # fmt: skip
_DOTLESS = {"i": r"\i", "j": r"\j"}
_ABOVE = frozenset("\u0300\u0301\u0302\u0303\u0304\u0306\u0308\u030a\u030b\u030c")
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_PLAIN = re.compile(r"[A-Za-z0-9 .,;:!?()\[\]/+=*@]")


LATIN = "{}"
GREEK = r"\auditscript{{LGR}}{{{}}}"
CYRILLIC = r"\auditscript{{T2A}}{{{}}}"
RIGHT_TO_LEFT = r"{{\auditrtl {}}}"
OTHER = r"{{\auditother {}}}"
"""How text of a script is set: in an encoding of pdfLaTeX, or in a font of LuaLaTeX."""


def script_of(character: str) -> str:
    """How the script that a character needs is set; punctuation and digits are Latin.

    >>> [script_of(character) for character in "é7Ж"] == [LATIN, LATIN, CYRILLIC]
    True
    >>> [script_of(character) for character in "λ名א"] == [GREEK, OTHER, RIGHT_TO_LEFT]
    True
    """
    if _in_latin(character) is not None:
        return LATIN
    if "\u0370" <= character <= "\u03ff" and unicodedata.category(character).startswith("L"):
        return GREEK
    if "\u0400" <= character <= "\u045f" or character in "\u0490\u0491":
        return CYRILLIC
    if unicodedata.bidirectional(character) in _RIGHT_TO_LEFT:
        return RIGHT_TO_LEFT
    return OTHER


def needs_lualatex(text: str) -> bool:
    """Whether a text has a character that pdfLaTeX's encodings lack."""
    return any(script_of(character) in {RIGHT_TO_LEFT, OTHER} for character in _composed(text))


def _composed(text: str) -> str:
    """A text with letters and accents as one, where there is such a letter: names come in either form."""
    return unicodedata.normalize("NFC", visible(text, 10_000))


def tex(text: str) -> str:
    r"""A text as TeX that prints it.

    Control and direction characters are shown as escapes, as everywhere.

    >>> print(tex("50% of_Ünits"))
    50\% of\_\"{U}nits
    >>> print(tex("Жар"))
    \auditscript{T2A}{Жар}
    >>> print(tex("名"))
    {\auditother 名}
    """
    return "".join(
        _run(script, "".join(characters))
        for script, characters in groupby(_composed(text), script_of)
    )


_SYMBOLS_IN_GREEK = {"Δ": r"$\Delta$", "κ": r"$\kappa$", "ρ": r"$\rho$", "τ": r"$\tau$"}


def _run(script: str, text: str) -> str:
    if text in _SYMBOLS_IN_GREEK:
        return _SYMBOLS_IN_GREEK[text]
    return script.format("".join(map(str, map(_in_latin, text))) if script == LATIN else text)


def _in_latin(character: str) -> str | None:
    """A character in commands that every engine has; None where there are none."""
    if _PLAIN.fullmatch(character):
        return character
    if character in _SPECIAL:
        return _SPECIAL[character]
    base, *marks = list(unicodedata.normalize("NFD", character))
    if not (
        base.isascii() and base.isalpha() and marks and all(mark in _ACCENTS for mark in marks)
    ):
        return None
    if marks[0] in _ABOVE:
        letter = _DOTLESS.get(base, base)
    else:
        letter = base
    for mark in marks:
        letter = f"{_ACCENTS[mark]}{{{letter}}}"
    return letter


PREAMBLE = r"""% Needs: \usepackage{booktabs} and, for pdfLaTeX, \usepackage[LGR,T2A,T1]{fontenc} (the last one named is
% the default; LGR and T2A only where names are Greek or Cyrillic). With LuaLaTeX load fontspec and a main font that
% has the letters, such as \setmainfont{Libertinus Serif}; for Chinese, Japanese and Korean names write before this file
%   \newfontfamily\auditother{Noto Serif CJK SC}
% and for names written from right to left, say in Arabic,
%   \newfontfamily\auditarabic{Noto Naskh Arabic}[Script=Arabic] \newcommand\auditrtl{\textdir TRT\auditarabic}
\providecommand\auditother{}
\providecommand\auditrtl{}
\providecommand\auditscript[2]{\ifdefined\directlua#2\else{\fontencoding{#1}\selectfont#2}\fi}
"""
"""The first lines of every file that holds names: what it needs, and definitions where the document has none."""


_NARROW_LETTERS = frozenset("iljtfrI.,;:!|'()[]/ °¹²³⁴·")
_WIDE_LETTERS = frozenset("mwMW@%—")
_SIGNS = frozenset("–●○±†‡≤≡“”’")  # as wide as most letters
# em: narrow, most, capitals, wide, other scripts, three dots
_LETTER_WIDTHS = (0.36, 0.56, 0.8, 1.06, 1.1, 1.4)


def text_width(text: str) -> float:
    """About how wide a text is set, in em."""
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    narrow, most, capital, wide, other, dots = _LETTER_WIDTHS
    if letter in _NARROW_LETTERS:
        return narrow
    if letter in _WIDE_LETTERS:
        return wide
    if letter == "…":
        return dots
    is_greek = "\u0391" <= letter <= "\u03c9"
    if is_greek or (letter.isascii() and (letter.isupper() or letter in "<>~^#&+=_\\")):
        return capital
    if letter.isascii() or letter in _SIGNS:
        return most
    return other


_MARKS = re.compile("(\x03[^\x04]+\x04)")
_PROSE = {"max-t": "max-$t$", "adjusted p": "adjusted $p$"}


def prose(sentence: str, said: Callable[[str], str] = tex) -> str:
    """A sentence as an author writes it in TeX, its text set in some way; marks for references stay as they are."""
    parts = (part if _MARKS.fullmatch(part) else said(part) for part in _MARKS.split(sentence))
    written = re.sub(
        r"(?<=\w)(?:\{(-)\}|\\textquotesingle\{\})(?=\w)",
        lambda found: found[1] or "'",
        "".join(parts),
    )
    for plain, command in _PROSE.items():
        written = written.replace(plain, command)
    return written
