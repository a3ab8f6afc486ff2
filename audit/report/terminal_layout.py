"""What `audit run` and `audit show` print of an evaluation, laid out for a number of lines and a width.

A layout is a tuple of blocks. The fullest comes first; the writer prints the first that fits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from audit.document import Block, Listing, Paragraph, Span
from audit.domain import Dependence, Evaluation, Role, ScoreKey, Severity, State
from audit.findings.against_baselines import by_score
from audit.findings.claim import sentence_with_mark
from audit.findings.comparisons import changes_of, comparison_of
from audit.findings.flag_kind import KINDS
from audit.findings.numbers_in_words import p_phrase
from audit.findings.ranking_rows import SCORES_BESIDE, ranking_rows
from audit.findings.shown_intervals import shown_intervals
from audit.findings.wording import (
    AVERAGED,
    OF_AVERAGES,
    entrant,
    gold_counted,
    labels_counted,
    names,
    of,
    ranked_teams,
    runs_counted,
    score_beside,
    shown_name,
    winners_by,
)
from audit.metrics import without_rest
from audit.ranking.ranks import TIE_TOLERANCE, printed_ranks
from audit.report.metric_columns import column_label
from audit.report.printing import (
    INTERVAL_MARKS,
    entry_notes,
    further_texts,
    mark_notes,
    marked_name,
    not_ranked,
    plain_table,
    rank_notes,
)
from audit.sentences import say
from audit.text import agreeing, cut_off, listed, number, plural, sentence_case, visible
from audit.vocabulary import BEST_MARK

LINES_OF_RUN = 25
LINES_OF_SHOW = 40
"""The most lines that a run and a look at a task take at 80 columns."""

MOST_ROWS = 11
ROWS_OF_MANY = 8
FEWEST_ROWS = 3
"""Up to so many entries all have a row; of more, the first; and those that have one however little room there is."""

_TO_DO_OF_RUN = 3
_TO_DO_OF_SHOW = 5
_ROWS_OF_SHOW = 20
_SHORTEST_NAME = 12
_LONGEST_NAME = 40
_BETWEEN = 2
_NARROW = 80
_NAMED = 3
_NOTE_LIMIT = 150
_BLANK = Paragraph("", "lead")
_MARGIN = " " * 6  # of a line that stands below the names of the ranking
_IN_BASELINES = {"majority": "majority", "uniform": "uniform", "prevalence": "random by prevalence"}

_SIGNIFICANT = frozenset({State.OTHER_SHOWN, State.OTHER_SHOWN_THERE})
_TITLES = {"Ties and rounding": "rounding", "If macro F1 ranked": "macro F1"}

Columns = dict[str, list[str]]  # the cells of every entry, by the head of their column
Layout = tuple[Block, ...]


# Layouts


def run_layouts(
    evaluation: Evaluation, report: str, width: int, store: str = ""
) -> Iterator[Layout]:
    """What a run ends with, in lines of a width, with the path of its report: the fullest layout first.

    Store is the option that names a store other than the usual one, as commands take it, behind a space.
    """
    key = evaluation.task.ranking_metric
    above = _heading(evaluation, key)
    sentence = sentence_with_mark(evaluation)
    verdict = Paragraph(sentence, "heading")
    if BEST_MARK in sentence:
        marks = ""
    else:
        marks = _marks(evaluation, key)
    choices = Paragraph(" ".join(_choices(evaluation)), "lead")
    last = Paragraph(
        f"Report: {report}    More: audit show {visible(evaluation.task.slug)}{store}", "lead"
    )
    for n_rows, n_to_do, blank in _sizes(len(_teams(evaluation, key)), _TO_DO_OF_RUN):
        yield (
            *above,
            *blank,
            verdict,
            *blank,
            *_ranking(evaluation, key, n_rows, width),
            *not_ranked([evaluation]),
            *([Paragraph(marks, "lead")] if marks else []),
            *([choices] if choices.text else []),
            *_to_do(evaluation, n_to_do, "all in the report"),
            last,
        )


def _sizes(n_teams: int, most_to_do: int) -> Iterator[tuple[int, int, tuple[Block, ...]]]:
    """Numbers of rows and of requests, and what stands between parts, from the most to the least."""
    if n_teams <= MOST_ROWS:
        n_rows = n_teams
    else:
        n_rows = ROWS_OF_MANY
    for n_to_do in range(most_to_do, 1, -1):
        yield n_rows, n_to_do, (_BLANK,)
    yield n_rows, 2, ()
    for rows in range(n_rows, min(n_rows, FEWEST_ROWS) - 1, -1):
        yield rows, 1, ()


def show_layouts(
    evaluation: Evaluation, key: ScoreKey, width: int, store: str = ""
) -> Iterator[Layout]:
    """A task's ranking by a score and, by its ranking metric, the verdict: the fullest layout first."""
    task = f"{visible(evaluation.task.slug)}{store}"
    is_official = key == evaluation.task.ranking_metric
    above = _heading(evaluation, key)
    n_teams = len(_teams(evaluation, key))
    most = min(n_teams, _ROWS_OF_SHOW)
    sizes = [(most, _TO_DO_OF_SHOW - fewer, True, True) for fewer in range(3)]
    sizes += [(most, 2, False, True), (most, 1, False, True)]
    sizes += [(rows, 1, False, False) for rows in range(most, min(most, FEWEST_ROWS) - 1, -1)]
    for n_rows, n_to_do, with_same, with_slugs in sizes:
        yield (
            *above,
            *(_verdict(evaluation) if is_official else ()),
            _BLANK,
            *_ranking(evaluation, key, n_rows, width),
            *not_ranked([evaluation]),
            *(Paragraph(note, "lead") for note in _notes(evaluation, key)),
            *(_dependences(evaluation, with_same=with_same) if is_official else ()),
            *(
                _to_do(evaluation, n_to_do, f"all: audit show {task} --notes")
                if is_official
                else ()
            ),
            *(_finding_titles(evaluation) if with_slugs else ()),
            _more(evaluation, task),
        )


