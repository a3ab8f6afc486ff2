"""What was scored and tested, and how, as a methods section says it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from audit.domain import Certainty, Evaluation, Role
from audit.inference.weighted import N_WEIGHTS
from audit.metrics import named_metric, phrase, without_rest
from audit.questions.comparisons import ranking_comparison
from audit.questions.interval_reasons import covariance_of, is_bounded
from audit.questions.prose.setting import Plain
from audit.questions.wording import gold_counted, labels_counted, runs_counted
from audit.text import agreeing, listed, plural, sentence_case
from audit.version import versions

_RUNS = {
    "primary": "Of several runs of a team, the primary one counts.",
    "last": "Of several runs of a team, the last one by name counts.",
    "best": "Of several runs of a team, the best by the ranking metric counts, which favours teams with many.",
}


@dataclass(frozen=True)
class Methods:
    """The methods of one evaluation, as TeX or as plain text."""

    evaluation: Evaluation  # what was computed
    setting: Plain  # how sentences are set

    def sentences(self) -> Iterator[str]:
        """All sentences of the methods, in the order in which a paper says them."""
        task, without = self.evaluation.task, without_rest(self.evaluation.task.label_set)
        metric = self.setting.text(phrase(task.ranking_metric, task.label_set))
        official = ", the official metric" if task.official_metric else ""
        parts = [
            self._data(),
            f"The ranking is by {metric}{official}, on full precision; equal scores share a rank.",
            self.setting.text(f"{sentence_case(without)}.") if without else "",
            _RUNS.get(task.policies.runs, "") if self.evaluation.uncounted else "",
            self._unranked_entries(),
            self._unanswered(),
            *_procedure(self.evaluation, self.setting),
            f"All numbers were computed with {software()}.",
        ]
        yield from filter(None, parts)

    def _data(self) -> str:
        evaluation = self.evaluation
        n_teams = len({entry.team for entry in evaluation.entries if entry.competes})
        runs = runs_counted(evaluation)
        return (
            f"The test set has {listed(gold_counted(evaluation))} of {labels_counted(evaluation)}; "
            f"{plural(n_teams, 'team')} took part{f' with {runs}' if runs else ''}."
        )

    def _unranked_entries(self) -> str:
        """A sentence on the entries that stand in the tables and take no rank."""
        beside = [entry for entry in self.evaluation.entries if not entry.competes]
        baselines = sum(entry.role is Role.BASELINE for entry in beside)
        others = len(beside) - baselines
        roles = listed(sorted({entry.role.value for entry in beside if entry.role is not Role.BASELINE}), "or")
        counted = [plural(baselines, "baseline")] * bool(baselines) + [f"{others:,} {roles}"] * bool(others)
        if not counted:
            return ""
        verb = agreeing(len(beside), "stands", "stand")
        noun = "" if not others else " submission" if others == 1 else " submissions"
        takes = "takes" if len(beside) == 1 else "take"
        return f"Beside the ranking {verb} {listed(counted)}{noun}, which {takes} no rank."

    def _unanswered(self) -> str:
        policies = self.evaluation.task.policies
        if policies.missing == policies.unusable == "reject":
            return "Only submissions with a usable answer to every item were accepted."
        missing = {
            "wrong": "Items without an answer count as wrong",
            "drop": "Items without an answer are left out of the score of the submission that lacks them, which is "
            "then compared with no other",
            "reject": "Only submissions with an answer to every item were accepted",
        }[policies.missing]
        unusable = {
            "wrong": "answers outside the label set count as wrong",
            "reject": "submissions with an answer outside the label set were not accepted",
        }[policies.unusable]
        if policies.missing == policies.unusable:
            return f"Items without a usable answer count as wrong{self._exceptions()}."
        return f"{missing}; {unusable}{self._exceptions()}."

    def _exceptions(self) -> str:
        """A clause with the score that counts such items in another way, where the ranking is by it."""
        key, labels = self.evaluation.task.ranking_metric, self.evaluation.task.label_set
        heeds = named_metric(key.metric, labels).heeds_abstention
        return f", but {phrase(key, labels)} heeds them in its own way" if heeds else ""


def software() -> str:
    """The versions of the software that computed the numbers."""
    names = {"Python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
    version_of = versions()
    return f"audit {version_of['audit']} ({', '.join(f'{shown} {version_of[name]}' for name, shown in names.items())})"


_PAIR = 2


def _procedure(evaluation: Evaluation, setting: Plain) -> Iterator[str]:
    """The sentences, with their references; none where the certainty was left out."""
    certainty = evaluation.certainty
    if certainty is None:
        return
    yield _population(certainty, setting)
    yield setting.sentence(
        "paper-intervals",
        delta=setting.cited("takahashi-etal-2022-confidence"),
        pseudo=setting.cited("agresti-coull-1998-approximate", "price-bonett-2004-improved"),
        wilson=setting.cited("korn-graubard-1998-confidence", "franco-etal-2019-comparative"),
    )
    if evaluation.item_scores is not None:
        yield setting.sentence("paper-item-scores", delong=setting.cited("delong-etal-1988-comparing"))
        yield setting.sentence(
            "paper-item-weights",
            draws=f"{N_WEIGHTS:,}",
            unit="item" if certainty.n_groups is None else "group of items",
            rubin=setting.cited("rubin-1981-bayesian"),
            seed=certainty.seed,
            boyd=setting.cited("boyd-etal-2013-area"),
        )
    if named_metric(evaluation.task.ranking_metric.metric, evaluation.task.label_set).is_mean_with_item_scores:
        yield setting.sentence("mean-with-item-scores")
    if certainty.n_groups is not None and certainty.n_groups > 1:
        yield setting.sentence("paper-design-effect", freedom=f"{certainty.n_groups - 1:,}")
    if certainty.intervals.marks[evaluation.row(evaluation.task.ranking_metric)].any():
        yield setting.sentence("paper-unmarked")
    yield from _comparison(evaluation, certainty, setting)
    if certainty.resampled is not None:
        n_replicates = f"{certainty.resampled.n_replicates:,}"
        yield setting.sentence(
            "paper-replicates", n=n_replicates, bootstrap=setting.cited("efron-tibshirani-1993-bootstrap")
        )
    yield setting.sentence("paper-not-covered")


def _population(certainty: Certainty, setting: Plain) -> str:
    """The population that the items are taken to be drawn from."""
    if certainty.stratified:
        return setting.sentence("paper-stratified")
    if certainty.n_groups is not None:
        return setting.sentence("paper-groups", n=f"{certainty.n_groups:,}")
    return setting.sentence("population")


def _comparison(evaluation: Evaluation, certainty: Certainty, setting: Plain) -> Iterator[str]:
    """How pairs were compared, and what follows from it."""
    comparison, n_compared = ranking_comparison(evaluation), int(evaluation.comparable.sum())
    if comparison is None or n_compared < _PAIR:
        return
    drawn = {
        "draws": f"{comparison.n_draws:,}",
        "seed": certainty.seed,
        "distribution": "the normal distribution" if certainty.n_groups is None else _student(certainty.n_groups),
        "covariance": covariance_of(comparison.key),
    }
    if n_compared == _PAIR:
        yield setting.sentence("paper-procedure-pair", **drawn)
    else:
        pairs = f"{math.comb(n_compared, 2):,}"
        yield setting.sentence(
            "paper-procedure", stepdown=setting.cited("romano-wolf-2005-exact"), pairs=pairs, **drawn
        )
    yield setting.sentence("paper-possible-ranks", ranks=setting.cited("mogstad-etal-2024-inference"))
    if comparison.uncertain.any():
        yield setting.sentence("paper-uncertain")
    if is_bounded(evaluation, comparison):
        yield setting.sentence("paper-never-predicted")
    yield setting.sentence("paper-best-set", best=setting.cited("hsu-1984-constrained"))
    yield setting.sentence("paper-leader", leader=setting.cited("zrnic-fithian-2024-locally"))


def _student(n_groups: int) -> str:
    return f"Student's distribution ({plural(n_groups - 1, 'degree')} of freedom)"
