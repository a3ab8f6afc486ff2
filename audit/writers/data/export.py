"""An evaluation as data for other programs: JSON and CSV."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from audit.domain import POLICY_KINDS, Entry, Evaluation, Feature, Flag, PairComparison, ScoreKey
from audit.findings.ranking_rows import FURTHER_COLUMNS, RankingRow, ranking_rows
from audit.metrics import spread_of
from audit.text import is_obeyed, without_marks
from audit.writers.data.certainty_data import certainty_document, power_document
from audit.writers.data.command_data import (
    elections_data,
    identification_data,
    macro_f1_data,
    map_data,
    properties_data,
)
from audit.writers.data.plain import (
    by_name,
    claim_data,
    nullable,
    picked,
    plain,
    ranks_among_all,
    reasons,
    sliced_data,
)

MOST_PAIRED = 200
"""Entries up to which matrices of all pairs stand in the JSON; beyond, pairs.csv of the export alone has them."""

_FORMULA_STARTS = ("'", "=", "+", "-", "@", "\t", "\r")


def evaluation_data(evaluation: Evaluation) -> dict[str, Any]:
    """The whole evaluation as plain data; undefined scores are None."""
    ranks = (ranks_taken(evaluation, key) for key in evaluation.keys)
    task = evaluation.task
    labels = evaluation.task.label_set
    shown_labels = tuple(labels)
    if not labels.supports(Feature.CLASSES):
        shown_labels = ()
    return {
        **picked(task, task="slug", title="title", note="note"),
        "signature": evaluation.signature,
        "items": evaluation.gold.n_items,
        "labels": list(shown_labels),
        "label_names": by_name(shown_labels, labels.named[: len(shown_labels)]),
        **picked(labels, scale="scale", rest_label="rest", other_label="other", kind="kind"),
        "units": evaluation.gold.n_units,
        "gold_items": by_name(
            shown_labels, evaluation.prevalence_counts.tolist()[: len(shown_labels)]
        ),
        **picked(task, "official_metric"),
        "policies": picked(task.policies, *POLICY_KINDS),
        "chosen_runs": [picked(chosen, "team", "run", "reason") for chosen in task.policies.chosen],
        **picked(task, "assumptions"),
        "teams": list(evaluation.names),
        "entries": [_entry_data(evaluation, team) for team in range(len(evaluation.entries))],
        "uncounted_runs": [
            picked(run, "team", "run", "role", "reason", file="path")
            for run in evaluation.uncounted
        ],
        "scores": by_name(
            evaluation.keys, (by_name(evaluation.names, plain(row)) for row in evaluation.values)
        ),
        "ranks": by_name(evaluation.keys, (by_name(evaluation.names, each) for each in ranks)),
        "spread_over_classes": spread_data(evaluation),
        "baselines": [
            {
                **picked(baseline, "slug", "title", "explanation"),
                "scores": by_name(evaluation.keys, plain(baseline.values)),
                "monte_carlo_errors": by_name(evaluation.keys, plain(baseline.standard_errors)),
            }
            for baseline in evaluation.baselines
        ],
        "agreement": {
            "metrics": list(map(str, evaluation.agreement.keys)),
            **picked(
                evaluation.agreement,
                "spearman",
                kendall_tau_b="kendall",
                equal_by_identity="identical",
            ),
        },
        "verdict": verdict_data(evaluation),
        "certainty": certainty_data(evaluation),
        "power": power_document(evaluation.power, evaluation.names),
        **findings_data(evaluation),
        "flags": [flag_data(flag) for flag in evaluation.flags],
        "rejected": [rejection.path for rejection in evaluation.rejections],
        "ignored": list(evaluation.ignored),
        "journal": [
            picked(step, "action", "subject", "text", "count") for step in evaluation.journal
        ],
    }


def spread_data(evaluation: Evaluation) -> list[dict[str, Any]]:
    """How far apart the class scores are behind each score that is a mean of them."""
    spreads = []
    for key in evaluation.keys:
        if (spread := spread_of(evaluation, key)) is not None:
            parts = picked(
                spread, standard_deviation="deviation", lowest="lowest", highest="highest"
            )
            of_entries = {name: by_name(evaluation.names, part) for name, part in parts.items()}
            spreads.append({"metric": str(key), **of_entries})
    return spreads


def verdict_data(evaluation: Evaluation) -> dict[str, Any]:
    """The verdict as plain data: who is the winner, what that depends on, and what to do before publication."""
    verdict = evaluation.verdict
    return {
        **claim_data(evaluation, verdict),
        "depends_on": [
            picked(each, "choice", "state", "first", "reason", "sentence")
            for each in verdict.depends_on
        ],
        "to_do": [picked(each, "about", "text") for each in verdict.to_do],
    }


def findings_data(evaluation: Evaluation) -> dict[str, Any]:
    """The audit's findings beyond the ranking, as plain data."""
    return {
        "macro_f1": evaluation.macro_f1 and macro_f1_data(evaluation.macro_f1, evaluation),
        "class_distributions": map_data(evaluation, evaluation.winner_map),
        "elections": elections_data(evaluation),
        "properties": properties_data(evaluation.task.label_set),
        "slices": [sliced_data(evaluation, sliced) for sliced in evaluation.slices],
        "published": evaluation.published and identification_data(evaluation.published),
    }


