"""Campaigns that together make page and terminal say everything that they can, and the texts that they can say."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import audit
from audit.domain import (
    Campaign,
    Evaluation,
    Gold,
    LabelSet,
    Options,
    Policies,
    Role,
    ScoreKey,
    Submission,
    Task,
    UncountedRun,
    code_dtype,
)
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples


def pattern_of(template: str) -> re.Pattern[str]:
    """A pattern that a sentence matches once names and numbers are filled in."""
    return re.compile(".+?".join(map(re.escape, re.split(r"\{\w+\}", template))), re.DOTALL)


def templates(*modules: str, imported: bool = True) -> set[str]:
    """The texts that modules give to ``say``, or those of all; names and numbers stand in braces.

    Those that are said once, while a module is imported, can be left out.
    """
    found = set()
    for name, tree in _trees():
        if not modules or name in modules:
            once = [each for each in tree.body if not isinstance(each, ast.FunctionDef)]
            left_out = set() if imported else {call for each in once for call in _calls(each)}
            found |= {
                text
                for call in _calls(tree)
                if call not in left_out
                for text in _texts(call.args[0])
            }
    return found


_ROOMS = ("findings", "report", "web", "workflow", "writers")


@cache
def _trees() -> list[tuple[str, ast.Module]]:
    """Every module of the rooms that say something, with its name: some have the same in two rooms."""
    folder = Path(audit.__file__).parent
    files = [path for room in _ROOMS for path in sorted((folder / room).rglob("*.py"))]
    return [
        (path.stem, ast.parse(path.read_text(encoding="utf-8")))
        for path in [*files, folder / "vocabulary.py"]
    ]


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    calls = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    return (call for call in calls if call.func.id == "say")


@cache
def _constants() -> dict[str, list[str]]:
    """The texts in every constant of a module, by its name."""
    constants = {}
    for _, tree in _trees():
        for node in tree.body:
            for target in getattr(node, "targets", [getattr(node, "target", None)]):
                if isinstance(target, ast.Name) and target.id.isupper():
                    value = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
                    constants[target.id] = [
                        each.value
                        for each in value
                        if isinstance(getattr(each, "value", None), str)
                    ]
    return constants


def _texts(node: ast.expr) -> list[str]:
    """Each text that an expression can be: that of a constant where it names one."""
    if isinstance(node, ast.JoinedStr):
        wholes = [""]
        for part in node.values:
            pieces = [part.value] if isinstance(part, ast.Constant) else _texts(part.value)
            wholes = [whole + piece for whole in wholes for piece in pieces]
        return wholes
    name = node.value if isinstance(node, ast.Subscript) else node
    named = _constants().get(name.id, []) if isinstance(name, ast.Name) else []
    return [node.value] if isinstance(node, ast.Constant) else named or ["{_}"]


def sample(name: str, options: Options | None = None) -> Evaluation:
    """A sample campaign, as it is in its folder."""
    return evaluate(read_campaign(samples() / name), options)


def noisy(
    seed: int, n_items: int, recalls: list[float], n_classes: int = 3, **settings: object
) -> Evaluation:
    """Teams that answer right as often as is said, and otherwise with any class."""
    gold, teams = _drawn(seed, n_items, recalls, n_classes)
    return audit.evaluate(gold, teams, **settings)


def _drawn(
    seed: int, n_items: int, recalls: list[float], n_classes: int
) -> tuple[list[str], dict[str, list[str | None]]]:
    rng = np.random.default_rng(seed)
    gold = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_items - n_classes)])
    right = (rng.random(n_items) < recall for recall in recalls)
    answers = [np.where(there, gold, rng.integers(0, n_classes, n_items)) for there in right]
    names = [f"team {number}" for number in range(len(recalls))]
    return [f"c{code}" for code in gold], {
        name: [f"c{code}" for code in row] for name, row in zip(names, answers, strict=True)
    }


def of_confusions(confusions: dict[str, list[list[int]]], **settings: object) -> Evaluation:
    """Submissions with these confusions, gold × predicted."""
    letters = "abcdefgh"
    sizes = [sum(row) for row in next(iter(confusions.values()))]
    gold = [letter for letter, size in zip(letters, sizes, strict=False) for _ in range(size)]
    teams = {
        team: [
            letter
            for row in rows
            for letter, n in zip(letters, row, strict=False)
            for _ in range(n)
        ]
        for team, rows in confusions.items()
    }
    return audit.evaluate(gold, teams, **settings)


def of_codes(
    gold: np.ndarray,
    teams: dict[str, np.ndarray],
    roles: dict[str, Role] | None = None,
    **task: object,
) -> Evaluation:
    """Submissions as codes, with roles and policies; the code after the last class is a missing item."""
    n_classes = int(gold.max()) + 1
    labels, dtype = LabelSet(tuple(f"c{code}" for code in range(n_classes))), code_dtype(n_classes)
    submissions = tuple(
        Submission(name, codes.astype(dtype), role=(roles or {}).get(name, Role.PRIMARY))
        for name, codes in teams.items()
    )
    return evaluate(
        Campaign(Task("t", "T", labels, **task), Gold(labels, gold.astype(dtype)), submissions)
    )


def dropped() -> Evaluation:
    """The winner, and one other, leave missing items out; a baseline stands beside."""
    rng = np.random.default_rng(5)
    gold = np.arange(120) % 2
    teams = {
        name: np.where(rng.random(120) < recall, gold, 1 - gold)
        for name, recall in _RECALLS.items()
    }
    teams["Short"] = np.where(np.arange(120) < 90, gold, 2)
    return of_codes(gold, teams, {"Base": Role.BASELINE}, policies=Policies(missing="drop"))


_RECALLS = {"Base": 0.5, "Ann": 0.8, "Ben": 0.78}


def never_predicted() -> Evaluation:
    """One of six teams never predicts the rarest class, and is good at the others."""
    rng = np.random.default_rng(8)
    gold = np.concatenate([np.arange(4), rng.choice(4, 596, p=[0.5, 0.3, 0.17, 0.03])])
    recalls = {
        f"team {number}": recall for number, recall in enumerate((0.95, 0.93, 0.8, 0.65, 0.5))
    }
    teams = {
        name: np.where(rng.random(600) < recall, gold, rng.integers(0, 4, 600))
        for name, recall in recalls.items()
    }
    teams["narrow"] = np.where(rng.random(600) < 0.95, gold, rng.integers(0, 3, 600)) % 3
    return of_codes(gold, teams, official_metric=ScoreKey("f1_of_averages"))


def alone_where_pairs_are_open(*, uncertain: bool) -> Evaluation:
    """Who is alone in the confidence set is ahead of each, whatever the p of all pairs are; of an unsure one, too."""
    found = noisy(4, 600, [0.95, 0.5], 2)
    comparison, *others = found.certainty.comparisons
    best = np.arange(2) == comparison.leader
    changed = replace(
        comparison,
        ahead=best[:, None] & ~best,
        could_be_best=best,
        adjusted_p=np.full((2, 2), 0.2),
        uncertain=~best & uncertain,
    )
    return found.given(certainty=replace(found.certainty, comparisons=(changed, *others)))


def best_of_runs() -> Evaluation:
    """The best of three runs counts."""
    found = noisy(6, 200, [0.8, 0.7])
    runs = tuple(
        UncountedRun("team 0", str(run), None, Role.CONTRASTIVE, "not the best") for run in range(2)
    )
    return replace(found, task=replace(found.task, policies=Policies(runs="best")), uncounted=runs)


def cut_in_two(large: tuple[int, ...], small: tuple[int, ...], **settings: object) -> Evaluation:
    """Two or three teams that get so many right of 60 items and of 20 others."""
    sizes, teams = (60, 20), {}
    for name, rights in zip(("Ann", "Ben", "Cid"), zip(large, small, strict=True), strict=False):
        parts = zip(sizes, rights, strict=True)
        teams[name] = [
            str((place + (place >= right)) % 2) for size, right in parts for place in range(size)
        ]
    gold = [str(place % 2) for size in sizes for place in range(size)]
    slices = {"size": ["large"] * sizes[0] + ["small"] * sizes[1]}
    return audit.evaluate(gold, teams, slices=slices, official_metric="accuracy", **settings)


def with_item_scores(official_metric: str, **settings: object) -> Evaluation:
    """Three teams that give a score to every item, at half of the scale the one label or the other."""
    rng = np.random.default_rng(12)
    positive = rng.random(120) < 0.4
    given = {
        f"team {n}": rng.normal(far * (positive - 0.5)) for n, far in enumerate((3.0, 2.0, 1.0))
    }
    scores = {team: 1 / (1 + np.exp(-values)) for team, values in given.items()}
    teams = {team: np.where(values > 0.5, "yes", "no") for team, values in scores.items()}
    gold = np.where(positive, "yes", "no")
    kept = {"item_scores": scores, "scored_label": "yes"}
    return audit.evaluate(gold, teams, official_metric=official_metric, **kept, **settings)


BLIND, EAGER = [[200, 200], [2000, 2000]], [[400, 0], [3600, 400]]
EVEN, SKEWED = [[5, 5], [10, 10]], [[1, 9], [1, 19]]
X, Y, Z = [[1800, 0], [100, 100]], [[1530, 270], [0, 200]], [[1800, 0], [0, 200]]

CAMPAIGNS = {
    "flood-posts": lambda: sample("flood-posts"),
    "semeval2017": lambda: sample("semeval2017-task4a"),
    "no certainty": lambda: sample("flood-posts", Options(certainty=False)),
    "few items": lambda: noisy(1, 60, [0.9, 0.8, 0.7], 8),
    "groups": lambda: noisy(2, 300, [0.8, 0.7, 0.4], groups=np.arange(300) // 3),
    "few groups": lambda: noisy(2, 300, [0.8, 0.7, 0.4], groups=np.arange(300) % 12),
    "one group": lambda: noisy(2, 60, [0.8, 0.7], groups=np.zeros(60, int)),
    "stratified": lambda: noisy(3, 300, [0.8, 0.5], stratified=True),
    "clear": lambda: noisy(4, 3000, [0.9, 0.7, 0.5], official_metric="accuracy"),
    "rare class": lambda: noisy(4, 90, [0.9, 0.7], 25),
    "few hits": lambda: noisy(4, 400, [0.4, 0.3], 20, official_metric="harmonic_macro_recall"),
    "cut": lambda: noisy(6, 300, [0.8, 0.8, 0.5], slices={"third": np.arange(300) // 100}),
    "cut, really": lambda: cut_in_two((55, 30), (0, 20)),
    "cut, not told apart": lambda: cut_in_two((50, 30), (14, 15)),
    "cut, not tested": lambda: cut_in_two((50, 30), (14, 15), certainty=False),
    "cut, holds": lambda: cut_in_two((50, 30), (18, 12)),
    "cut, nobody ahead": lambda: cut_in_two((50, 45), (10, 15)),
    "cut, all alike": lambda: cut_in_two((50, 50), (10, 10)),
    "scores of items": lambda: with_item_scores("auc"),
    "a mean with scores of items": lambda: with_item_scores("mean(averaged_f1,auc)"),
    "average precision": lambda: with_item_scores("average_precision"),
    "mean of ranks": lambda: noisy(
        6, 200, [0.8, 0.7], official_metric="mean_rank(averaged_f1,accuracy)"
    ),
    "one team": lambda: noisy(5, 60, [0.8]),
    "alone, where pairs are open": lambda: alone_where_pairs_are_open(uncertain=False),
    "alone, beside an imprecise one": lambda: alone_where_pairs_are_open(uncertain=True),
    "near a baseline": lambda: of_confusions(
        {"X": [[55, 5], [33, 7]], "Y": [[40, 20], [30, 10]]}, official_metric="accuracy"
    ),
    "class of one item": lambda: of_confusions({"X": [[50, 9], [0, 1]], "Y": [[40, 19], [0, 1]]}),
    "a half of the scale with few answers": lambda: of_confusions(
        {
            "X": (
                30 * np.eye(5, dtype=int) + np.outer(np.eye(5, dtype=int)[4], [0, 0, 0, 27, -27])
            ).tolist(),
            "Y": (30 * np.eye(5, dtype=int)).tolist(),
        },
        labels=list("abcde"),
        scale=True,
        official_metric="kappa[abcd|e]",
    ),
    "identical": lambda: of_confusions({"X": EVEN, "Y": EVEN}),
    "macro F1s": lambda: of_confusions({"X": BLIND, "Y": EAGER}),
    "macro F1s behind the first": lambda: of_confusions(
        {"X": BLIND, "Y": EAGER, "Z": [[399, 1], [1, 3999]]}
    ),
    "the papers' macro F1s": lambda: of_confusions({"X": EVEN, "Y": SKEWED}),
    "prevalence": lambda: of_confusions({"X": X, "Y": Y}, official_metric="accuracy"),
    "several change order": lambda: of_confusions(
        {"X": X, "Y": Y, "Y2": Y, "Z": Z}, official_metric="accuracy"
    ),
    "barely": lambda: of_confusions(
        {"X": [[33, 27], [18, 42]], "Y": [[34, 26], [25, 35]], "Z": [[33, 27], [26, 34]]},
        official_metric="accuracy",
    ),
    "shared": lambda: of_confusions(
        {"X": [[9, 1], [2, 8]], "Y": [[8, 2], [1, 9]], "Z": [[5, 5], [5, 5]]},
        official_metric="accuracy",
    ),
    "shared, and not by another metric": lambda: of_confusions(
        {"A": [[50, 10], [10, 30]], "B": [[55, 5], [15, 25]], "C": [[40, 20], [20, 20]]},
        official_metric="accuracy",
    ),
    "shared, and not in a part": lambda: cut_in_two((50, 45, 30), (10, 15, 10)),
    "first alone, and shared where classes are equal": lambda: of_confusions(
        {"A": [[54, 6], [14, 26]], "B": [[51, 9], [12, 28]], "C": [[40, 20], [20, 20]]},
        official_metric="accuracy",
    ),
    "shared, not compared": lambda: of_confusions(
        {"X": [[9, 1], [2, 8]], "Y": [[8, 2], [1, 9]], "Z": [[5, 5], [5, 5]]},
        official_metric="accuracy",
        certainty=False,
    ),
    "nobody scored": lambda: audit.evaluate(
        list("aabb"),
        {"X": list("aaaa"), "Y": list("aaba")},
        labels=list("abc"),
        official_metric="recall[c]",
    ),
    "shared by one macro F1": lambda: of_confusions(
        {"X": [[2, 0], [2, 1]], "Y": [[1, 1], [1, 2]], "W": [[1, 1], [2, 1]]}
    ),
    "nothing right": lambda: audit.evaluate(
        list("aaab"), {"X": list("aaaa"), "Y": list("aaba")}, official_metric="recall[b]"
    ),
    "dropped": dropped,
    "never predicted": never_predicted,
    "best of runs": best_of_runs,
    "many teams": lambda: noisy(7, 200, np.linspace(0.9, 0.4, 61).tolist()),
}