def _verdict(evaluation: Evaluation) -> Iterator[Block]:
    verdict = evaluation.verdict
    yield _BLANK
    yield Paragraph(verdict.sentence, "heading")
    if verdict.more:
        yield Paragraph(verdict.more, "lead")


def _dependences(evaluation: Evaluation, *, with_same: bool) -> Iterator[Block]:
    """What becomes of the first place under each other choice; without those that keep it where room is short."""
    rows = evaluation.verdict.depends_on
    shown = [row for row in rows if with_same or not row.state.is_same]
    if shown:
        yield Paragraph("Other choices:", "lead")
        yield Listing(tuple(row.sentence for row in shown))


def _finding_titles(evaluation: Evaluation) -> Iterator[Block]:
    """The findings that change the winner or the order, by their titles; --notes has their names, too."""
    for severity in Severity:
        titles = [KINDS[flag.slug].title for flag in evaluation.flags if flag.severity is severity]
        if titles and severity is not Severity.NOTE:
            label = Span(severity.label, f"severity-{int(severity)}")
            yield Paragraph((label, f": {'; '.join(titles)}"), "lead")


def _more(evaluation: Evaluation, task: str) -> Paragraph:
    """How much was found, and where all of it stands."""
    n_notes = sum(flag.severity is Severity.NOTE for flag in evaluation.flags)
    n_findings = len(evaluation.flags) - n_notes
    notes = plural(n_notes, "note")
    counted = f"{plural(n_findings, 'finding')} and {notes}"
    if not evaluation.flags:
        counted = "The audit’s rules found nothing to report. Every column"
    elif not n_findings:
        counted = f"No finding changes winner or order. {sentence_case(notes)}"
    return Paragraph(f"{counted}: audit show {task} --notes", "lead")


# The head


def _heading(evaluation: Evaluation, key: ScoreKey) -> tuple[Block, ...]:
    """The task's title and size."""
    task = evaluation.task
    size = [*_entered(evaluation), *gold_counted(evaluation), labels_counted(evaluation)]
    size = list(filter(None, size))
    rest = without_rest(task.label_set)
    facts = f"{', '.join(size)}; {_ranked_by(evaluation, key)}{rest and '; ' + rest}"
    if task.note:
        note = [Paragraph(f"Note: {cut_off(visible(task.note, 10_000), _NOTE_LIMIT)}", "caution")]
    else:
        note = []
    return Paragraph(visible(task.title), "heading"), Paragraph(facts, "lead"), *note


def _entered(evaluation: Evaluation) -> tuple[str, ...]:
    """The number of teams, and of their runs where a team has several."""
    runs = runs_counted(evaluation)
    (n_teams, _) = ranked_teams(evaluation)
    return (plural(n_teams, "team"), *([runs] if runs else []))


def _ranked_by(evaluation: Evaluation, key: ScoreKey) -> str:
    """By which metric entries are ranked, and whether it is the official one."""
    metric = of(evaluation, key)
    official = evaluation.task.official_metric
    if key != evaluation.task.ranking_metric:
        return f"ranked by {metric}"
    if official:
        return f"official metric: {metric}"
    return f"no official metric stated; ranked by {metric}"


