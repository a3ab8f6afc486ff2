"""Scores as Codabench takes them: one flat object of numbers for each submission, and the leaderboard to show them in.

Codabench reads ``scores.json`` from a scoring program's output folder and shows the keys that a leaderboard's columns
name, at most 36 characters each; the first column ranks. A ``detailed_results.html`` beside it would be served to
anybody: none is written, because every report prints gold's class sizes.
"""

import json
import math
import re

from audit.domain import Evaluation, ScoreKey
from audit.writers.data.export import to_json
from audit.writers.latex.tex_names import unique_keys

_LONGEST_KEY = 36
_LONGEST_FOLDER = 100  # characters, of which no file system takes more than 255


def codabench_files(evaluation: Evaluation) -> dict[str, bytes]:
    """``TEAMKEY/scores.json`` for each entry, and ``leaderboard.yaml``.

    An undefined score is left out: Codabench takes numbers only.
    """
    first = evaluation.task.ranking_metric
    order = sorted(range(len(evaluation.keys)), key=lambda row: evaluation.keys[row] != first)
    columns = dict(zip(order, _column_keys([evaluation.keys[row] for row in order]), strict=True))
    files = {"leaderboard.yaml": _leaderboard(columns, evaluation).encode()}
    folders = unique_keys([key[:_LONGEST_FOLDER] for key in unique_keys(evaluation.names)])
    for folder, values in zip(folders, evaluation.values.T.tolist(), strict=True):
        scores = {columns[row]: values[row] for row in order if not math.isnan(values[row])}
        files[f"{folder}/scores.json"] = to_json(scores).encode()
    return files


def _column_keys(keys: list[ScoreKey]) -> list[str]:
    """A key for every score, of ASCII letters, digits and underscores, short enough and each once.

    Examples
    --------
    >>> _column_keys([ScoreKey("averaged_f1"), ScoreKey("averaged_f1", "balanced"), ScoreKey("recall[a b]")])
    ['averaged_f1', 'averaged_f1_balanced', 'recall_a_b']
    """
    taken: dict[str, None] = {}
    for key in keys:
        spelt = str(key).replace("~", "_balanced").replace("@", "_at_")
        plain = re.sub(r"[^A-Za-z0-9]+", "_", spelt).strip("_")[:_LONGEST_KEY]
        number, name = 1, plain
        while name in taken:
            number += 1
            name = f"{plain[: _LONGEST_KEY - len(str(number)) - 1]}_{number}"
        taken[name] = None
    return list(taken)


def _leaderboard(columns: dict[int, str], evaluation: Evaluation) -> str:
    """The part of a competition.yaml that shows the scores by their rows, the ranking metric first."""
    decimals = evaluation.task.printed_decimals
    lines = ["leaderboards:", "  - title: Results", "    key: main", "    columns:"]
    for index, (row, key) in enumerate(columns.items()):
        shown, falls = json.dumps(key), evaluation.keys[row].metric in evaluation.scales
        lines += [f"      - title: {shown}", f"        key: {shown}", f"        index: {index}"]
        lines += [f"        sorting: {'asc' if falls else 'desc'}", f"        precision: {decimals}"]
    return "\n".join(lines) + "\n"