def _entry_data(evaluation: Evaluation, team: int) -> dict[str, Any]:
    """The team, run and role of an entry, and the number of items it is scored on."""
    entry = evaluation.entries[team]
    return {
        **picked(
            entry,
            "name",
            "team",
            "run",
            "role",
            "competes",
            missing="n_missing",
            unusable="n_unusable",
        ),
        "runs": [picked(run, "run", "role", file="path") for run in entry.runs],
        "items_scored": evaluation.gold.n_units - entry.n_dropped,
        **picked(entry.origin, "affiliation", "paper"),
    }


def ranking_data(evaluation: Evaluation, key: ScoreKey) -> dict[str, Any]:
    """The ranking by one metric, with the verdict, which is of the task's ranking metric, and the flags."""
    rows = ranking_rows(evaluation, key)
    row = evaluation.row(key)
    return {
        "task": evaluation.task.slug,
        "metric": str(key),
        "signature": evaluation.signature,
        "verdict": verdict_data(evaluation),
        "ranking": [_row_data(evaluation, key, rows[entry]) for entry in evaluation.order(key)],
        "baselines": [
            {
                **picked(baseline, "slug", "title"),
                "score": nullable(float(baseline.values[row])),
                "monte_carlo_error": nullable(float(baseline.standard_errors[row])),
            }
            for baseline in evaluation.baselines
        ],
        "flags": [flag_data(flag) for flag in evaluation.flags],
    }


def certainty_data(evaluation: Evaluation) -> dict[str, Any] | None:
    """Intervals of every score and every comparison of teams as plain data; None where the certainty was left out."""
    if evaluation.certainty is None:
        return None
    names = evaluation.names
    return certainty_document(
        evaluation.certainty, evaluation.keys, names, with_pairs=len(names) <= MOST_PAIRED
    )


def pair_data(pair: PairComparison) -> dict[str, Any]:
    """The comparison of two entries by one metric as plain data; undefined numbers are None."""
    numbers = (
        "scores",
        "difference",
        "standard_error",
        "half_width",
        "interval",
        "adjusted_p",
        "against_best",
        "ahead",
    )
    alone = "half_width_alone", "interval_alone"
    return picked(
        pair,
        "first",
        "second",
        *numbers,
        *alone,
        metric="key",
        randomization_p_alone="randomization_p",
    )


def _row_data(evaluation: Evaluation, key: ScoreKey, row: RankingRow) -> dict[str, Any]:
    """A row of the ranking; what was not computed has no field."""
    entry = evaluation.entries[row.entry]
    data: dict[str, Any] = {"rank": row.taken_rank, "team": row.name, "score": nullable(row.score)}
    if row.mark is not None:
        data["interval"] = plain([row.lower, row.upper])
        data["interval_is_corrected"] = row.is_corrected
        data |= reasons(row.lower, row.mark)
    if evaluation.certainty is not None and evaluation.certainty.comparison(key) is not None:
        if row.possible_ranks is None:
            data["possible_ranks"] = None
        else:
            data["possible_ranks"] = list(row.possible_ranks)
        data["could_be_best"] = row.could_be_best
    data |= picked(entry, unanswered="n_unanswered", role="role", competes="competes")
    data["would_be_rank"] = row.rank
    data["items_scored"] = evaluation.gold.n_units - entry.n_dropped
    further = {
        column.slug: nullable(value)
        for column, value in zip(FURTHER_COLUMNS, row.further, strict=True)
    }
    return data | further


