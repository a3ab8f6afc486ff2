r"""Every number by one look-up, ``\auditnum{team}{metric}{what}``: text and table cannot disagree."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.questions.comparisons import ranking_comparison
from audit.questions.printing import printing
from audit.questions.shown_intervals import possible_ranks_text, shown_intervals
from audit.ranking import printed_ranks
from audit.text import number as printed_number
from audit.text import visible
from audit.writers.latex.tex import tex
from audit.writers.latex.tex_names import key_of, unique_keys

_HEAD = r"""% Look-ups: \auditnum{TEAM}{METRIC}{WHAT}, where WHAT is score, rank, lower, upper (of the 95% interval; the
% leader's is corrected for having been chosen as the best), tier, possibleranks, couldbebest (yes or no) or p
% (adjusted, of the leader against this team), and \auditfact{WHAT}. TEAM and METRIC are listed below; what does not
% exist is an error.
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
_WHATS = ("score", "rank", "lower", "upper", "tier", "possibleranks", "couldbebest", "p")


def numbers_tex(evaluation: Evaluation) -> str:
    """The file of look-ups."""
    teams = unique_keys(evaluation.names)
    metrics = unique_keys([str(key) for key in evaluation.keys])
    listing = [
        *(f"%   {key}: {visible(name, 200)}" for key, name in zip(teams, evaluation.names, strict=True)),
        "% Metrics:",
        *(f"%   {key}: {visible(str(name), 200)}" for key, name in zip(metrics, evaluation.keys, strict=True)),
    ]
    team_keys, metric_keys = dict(enumerate(teams)), dict(zip(evaluation.keys, metrics, strict=True))
    numbers = [
        rf"\audit@set{{{team_keys[entry]}}}{{{metric_keys[key]}}}{{;{values}}}"
        for (entry, key), values in _values(evaluation).items()
    ]
    finders = [rf"\audit@finds{{{kind}}}" for kind in _WHATS]
    lines = [*finders, "% Teams:", *listing, *numbers, *_facts(evaluation), r"\makeatother", ""]
    return "\n".join([_HEAD.rstrip(), *lines])


def _values(evaluation: Evaluation) -> dict[tuple[int, ScoreKey], str]:
    """Whatever there is of every entry by every metric, as one macro holds it: TeX has room for few macros."""
    values = {(entry, key): "" for key in evaluation.keys for entry in range(len(evaluation.entries))}
    for entry, key, kind, value in chain(_scores(evaluation), _intervals(evaluation), _comparisons(evaluation)):
        values[entry, key] += f"{kind}:{tex(value)};"
    return values


Told = Iterator[tuple[int, ScoreKey, str, str]]


def _scores(evaluation: Evaluation) -> Told:
    show = printing(evaluation)
    for key in evaluation.keys:
        ranks = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
        for entry, (score, rank) in enumerate(zip(evaluation.scores_of(key).tolist(), ranks, strict=True)):
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
        key, leader = comparison.key, comparison.leader
        for entry in np.flatnonzero(comparison.tiers).tolist():
            yield entry, key, "tier", str(int(comparison.tiers[entry]))
            yield entry, key, "possibleranks", possible_ranks_text(comparison, entry)
            yield entry, key, "couldbebest", "yes" if comparison.could_be_best[entry] else "no"
            if leader is not None and entry != leader:
                yield entry, key, "p", printed_number(float(comparison.adjusted_p[leader, entry]), 4)


def _facts(evaluation: Evaluation) -> Iterator[str]:
    """TeX definitions of numbers about the campaign as a whole."""
    facts = {
        "items": f"{evaluation.gold.n_items:,}",
        "classes": str(int(evaluation.present.sum())),
        "submissions": f"{len(evaluation.entries):,}",
        "teams": f"{len({entry.team for entry in evaluation.entries}):,}",
        "metric": key_of(str(evaluation.task.ranking_metric)),
    }
    comparison = ranking_comparison(evaluation)
    if evaluation.certainty is not None and comparison is not None:
        facts |= {
            "seed": str(evaluation.certainty.seed),
            "couldbebest": str(len(comparison.contenders)),
            "separablepairs": f"{int(comparison.ahead.sum()):,}",
        }
    for kind, value in facts.items():
        yield rf"\expandafter\def\csname audit@fact@{kind}\endcsname{{{value}}}"