# The ranking


def _teams(evaluation: Evaluation, key: ScoreKey) -> list[int]:
    """The entries that have a row, from best to worst: all but the baselines beside the ranking."""
    return [team for team in evaluation.order(key) if not _is_beside(evaluation, team)]


def _is_beside(evaluation: Evaluation, team: int) -> bool:
    entry = evaluation.entries[team]
    return entry.role == Role.BASELINE and not entry.competes


def _ranking(evaluation: Evaluation, key: ScoreKey, n_rows: int, width: int) -> Iterator[Block]:
    """The first rows, one line that counts the others, and one of baselines."""
    teams = _teams(evaluation, key)
    shown = teams[:n_rows]
    rest = teams[n_rows:]
    columns = _columns(evaluation, key)
    columns["team"] = _fitted_names(evaluation, shown, columns, width)
    if width > _NARROW:
        columns |= _further_columns(evaluation, key)
    yield replace(plain_table("ranking", columns, shown), style="tight")
    if rest:
        yield Paragraph(f"{_MARGIN}{_counted(evaluation, key, rest)}", "lead")
    if baselines := _baselines(evaluation, key):
        yield Paragraph(_baseline_line(baselines, evaluation.task.printed_decimals, width), "lead")


def _columns(evaluation: Evaluation, key: ScoreKey) -> Columns:
    """The columns that a ranking has at 80 columns, as the texts of every entry by their heads."""
    other = score_beside(evaluation, key)
    rows = ranking_rows(evaluation, key)
    columns = {
        "rank": [row.printed_rank for row in rows],
        "team": [marked_name(evaluation, row.entry) for row in rows],
        _lowered(column_label(evaluation, key)): _scores(evaluation, key),
    }
    if evaluation.certainty is not None:
        columns["95% CI"] = _intervals(evaluation, key)
    if comparison_of(evaluation, key) is not None:
        columns["possible ranks"] = [row.printed_possible_ranks for row in rows]
    if other is not None:
        ranks = printed_ranks(evaluation.goodness_of(other), evaluation.competing)
        columns[f"by {_lowered(column_label(evaluation, other))}"] = ranks
    return columns


def _further_columns(evaluation: Evaluation, key: ScoreKey) -> Columns:
    """What a wider window shows, too."""
    decimals = evaluation.task.printed_decimals
    beside = [ScoreKey(slug, key.prevalence) for slug in SCORES_BESIDE]
    scores = {
        _lowered(column_label(evaluation, each)): [
            number(score, decimals) for score in evaluation.scores_of(each)
        ]
        for each in beside
        if each != key and each in evaluation.keys
    }
    rows = ranking_rows(evaluation, key)
    unanswered = [row.printed_unanswered for row in rows]
    published = [row.published_rank for row in rows]
    return {
        **scores,
        **({"unanswered": unanswered} if any(unanswered) else {}),
        **({"as published": published} if any(published) else {}),
        **further_texts(rows, decimals),
    }


def _fitted_names(
    evaluation: Evaluation, shown: Sequence[int], columns: Columns, width: int
) -> list[str]:
    """Names as long as the other columns leave room for, those that would look alike told apart."""
    others = [
        max(len(head), *(len(texts[team]) for team in shown), 0)
        for head, texts in columns.items()
        if head != "team"
    ]
    room = width - sum(others) - _BETWEEN * len(others)
    longest = max((len(columns["team"][team]) for team in shown), default=0)
    if longest <= room:
        return columns["team"]
    whole = {team: shown_name(evaluation, team) for team in range(len(evaluation.entries))}
    behind = {team: columns["team"][team].removeprefix(whole[team]) for team in whole}
    limit = max(
        _SHORTEST_NAME,
        min(_LONGEST_NAME, room - max((len(behind[team]) for team in shown), default=0)),
    )
    return [shown_name(evaluation, team, limit) + behind[team] for team in whole]


def _lowered(label: str) -> str:
    """A label inside a row of heads: in small letters, unless it is an abbreviation."""
    if label[1:2].isupper() or not label[1:2].isalpha():
        return label
    return label[:1].lower() + label[1:]


def _scores(evaluation: Evaluation, key: ScoreKey) -> list[str]:
    """Every entry's score, with ● before those in the 95% confidence set for the best team."""
    comparison = comparison_of(evaluation, key)
    texts = [
        number(score, evaluation.task.printed_decimals)
        for score in evaluation.scores_of(key).tolist()
    ]
    if comparison is None:
        return texts
    width = max(map(len, texts), default=0)
    marks = (BEST_MARK if is_in else " " for is_in in comparison.could_be_best)
    return [f"{mark}  {text:>{width}}" for mark, text in zip(marks, texts, strict=True)]


