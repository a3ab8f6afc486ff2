r"""Every number by one look-up, ``\auditnum{team}{metric}{what}``: text and table cannot disagree."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, count

import numpy as np

from audit.domain import Evaluation, Role, ScoreKey
from audit.errors import InputError, Issue
from audit.findings.comparisons import comparison_of
from audit.findings.shown_intervals import possible_ranks_text, shown_intervals
from audit.findings.wording import ranked_teams, shown_name
from audit.ranking.ranks import printed_ranks
from audit.report.printing import marks, printing, runs_in_row
from audit.text import distinct, visible
from audit.text import number as printed_number
from audit.writers.latex.tex import needs_lualatex, tex, text_width

_WHOLE = 10_000
_MOST_LETTERS = 100  # characters that the widest column holds
_SHORTEST = 4  # characters of a name that still say something
_FOR_LABELS = "export for LuaLaTeX: --engine lualatex"


@dataclass(frozen=True)
class Names:
    """The names of the entries in the files of one export."""

    evaluation: Evaluation
    latex: Mapping[str, str]  # TeX for names that the organiser wrote by hand, by team

    def cell(self, entry: int, room: float) -> str:
        """The name as it stands in a table: short enough, a baseline in italics, with the marks of the page behind."""
        value = self.evaluation.entries[entry]
        by_hand = self._by_hand(entry)
        if by_hand is None:
            name = tex(self._shown(room)[entry])
        else:
            name = by_hand
        if value.role is Role.BASELINE:
            name = rf"\textit{{{name}}}"
        return name + tex(runs_in_row(value) + marks(value))

    def said(self, text: str) -> str:
        """A text as TeX, with the names that were written by hand in place of those that it says."""
        by_hand = {entry: self._by_hand(entry) for entry in range(len(self.evaluation.entries))}
        written = {
            shown_name(self.evaluation, entry): latex
            for entry, latex in by_hand.items()
            if latex is not None
        }
        if not written:
            return tex(text)
        longest_first = sorted(written, key=len, reverse=True)
        pieces = re.split(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)", text)
        return "".join(
            written[piece] if place % 2 else tex(piece) for place, piece in enumerate(pieces)
        )

    def shortened(self, entries: Sequence[int], room: float) -> list[int]:
        """The entries whose names a column of this width cuts."""
        shown = self._shown(room)
        names = self.evaluation.names
        return [
            entry
            for entry in entries
            if self._by_hand(entry) is None and shown[entry] != visible(names[entry], _WHOLE)
        ]

    def _by_hand(self, entry: int) -> str | None:
        value = self.evaluation.entries[entry]
        latex = self.latex.get(value.team)
        if value.name != value.team and value.run:
            run = f"/{value.run}"
        else:
            run = ""
        if latex is None:
            return None
        return latex + tex(run)

    def _shown(self, room: float) -> tuple[str, ...]:
        """Every name as it fits a column of this width, beside the marks of any."""
        marked = max(
            text_width(runs_in_row(entry) + marks(entry)) for entry in self.evaluation.entries
        )
        return _fitting(self.evaluation.names, room - marked)

    def check(self, engine: str) -> None:
        """Refuse names that the engine cannot set."""
        if engine != "pdflatex":
            return
        teams = dict.fromkeys(entry.team for entry in self.evaluation.entries)
        unsettable = [
            *(("team", name, None) for name in teams if needs_lualatex(self.latex.get(name, name))),
            *(
                ("label", name, _FOR_LABELS)
                for name in self.evaluation.task.label_set.named
                if needs_lualatex(name)
            ),
        ]
        if unsettable:
            raise InputError(
                Issue.of(
                    "unsettable-name",
                    "the export",
                    f"the {kind} {visible(name, 60)}",
                    remedy=remedy,
                )
                for kind, name, remedy in unsettable
            )


@cache
def _fitting(names: tuple[str, ...], room: float) -> tuple[str, ...]:
    """Every name, as much of it as fits the room, and none like another."""
    shortened = (distinct(names, limit) for limit in range(_MOST_LETTERS, _SHORTEST, -1))
    fitting = (shown for shown in shortened if max(map(text_width, shown)) <= room)
    return next(fitting, distinct(names, _SHORTEST))


def key_of(text: str) -> str:
    """A name as it is looked up in TeX: ASCII letters, digits and hyphens."""
    spelt = text.replace("~", "-balanced").replace("@", "-at-")
    ascii_only = (
        unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode("ascii").lower()
    )
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-") or "x"


def unique_keys(names: Sequence[str]) -> list[str]:
    """A key for every name; where two would be the same, a number tells them apart, in order."""
    keys: dict[str, None] = {}
    for name in names:
        key = key_of(name)
        numbered = (key if number == 1 else f"{key}-{number}" for number in count(1))
        keys[next(each for each in numbered if each not in keys)] = None
    return list(keys)


_HEAD = r"""% Look-ups: \auditnum{TEAM}{METRIC}{WHAT}, where WHAT is score, rank, lower, upper (of the 95% interval; the
% leader's is corrected for selection), possibleranks, couldbebest (yes or no: in the 95% confidence set for the best
% team) or p (adjusted, of the leader against this team), and \auditfact{WHAT}. TEAM and METRIC are listed below; what
% does not exist is an error.
\makeatletter
\newcommand\audit@none[3]{\PackageError{audit}{There is no number #1, #2, #3}%
  {The keys stand at the top of numbers.tex.}}
\newcommand\auditnum[3]{\@ifundefined{audit@#1@#2}{\audit@none{#1}{#2}{#3}}%
  {\@ifundefined{audit@find@#3}{\audit@none{#1}{#2}{#3}}%
    {\csname audit@find@#3\expandafter\expandafter\expandafter\endcsname\csname audit@#1@#2\endcsname
      #3:\audit@none{#1}{#2}{#3};\audit@end}}}
\newcommand\auditfact[1]{\@ifundefined{audit@fact@#1}%
  {\PackageError{audit}{There is no fact #1}{The facts stand at the end of numbers.tex.}}%
  {\csname audit@fact@#1\endcsname}}
\newcommand\audit@set[3]{\expandafter\def\csname audit@#1@#2\endcsname{#3}}
\newcommand\audit@finds[1]{\expandafter\def\csname audit@find@#1\endcsname##1;#1:##2;##3\audit@end{##2}}
"""
_WHATS = ("score", "rank", "lower", "upper", "possibleranks", "couldbebest", "p")


def numbers_tex(evaluation: Evaluation) -> str:
    """The file of look-ups."""
    teams = unique_keys(evaluation.names)
    metrics = unique_keys([str(key) for key in evaluation.keys])
    listing = [
        *(
            f"%   {key}: {visible(name, 200)}"
            for key, name in zip(teams, evaluation.names, strict=True)
        ),
        "% Metrics:",
        *(
            f"%   {key}: {visible(str(name), 200)}"
            for key, name in zip(metrics, evaluation.keys, strict=True)
        ),
    ]
    team_keys = dict(enumerate(teams))
    metric_keys = dict(zip(evaluation.keys, metrics, strict=True))
    numbers = [
        rf"\audit@set{{{team_keys[entry]}}}{{{metric_keys[key]}}}{{;{values}}}"
        for (entry, key), values in _values(evaluation).items()
    ]
    finders = [rf"\audit@finds{{{kind}}}" for kind in _WHATS]
    lines = [*finders, "% Teams:", *listing, *numbers, *_facts(evaluation), r"\makeatother", ""]
    return "\n".join([_HEAD.rstrip(), *lines])


def _values(evaluation: Evaluation) -> dict[tuple[int, ScoreKey], str]:
    """Whatever there is of every entry by every metric, as one macro holds it: TeX has room for few macros."""
    values = {
        (entry, key): "" for key in evaluation.keys for entry in range(len(evaluation.entries))
    }
    for entry, key, kind, value in chain(
        _scores(evaluation), _intervals(evaluation), _comparisons(evaluation)
    ):
        values[entry, key] += f"{kind}:{tex(value)};"
    return values


Told = Iterator[tuple[int, ScoreKey, str, str]]


def _scores(evaluation: Evaluation) -> Told:
    show = printing(evaluation)
    for key in evaluation.keys:
        ranks = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
        for entry, (score, rank) in enumerate(
            zip(evaluation.scores_of(key).tolist(), ranks, strict=True)
        ):
            yield entry, key, "score", show.score(score)
            yield entry, key, "rank", rank


def _intervals(evaluation: Evaluation) -> Told:
    """The ends that the tables print; a dash where there are none."""
    show = printing(evaluation)
    for key in evaluation.keys:
        shown = shown_intervals(evaluation, key)
        if shown is None:
            return
        for kind, ends in (("lower", shown.lower), ("upper", shown.upper)):
            for entry, value in enumerate(ends.tolist()):
                yield entry, key, kind, show.score(value)


def _comparisons(evaluation: Evaluation) -> Told:
    certainty = evaluation.certainty
    for comparison in () if certainty is None else certainty.comparisons:
        key = comparison.key
        leader = comparison.leader
        for entry in np.flatnonzero(comparison.is_compared).tolist():
            yield entry, key, "possibleranks", possible_ranks_text(comparison, entry)
            yield entry, key, "couldbebest", "yes" if comparison.could_be_best[entry] else "no"
            if leader is not None and entry != leader:
                yield (
                    entry,
                    key,
                    "p",
                    printed_number(float(comparison.adjusted_p[leader, entry]), 4),
                )


def _facts(evaluation: Evaluation) -> Iterator[str]:
    facts = {
        "items": f"{evaluation.gold.n_units:,}",
        "classes": str(int(evaluation.present.sum())),
        "submissions": f"{len(evaluation.entries):,}",
        "teams": f"{ranked_teams(evaluation)[0]:,}",
        "metric": key_of(str(evaluation.task.ranking_metric)),
    }
    comparison = comparison_of(evaluation)
    if evaluation.certainty is not None and comparison is not None:
        facts |= {
            "seed": str(evaluation.certainty.seed),
            "couldbebest": str(len(comparison.contenders)),
            "separablepairs": f"{int(comparison.ahead.sum()):,}",
        }
    for kind, value in facts.items():
        yield rf"\expandafter\def\csname audit@fact@{kind}\endcsname{{{value}}}"
