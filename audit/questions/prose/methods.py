"""What was scored and tested, and how, as a methods section says it."""

from collections.abc import Iterator
from dataclasses import dataclass

from audit.domain import Evaluation, Role
from audit.metrics import named_metric, phrase, without_rest
from audit.questions.prose.procedure import procedure_sentences
from audit.questions.prose.setting import Setting
from audit.questions.wording import runs_counted
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
    setting: Setting  # how sentences are set

    def sentences(self) -> Iterator[str]:
        """All sentences of the methods, in the order in which a paper says them."""
        metric = self.setting.text(phrase(self.evaluation.task.ranking_metric, self.evaluation.task.label_set))
        parts = [
            self._data(),
            f"The ranking is by {metric}{self._official()}, on full precision; equal scores share a rank.",
            self._rest(),
            self._runs(),
            self._unranked_entries(),
            self._unanswered(),
            *procedure_sentences(self.evaluation, self.setting),
            f"All numbers were computed with {software()}.",
        ]
        yield from filter(None, parts)

    def _data(self) -> str:
        evaluation = self.evaluation
        n_teams = len({entry.team for entry in evaluation.entries if entry.competes})
        runs = runs_counted(evaluation)
        classes = plural(int(evaluation.present.sum()), "class", "classes")
        return (
            f"The test set has {plural(evaluation.gold.n_items, 'item')} of {classes}; "
            f"{plural(n_teams, 'team')} took part{f' with {runs}' if runs else ''}."
        )

    def _rest(self) -> str:
        clause = without_rest(self.evaluation.task.label_set)
        return self.setting.text(f"{sentence_case(clause)}.") if clause else ""

    def _official(self) -> str:
        return ", the official metric" if self.evaluation.task.official_metric else ""

    def _runs(self) -> str:
        """A sentence on which of a team's runs stand in the tables, where there were more."""
        policies, several = self.evaluation.task.policies, bool(self.evaluation.uncounted)
        return _RUNS.get(policies.runs, "") if several else ""

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