def flag_data(flag: Flag) -> dict[str, Any]:
    """A flag as plain data."""
    return {
        **picked(flag, "slug", "sentence", "remedy", "paper", "evidence"),
        "severity": flag.severity.label,
    }


def to_json(data: object) -> str:
    """JSON text: keys in their order, Unicode as it stands; a line for each field, and for each row of numbers.

    Characters that a terminal obeys, or that nobody sees, are JSON's own escapes.
    JSON has no NaN and no infinity: an undefined number is null, wherever it stands.
    """
    return "".join((*_json_parts(data, "\n"), "\n"))


def _json_parts(value: object, start: str) -> Iterator[str]:
    """The text of a value as JSON with indented lines; one without list or object is left to the encoder in C."""
    inner = f"{start}  "
    if isinstance(value, dict) and value:
        for number, (name, part) in enumerate(value.items()):
            yield f"{',' if number else '{'}{inner}{_flat_json(str(name))}: "
            yield from _json_parts(part, inner)
        yield f"{start}}}"
    elif isinstance(value, (list, tuple)) and any(
        isinstance(part, (dict, list, tuple, str)) for part in value
    ):
        for number, part in enumerate(value):
            yield f"{',' if number else '['}{inner}"
            yield from _json_parts(part, inner)
        yield f"{start}]"
    else:
        yield _flat_json(value)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _flat_json(value: object) -> str:
    """The text of a value that holds no list and no object, or numbers alone."""
    text = _encoded(value)
    if text.isprintable():
        return text
    return "".join(map(_printable, text))


def _printable(character: str) -> str:
    """A character of JSON text; one that a terminal obeys as an escape."""
    if is_obeyed(character):
        return json.dumps(character)[1:-1]
    return character


def _encoded(value: object) -> str:
    try:
        return _encode(value)
    except ValueError:
        if isinstance(value, (list, tuple)):
            parts = value
        else:
            parts = [value]
        defined = [
            part if not isinstance(part, float) or math.isfinite(part) else None for part in parts
        ]
        return _encode(defined if parts is value else defined[0])


def scores_csv(evaluation: Evaluation, keys: Sequence[ScoreKey], by: ScoreKey) -> str:
    """Scores as CSV: a row for each team in the order of one metric, its rank first, undefined scores empty."""
    heads = "rank", "team", *map(str, keys), "unanswered", "role", "items_scored", "runs"
    columns = [evaluation.scores_of(key).tolist() for key in keys]
    n_items = evaluation.gold.n_units
    lines: list[Sequence[object]] = []
    ranks = ranks_taken(evaluation, by)
    for team in evaluation.order(by):
        entry = evaluation.entries[team]
        values = (column[team] for column in columns)
        about = entry.n_unanswered, entry.role.value, n_items - entry.n_dropped, run_names(entry)
        lines.append((ranks[team], entry.name, *values, *about))
    rows = [evaluation.row(key) for key in keys]
    computed = (
        (each.title, *each.values[rows].tolist(), None, "computed", n_items)
        for each in evaluation.baselines
    )
    return csv_table(heads, [*lines, *((None, *row, None) for row in computed)])


def run_names(entry: Entry) -> str:
    """The names of the runs of a row; nothing where they have none."""
    return "; ".join(run.run for run in entry.runs if run.run)


class _Lines(list[str]):
    """Lines as the writer of the standard library hands them over, with the ends that they have here."""

    def write(self, line: str) -> None:
        """Take a line."""
        self.append(line.removesuffix("\r\n") + "\n")


def csv_table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV: numbers with every digit, nothing for one that is undefined, and texts that are safe to open."""
    lines = _Lines()
    # What stands in the line terminator is quoted in cells: with this one a carriage return as well as a line feed.
    csv.writer(lines, lineterminator="\r\n").writerows(
        map(_csv_cell, row) for row in chain([heads], rows)
    )
    return "".join(lines)


def _csv_cell(value: object) -> object:
    if isinstance(value, str):
        return csv_text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


@lru_cache(maxsize=4096)
def csv_text(text: str) -> str:
    """Text for a CSV cell that no spreadsheet takes for a formula and no terminal for a command."""
    shown = without_marks(text)
    if shown.startswith(_FORMULA_STARTS):
        return f"'{shown}"
    return shown


def ranks_taken(evaluation: Evaluation, key: ScoreKey) -> list[int | None]:
    """Every team's rank; None where its score is undefined or it takes none."""
    return ranks_among_all(evaluation, evaluation.scores_of(key), evaluation.ranks_of(key))
