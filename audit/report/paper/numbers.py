r"""Every number by one look-up, ``\auditnum{team}{metric}{what}``: text and table cannot disagree."""

from collections.abc import Iterator

from audit.domain import Evaluation
from audit.ranking import printed_ranks
from audit.report.paper.names import key_of, unique_keys
from audit.report.paper.tex import number
from audit.report.printing import printing, rank_set_text
from audit.text import number as printed_number
from audit.text import visible

_HEAD = r"""% Look-ups: \auditnum{TEAM}{METRIC}{WHAT}, where WHAT is score, rank, lower, upper, tier, rankset or p
% (adjusted, of the leader against this team), and \auditfact{WHAT}. TEAM and METRIC are listed below; what does not
% exist is an error.
\makeatletter
\newcommand\auditnum[3]{\@ifundefined{audit@#1@#2@#3}%
  {\PackageError{audit}{There is no number #1, #2, #3}{The keys stand at the top of numbers.tex.}}%
  {\csname audit@#1@#2@#3\endcsname}}
\newcommand\auditfact[1]{\@ifundefined{audit@fact@#1}%
  {\PackageError{audit}{There is no fact #1}{The facts stand at the end of numbers.tex.}}%
  {\csname audit@fact@#1\endcsname}}
\newcommand\audit@set[4]{\expandafter\def\csname audit@#1@#2@#3\endcsname{#4}}
"""


def numbers_tex(evaluation: Evaluation) -> str:
    """The file of look-ups."""
    teams = unique_keys(evaluation.names)
    metrics = unique_keys([str(key) for key in evaluation.keys])
    listing = [
        *(f"%   {key}: {visible(name, 200)}" for key, name in zip(teams, evaluation.names, strict=True)),
        "% Metrics:",
        *(f"%   {key}: {visible(str(name), 200)}" for key, name in zip(metrics, evaluation.keys, strict=True)),
    ]
    lines = [
        *_scores(evaluation, teams, metrics),
        *_intervals(evaluation, teams, metrics),
        *_comparisons(evaluation, teams, dict(zip(evaluation.keys, metrics, strict=True))),
        *_facts(evaluation),
    ]
    return "\n".join([_HEAD.rstrip(), "% Teams:", *listing, *lines, r"\makeatother", ""])


def _set(team: str, metric: str, what: str, value: str) -> str:
    return rf"\audit@set{{{team}}}{{{metric}}}{{{what}}}{{{number(value)}}}"


def _scores(evaluation: Evaluation, teams: list[str], metrics: list[str]) -> Iterator[str]:
    show = printing(evaluation)
    for metric, key in zip(metrics, evaluation.keys, strict=True):
        ranks = printed_ranks(evaluation.scores_of(key), evaluation.competing)
        for team, score, rank in zip(teams, evaluation.scores_of(key).tolist(), ranks, strict=True):
            yield _set(team, metric, "score", show.score(score))
            yield _set(team, metric, "rank", rank)


def _intervals(evaluation: Evaluation, teams: list[str], metrics: list[str]) -> Iterator[str]:
    if evaluation.uncertainty is None:
        return
    show = printing(evaluation)
    for what, ends in (("lower", evaluation.uncertainty.lower), ("upper", evaluation.uncertainty.upper)):
        for metric, row in zip(metrics, ends.tolist(), strict=True):
            for team, value in zip(teams, row, strict=True):
                yield _set(team, metric, what, show.score(value))


def _comparisons(evaluation: Evaluation, teams: list[str], metric_of: dict[object, str]) -> Iterator[str]:
    if evaluation.uncertainty is None:
        return
    for comparison in evaluation.uncertainty.comparisons:
        metric = metric_of[comparison.key]
        leader = evaluation.leader(comparison.key)
        for entry, team in enumerate(teams):
            if not comparison.tiers[entry]:
                continue
            yield _set(team, metric, "tier", str(int(comparison.tiers[entry])))
            yield _set(team, metric, "rankset", rank_set_text(comparison, entry))
            if leader is not None and entry != leader:
                yield _set(team, metric, "p", printed_number(float(comparison.adjusted_p[leader, entry]), 4))


def _facts(evaluation: Evaluation) -> Iterator[str]:
    """What concerns the campaign as a whole."""
    facts = {
        "items": f"{evaluation.gold.n_items:,}",
        "classes": str(int(evaluation.present.sum())),
        "submissions": f"{len(evaluation.entries):,}",
        "teams": f"{len({entry.team for entry in evaluation.entries}):,}",
        "metric": key_of(str(evaluation.task.ranking_metric)),
    }
    if evaluation.uncertainty is not None:
        comparison = evaluation.uncertainty.comparisons[0]
        facts |= {
            "replicates": f"{evaluation.uncertainty.n_replicates:,}",
            "seed": str(evaluation.uncertainty.seed),
            "possiblewinners": str(len(comparison.possible_winners)),
            "separablepairs": f"{int(comparison.separable.sum()):,}",
        }
    for what, value in facts.items():
        yield rf"\expandafter\def\csname audit@fact@{what}\endcsname{{{value}}}"
