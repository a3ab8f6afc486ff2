r"""What stands above and below a table of the paper: caption, label, and the abbreviations that it uses."""

from collections.abc import Iterable

from audit.domain import Evaluation, ScoreKey
from audit.metrics import phrase
from audit.text import plural, visible
from audit.writers.latex.tex import tex
from audit.writers.latex.tex_names import key_of

CAPTION_MACRO = r"""\makeatletter % a caption stands inside a float and outside of one
\providecommand\auditcaption[2]{{\def\@captype{table}\caption{#1}\label{#2}}\smallskip}
\makeatother
"""
"""The definition that every table's file needs, where the document has none."""

_TITLE_LIMIT = 60
_WORDS = {"mcc": "Matthews correlation coefficient"}


def caption(evaluation: Evaluation, name: str, text: str, rest: str = "") -> str:
    """The command that sets a table's caption and label."""
    title = tex(visible(evaluation.task.title, _TITLE_LIMIT))
    items = plural(evaluation.gold.n_items, "item")
    return rf"\auditcaption{{{text} {title}, {items}.{rest}}}{{{label(evaluation, name)}}}"


def label(evaluation: Evaluation, name: str) -> str:
    r"""The name by which \ref finds a table."""
    return f"tab:{key_of(evaluation.task.slug)}-{key_of(name.removesuffix('.tex'))}"


def meaning(key: ScoreKey, evaluation: Evaluation) -> str:
    """A metric in words, as TeX: what an abbreviation of it stands for."""
    words = phrase(key, evaluation.task.label_set)
    short = _WORDS.get(key.metric)
    return tex(words.replace(phrase(ScoreKey(key.metric), evaluation.task.label_set), short) if short else words)


def abbreviations(pairs: Iterable[tuple[str, str]]) -> str:
    """Heads of columns and what they mean, as one sentence; nothing where each says it itself."""
    explained = [
        f"{head}: {words}" for head, words in dict(pairs).items() if words and words.casefold() != head.casefold()
    ]
    return f"{'; '.join(explained)}." if explained else ""
