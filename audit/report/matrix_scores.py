"""What do the scores of one confusion matrix say? Every score, those of each class, and which macro F1 is which."""

import math

from audit.document import Block, Cell, Column, Paragraph, Table, row_names
from audit.domain import BALANCED, OBSERVED, ScoreKey
from audit.inference.confusions_alone import ConfusionScores
from audit.metrics import metric_name
from audit.report.printing import INTERVAL_MARKS, mark_notes
from audit.text import number, plural, quoted, range_text, visible

_LABEL_LIMIT = 40
_PAIRS_SHOWN = 3
_ROWS_UNSAID = (
    "Nothing says which axis is gold: rows are read as gold. --rows predicted reads them the "
    "other way round."
)


def matrix_blocks(name: str, scores: ConfusionScores, *, axis_said: bool) -> tuple[Block, ...]:
    """The scores of a file's matrix, those of each class, and the two macro F1s with what makes them differ."""
    n_items = int(scores.confusion.sum())
    unanswered = int(scores.confusion[:, -1].sum())
    if unanswered:
        remainder = f", {unanswered:,} unanswered"
    else:
        remainder = ""
    classes = plural(len(scores.labels), "class", "classes")
    lead = f"{visible(name, 200)}: {plural(n_items, 'item')}{remainder}, {classes}"
    return (
        Paragraph(lead, "lead"),
        *(() if axis_said else (Paragraph(_ROWS_UNSAID, "lead"),)),
        _whole(scores),
        *((_classes(scores),) if scores.class_keys else ()),
        *(
            Paragraph(sentence, "lead")
            for sentence in (*gap_sentences(scores), *mark_notes(scores.marks))
        ),
    )


def _whole(scores: ConfusionScores) -> Table:
    """One row for each metric, observed and balanced beside each other."""
    observed = dict.fromkeys(key.metric for key in scores.whole_keys)
    rows = tuple(
        (
            Cell(metric),
            *_cells(scores, ScoreKey(metric)),
            *_cells(scores, ScoreKey(metric, BALANCED.name)),
        )
        for metric in observed
    )
    pairs = (
        head
        for name in (OBSERVED.name, BALANCED.name)
        for head in (Column(name), Column("95%", numeric=False))
    )
    return Table("table-scores", "", (row_names("score"), *pairs), rows)


def _cells(scores: ConfusionScores, key: ScoreKey) -> tuple[Cell, Cell]:
    """A score and its interval, or why it has none; nothing where it was not asked for."""
    row = scores.row_of.get(key)
    if row is None:
        return Cell(""), Cell("")
    ends = range_text(float(scores.lower[row]), float(scores.upper[row]))
    return Cell(number(scores.values[row])), Cell(ends + INTERVAL_MARKS.get(scores.marks[row], ""))


def _classes(scores: ConfusionScores) -> Table:
    slugs = list(dict.fromkeys(key.metric.partition("[")[0] for key in scores.class_keys))
    gold = scores.confusion.sum(axis=1)
    predicted = scores.confusion[:, :-1].sum(axis=0)
    rows = tuple(
        (
            Cell(visible(label, _LABEL_LIMIT)),
            Cell(f"{gold[code]:,}"),
            Cell(f"{predicted[code]:,}"),
            *(Cell(number(scores.values[scores.row_of[ScoreKey(name)]])) for name in names),
        )
        for code, label in enumerate(scores.labels.shown)
        for names in [[metric_name(slug, (code,), scores.labels) for slug in slugs]]
    )
    heads = (Column(head) for head in ("gold", "predicted", *slugs))
    return Table("table-class-scores", "", (row_names("class"), *heads), rows)


def gap_sentences(scores: ConfusionScores) -> list[str]:
    """Sentences on both macro F1s, their gap, and the classes that make it."""
    if math.isnan(scores.averaged_f1):
        return []
    digits = 3 if scores.gap == 0 or scores.gap >= 5e-4 else 6  # noqa: PLR2004 - what three decimals show
    averaged = number(scores.averaged_f1, digits)
    of_averages = number(scores.f1_of_averages, digits)
    both = f"macro-averaged F1 {averaged}, F1 of averages {of_averages}"
    if not scores.gap_pairs:
        return [f"Macro F1 is {both}: the two are the same here."]
    sentences = [
        f"Macro F1 is two scores: {both}. They differ by Δ = {number(scores.gap, digits)}."
    ]
    for place, pair in enumerate(scores.gap_pairs[:_PAIRS_SHOWN]):
        one, other = (quoted(label, _LABEL_LIMIT) for label in pair.labels)
        skew = " and ".join(_skew(scores, label) for label in pair.labels)
        if place == 0:
            relation = "of Δ comes from"
        else:
            relation = "from"
        sentences.append(
            f"{pair.share:.0%} {relation} {one} and {other}: precision / recall {skew}."
        )
    return sentences


def _skew(scores: ConfusionScores, label: str) -> str:
    code = scores.labels.code_of[label]
    column = scores.confusion[:, code].sum()
    row = scores.confusion[code].sum()
    correct = scores.confusion[code, code]
    return f"{number(correct / column if column else 0.0)} / {number(correct / row)}"
