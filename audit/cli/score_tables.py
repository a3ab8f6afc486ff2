"""audit score: what it prints of one confusion matrix."""

import math

import numpy as np
from rich.padding import Padding
from rich.text import Text

from audit.cli.terminal import console, print_table
from audit.domain import BALANCED, OBSERVED, ScoreKey
from audit.inference.confusions_alone import ConfusionScores
from audit.metrics import metric_name
from audit.report import mark_notes
from audit.report.table_printing import INTERVAL_MARKS
from audit.text import number, plural, quoted, visible
from audit.workflow import ScoredFile

_LABEL_LIMIT = 40
_PAIRS_SHOWN = 3


def print_scores(file: ScoredFile) -> None:
    """The scores, those of each class, and the two macro F1s with what makes them differ."""
    scores = file.scores
    n_items, unanswered = int(scores.confusion.sum()), int(scores.confusion[:, -1].sum())
    remainder = f", {unanswered:,} unanswered" if unanswered else ""
    classes = plural(len(scores.labels), "class", "classes")
    _say(f"{visible(file.name, 200)}: {plural(n_items, 'item')}{remainder}, {classes}")
    if file.orientation_said_by == "default":
        _say("Nothing says which axis is gold: rows are read as gold. --rows predicted reads them the other way round.")
    _print_whole(scores)
    if scores.class_keys:
        _print_classes(scores)
    for sentence in (*gap_sentences(scores), *mark_notes(scores.marks)):
        _say(sentence)


def _print_whole(scores: ConfusionScores) -> None:
    """One line for each metric, observed and balanced beside each other."""
    observed = list(dict.fromkeys(key.metric for key in scores.whole_keys))
    keys = ((ScoreKey(metric), ScoreKey(metric, BALANCED.name)) for metric in observed)
    rows = [[one.metric, *_cells(scores, one), *_cells(scores, other)] for one, other in keys]
    print_table(["score", OBSERVED.name, "95%", BALANCED.name, "95%"], rows, numeric=frozenset({1, 3}))


def _cells(scores: ConfusionScores, key: ScoreKey) -> tuple[str, str]:
    """A score and its interval, or why it has none; nothing where it was not asked for."""
    row = scores.row_of.get(key)
    if row is None:
        return "", ""
    ends = scores.lower[row], scores.upper[row]
    interval = "–" if np.isnan(ends[0]) else f"[{number(ends[0])}, {number(ends[1])}]"
    return number(scores.values[row]), interval + INTERVAL_MARKS.get(scores.marks[row], "")


def _print_classes(confusion_scores: ConfusionScores) -> None:
    slugs = list(dict.fromkeys(key.metric.partition("[")[0] for key in confusion_scores.class_keys))
    gold, predicted = confusion_scores.confusion.sum(axis=1), confusion_scores.confusion[:, :-1].sum(axis=0)
    rows = []
    for code, label in enumerate(confusion_scores.labels.shown):
        keys = [ScoreKey(metric_name(slug, (code,), confusion_scores.labels)) for slug in slugs]
        scores = [number(confusion_scores.values[confusion_scores.row_of[key]]) for key in keys]
        rows.append([visible(label, _LABEL_LIMIT), f"{gold[code]:,}", f"{predicted[code]:,}", *scores])
    print_table(["class", "gold", "predicted", *slugs], rows, numeric=frozenset(range(1, 3 + len(slugs))))


def gap_sentences(scores: ConfusionScores) -> list[str]:
    """Sentences on both macro F1s, their gap, and the classes that make it."""
    if math.isnan(scores.averaged_f1):
        return []
    digits = 3 if scores.gap == 0 or scores.gap >= 5e-4 else 6  # noqa: PLR2004 - what three decimals show
    both = f"averaged F1 {number(scores.averaged_f1, digits)}, F1 of averages {number(scores.f1_of_averages, digits)}"
    if not scores.gap_pairs:
        return [f"Macro F1 is {both}: the two are the same here."]
    sentences = [f"Macro F1 is two scores: {both}. They differ by Δ = {number(scores.gap, digits)}."]
    for place, pair in enumerate(scores.gap_pairs[:_PAIRS_SHOWN]):
        one, other = (quoted(label, _LABEL_LIMIT) for label in pair.labels)
        skew = " and ".join(_skew(scores, label) for label in pair.labels)
        relation = "of Δ comes from" if place == 0 else "from"
        sentences.append(f"{pair.share:.0%} {relation} {one} and {other}: precision / recall {skew}.")
    return sentences


def _skew(scores: ConfusionScores, label: str) -> str:
    code = scores.labels.code_of[label]
    column, row = scores.confusion[:, code].sum(), scores.confusion[code].sum()
    correct = scores.confusion[code, code]
    return f"{number(correct / column if column else 0.0)} / {number(correct / row)}"


def _say(sentence: str) -> None:
    console().print(Padding(Text(sentence), (0, 0, 0, 0), expand=False))