def _intervals(evaluation: Evaluation, key: ScoreKey) -> list[str]:
    """Every entry's interval, with * where it is corrected for selection, and why it is rough or there is none."""
    shown = shown_intervals(evaluation, key)
    if shown is None:
        return ["–"] * len(evaluation.entries)
    decimals = evaluation.task.printed_decimals
    texts = []
    for entry, mark in enumerate(shown.marks):
        ends = shown.ends(entry)
        if ends is None:
            text = "–"
        else:
            text = "–".join(number(end, decimals) for end in ends)
        texts.append(
            text + ("*" if entry in shown.corrected else " ") + INTERVAL_MARKS.get(mark, "")
        )
    return texts


def _counted(evaluation: Evaluation, key: ScoreKey, rest: Sequence[int]) -> str:
    """How many entries have no row, between which scores they lie, and how many are below the best baseline."""
    scores = evaluation.scores_of(key)[list(rest)]
    decimals = evaluation.task.printed_decimals
    counted = plural(len(rest), f"more {entrant(evaluation)}")
    defined = scores[~np.isnan(scores)]
    if not defined.size:
        return counted
    span = " to ".join(
        dict.fromkeys(number(float(score), decimals) for score in (defined[0], defined[-1]))
    )
    baselines = _baselines(evaluation, key)
    if not baselines:
        return f"{counted}, {span}"
    best = baselines[0][1]
    n_below = int(
        (evaluation.goodness(key, defined) < evaluation.goodness(key, best) - TIE_TOLERANCE).sum()
    )
    if n_below:
        below = f"; {n_below:,} of them below the best baseline ({number(best, decimals)})"
    else:
        below = ""
    return f"{counted}, {span}{below}"


def _baselines(evaluation: Evaluation, key: ScoreKey) -> list[tuple[str, float]]:
    """Every baseline beside the ranking with its score, the best first; no oracle, which knows gold."""
    row = evaluation.row(key)
    scores = evaluation.scores_of(key)
    levels = [
        (_IN_BASELINES.get(baseline.slug, baseline.title), float(baseline.values[row]))
        for baseline in by_score(evaluation)
        if baseline.slug != "oracle"
    ]
    beside = [team for team in evaluation.order(key) if _is_beside(evaluation, team)]
    levels += [
        (shown_name(evaluation, team, _SHORTEST_NAME * 2), float(scores[team])) for team in beside
    ]
    defined = [level for level in levels if not np.isnan(level[1])]
    return sorted(defined, key=lambda level: -evaluation.goodness(key, level[1]))


def _baseline_line(baselines: Sequence[tuple[str, float]], decimals: int, width: int) -> str:
    """Baselines on one line of a width; those without room are counted."""
    texts = [f"{name} {number(score, decimals)}" for name, score in baselines]
    lead = f"{'–':>4}  {'Baseline' if len(texts) == 1 else 'Baselines'}: "
    for n_shown in range(len(texts), 0, -1):
        if n_shown < len(texts):
            more = [f"{len(texts) - n_shown:,} more"]
        else:
            more = []
        line = lead + ", ".join([*texts[:n_shown], *more])
        if len(line) <= width:
            break
    return line


# Below the ranking


def _marks(evaluation: Evaluation, key: ScoreKey) -> str:
    """What ● and * mean, where they stand in the ranking."""
    shown = shown_intervals(evaluation, key)
    comparison = comparison_of(evaluation, key)
    told = [
        say(f"{BEST_MARK} 95% confidence set for the best team") if comparison is not None else "",
        say("* corrected for selection") if shown is not None and shown.corrected else "",
    ]
    return "; ".join(filter(None, told))


def _notes(evaluation: Evaluation, key: ScoreKey) -> Iterator[str]:
    """The meaning of every mark in the ranking."""
    shown = shown_intervals(evaluation, key)
    if marks := _marks(evaluation, key):
        yield marks
    yield from entry_notes(evaluation)
    if not evaluation.competing[_teams(evaluation, key)].all():
        yield from rank_notes(evaluation)
    if shown is not None:
        yield from mark_notes(shown.marks[team] for team in _teams(evaluation, key))


def _to_do(evaluation: Evaluation, most: int, where: str) -> Iterator[Block]:
    """The first of what to do before publishing, with how much there is."""
    requests = tuple(to_do.text for to_do in evaluation.verdict.to_do)
    if requests:
        shown = requests[:most]
        if len(shown) < len(requests):
            few = f" (first {len(shown)} of {len(requests)}; {where})"
        else:
            few = ""
        yield Paragraph(f"Before you publish{few}:", "lead")
        yield Listing(tuple(f"{place}. {text}" for place, text in enumerate(shown, 1)), "numbered")


# Which choices change the winner


def _choices(evaluation: Evaluation) -> Iterator[str]:
    """Who wins by both macro F1s, then which other choices change the winner, and whether significantly."""
    rows = evaluation.verdict.depends_on
    if not rows:
        return
    yield from _by_macro_f1(evaluation)
    others = [row for row in rows if row.choice != "macro-f1"]
    changing = [row for row in others if row.state is State.OTHER_NOT_SHOWN]
    significant = [row for row in others if row.state in _SIGNIFICANT]
    if significant:
        yield _significant(evaluation, significant)
    if changing:
        change = agreeing(len(_titles(changing)), "changes", "change")
        yield say(f"{_listed_titles(changing)} {change} the winner, but not significantly.")
    untested = [row for row in others if row.state is State.NOT_TESTED]
    if untested:
        yield say(f"Not tested: {listed(_titles(untested))}.")
    if not (significant or changing or untested) and others:
        change = agreeing(len(_titles(others)), "does", "do")
        yield f"{_listed_titles(others)} {change} not change the winner."


def _titles(rows: Iterable[Dependence]) -> list[str]:
    """The names of some choices inside a sentence, each once."""
    return list(dict.fromkeys(_TITLES.get(row.title, _lowered(row.title)) for row in rows))


def _listed_titles(rows: Iterable[Dependence]) -> str:
    return sentence_case(listed(_titles(rows)))


def _by_macro_f1(evaluation: Evaluation) -> Iterator[str]:
    """Who ranks first by each macro F1 that does not rank."""
    ranking = evaluation.task.ranking_metric
    first = set(winners_by(evaluation, ranking))
    wins = {
        key: winners_by(evaluation, key)
        for key in (AVERAGED, OF_AVERAGES)
        if key in evaluation.keys
    }
    others = {key: winners for key, winners in wins.items() if key != ranking and winners}
    if len(others) > 1 and len({frozenset(winners) for winners in others.values()}) == 1:
        winners = next(iter(others.values()))
        if set(winners) == first:
            too = ", too"
        else:
            too = ""
        yield f"By both macro F1s {_rank_first(evaluation, winners)}{too}."
        return
    for key, winners in others.items():
        score = number(
            float(evaluation.scores_of(key)[winners[0]]), evaluation.task.printed_decimals
        )
        if set(winners) == first:
            yield f"By {of(evaluation, key)} {_rank_first(evaluation, winners)}, too ({score})."
        else:
            p = _p_of_change(evaluation, key, winners)
            yield f"By {of(evaluation, key)} {_rank_first(evaluation, winners)} ({score}{p})."


def _rank_first(evaluation: Evaluation, winners: Sequence[int]) -> str:
    verb = agreeing(len(winners), "ranks first", "tie for first place")
    return f"{names(evaluation, winners, limit=_NAMED)} {verb}"


def _p_of_change(evaluation: Evaluation, key: ScoreKey, winners: Sequence[int]) -> str:
    """The adjusted p of who wins by a score over who wins by the ranking metric; nothing where it was not tested."""
    first = winners_by(evaluation, evaluation.task.ranking_metric)
    comparison = comparison_of(evaluation, key)
    if comparison is None or len(first) > 1 or len(winners) > 1:
        return ""
    p = float(comparison.adjusted_p[winners[0], first[0]])
    if np.isnan(p):
        return ""
    return say(f", adjusted p {p_phrase(p)}")


def _significant(evaluation: Evaluation, rows: Sequence[Dependence]) -> str:
    """Under which other choices which other team is significantly ahead."""
    kinds = {row.choice for row in rows}
    changes = [
        each for each in changes_of(evaluation) if each.kind in kinds and each.state in _SIGNIFICANT
    ]
    winners = dict.fromkeys(change.winners[1] for change in changes)
    clauses = []
    for team in winners:
        keys = dict.fromkeys(change.keys[1] for change in changes if change.winners[1] == team)
        under = listed([of(evaluation, key) for key in keys], limit=_NAMED)
        clauses.append(f"under {under} {names(evaluation, team, limit=_NAMED)}")
    if not clauses:
        change = agreeing(len(_titles(rows)), "changes", "change")
        return say(f"{_listed_titles(rows)} {change} the winner significantly.")
    first, *further = clauses
    verb = agreeing(len(next(iter(winners))), "is", "are")
    return "; ".join([say(f"{sentence_case(first)} {verb} significantly ahead"), *further]) + "."
