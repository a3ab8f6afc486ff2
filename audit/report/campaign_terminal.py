"""What a terminal prints of a campaign with several tracks, in at most 25 lines of 80 columns."""

from collections.abc import Iterator

import numpy as np

from audit.document import Block, Cell, Listing, Paragraph, Table, row_names
from audit.document import Column as Head
from audit.domain import State
from audit.findings.campaign import MEAN, CampaignFindings
from audit.ranking.ranks import printed_ranks
from audit.report.campaign_page import ABSENT, MOST_TRACKS_AS_COLUMNS, NO_RANK, campaign_requests
from audit.report.campaign_words import CORRECTED_MARK, CampaignWords, campaign_title, track_name
from audit.report.printing import not_ranked
from audit.sentences import say
from audit.text import number, plural, visible

LINES = 25
_MOST_ROWS = 11
_ROWS_OF_MANY = 8
_FEWEST = 3
_NAME = 14
_TRACK_NAME = 9
_TRACKS_IN_SIGHT = 3
_WIDE = 100
_BEST = "●"
_BLANK = Paragraph("", "lead")


def campaign_layouts(
    found: CampaignFindings, path: str, width: int, store: str = ""
) -> Iterator[tuple[Block, ...]]:
    """A run's last lines, or a look at a campaign: the fullest layout first.

    Store is the option that names a store other than the usual one, as commands take it, behind a space.
    """
    words = CampaignWords(found)
    to_do = campaign_requests(found)
    slug = visible(found.evaluations[0].task.family or found.evaluations[0].task.slug)
    last = f"Tracks: audit show {slug}{store} --tracks"
    if path:
        last = f"Report: {path}    {last}"
    head = (
        Paragraph(campaign_title(found.evaluations), "heading"),
        Paragraph("; ".join(words.facts()), "lead"),
    )
    verdict = Paragraph(words.verdict(), "heading")
    further = words.more()
    n_all = len(found.order)
    if n_all <= _MOST_ROWS:
        most = n_all
    else:
        most = _ROWS_OF_MANY
    sizes = [(most, 3, further, True), (most, 2, further, False)]
    sizes += [(rows, 1, further[:2], False) for rows in range(most, min(most, _FEWEST) - 1, -1)]
    for n_rows, n_to_do, sentences, is_airy in sizes:
        blank = (_BLANK,) if is_airy else ()
        yield (
            *head,
            *blank,
            verdict,
            *([Paragraph(" ".join(sentences), "lead")] if sentences else []),
            *blank,
            *_ranking(found, words, n_rows, width),
            *not_ranked(found.evaluations),
            *_choices(found, words),
            *_requests(to_do, n_to_do),
            Paragraph(last, "lead"),
        )


def _ranking(
    found: CampaignFindings, words: CampaignWords, n_rows: int, width: int
) -> Iterator[Block]:
    yield _table(found, words, n_rows, width)
    rest = len(found.order) - n_rows
    if rest > 0:
        yield Paragraph(f"      {plural(rest, f'more {words.noun}')}", "lead")
    notes = []
    if found.comparison is not None:
        notes.append(say("● in the 95% confidence set for the best team (of each track by itself)"))
        notes.append(say("* corrected for selection"))
    if len(found.ranked) < len(found.order):
        notes.append(f"{NO_RANK} no overall rank")
    if notes:
        yield Paragraph("; ".join(notes), "note")


def _table(found: CampaignFindings, words: CampaignWords, n_rows: int, width: int) -> Table:
    """Rank, name, mean, interval, ●, possible ranks, then tracks, or in how many the team is first."""
    comparison = found.comparison
    summary = found.tracks.summary
    lower, _ = found.over.shown_ends
    ranked = set(found.ranked)
    ranks = printed_ranks(summary.rules[found.rule])
    has_tracks = found.n_tracks <= (MOST_TRACKS_AS_COLUMNS if width > _WIDE else _TRACKS_IN_SIGHT)
    heads = [Head("rank"), row_names("team"), Head(found.rule if found.rule != MEAN else "mean")]
    has_interval = not np.isnan(lower).all()
    heads += [Head("95% CI")] if has_interval else []
    heads += [Head("ranks")] if comparison is not None else []
    if has_tracks:
        heads += [Head(track_name(evaluation, _TRACK_NAME)) for evaluation in found.evaluations]
    else:
        heads += [Head("first in"), Head("● in"), Head("tracks")]
    about = found.about_columns if width > _WIDE else ()
    heads += [Head(column, numeric=False) for column in about]
    rows = []
    for row in found.order[:n_rows]:
        is_ranked = row in ranked
        value = words.value(found.rule, row) if is_ranked else "–"
        in_set = comparison is not None and bool(comparison.could_be_best[row])
        cells = [
            ranks[row] if is_ranked else "–",
            visible(words.names[row], _NAME),
            f"{_BEST if in_set else ' '} {value}",
        ]
        if has_interval:
            ends = words.interval(found.rule, row, between="–")
            mark = " "
            if row in found.winners and ends != NO_RANK and comparison is not None:
                mark = CORRECTED_MARK
            cells.append(ends + mark)
        if comparison is not None:
            cells.append(_possible_ranks(comparison.possible_ranks[row].tolist()))
        cells += _track_cells(found, row) if has_tracks else _counts(found, row)
        said = found.about.get(found.tracks.rows[row].team, {})
        cells += [visible(said.get(column, ""), _NAME) for column in about]
        rows.append(tuple(map(Cell, cells)))
    return Table("campaign", "", tuple(heads), tuple(rows), style="tight")


def _possible_ranks(ranks: list[int]) -> str:
    first, last = ranks
    if not first:
        return "–"
    if first == last:
        return f"{first}"
    return f"{first}–{last}"


def _track_cells(found: CampaignFindings, row: int) -> list[str]:
    cells = []
    for track, evaluation in enumerate(found.evaluations):
        if found.tracks.entries[row, track] < 0:
            cells.append(f"{ABSENT} ")
            continue
        score = number(float(found.tracks.scores[row, track]), evaluation.task.printed_decimals)
        if found.is_in_set(track, row):
            mark = _BEST
        else:
            mark = " "
        cells.append(f"{score} {found.tracks.ranks[row, track]}{mark}")
    return cells


def _counts(found: CampaignFindings, row: int) -> list[str]:
    own = found.tracks.ranks[row][found.tracks.entries[row] >= 0]
    in_set = sum(found.is_in_set(track, row) for track in range(found.n_tracks))
    return [str(int((own == 1).sum())), str(in_set), str(len(own))]


def _choices(found: CampaignFindings, words: CampaignWords) -> Iterator[Block]:
    """Which other choices have another winner, in one line; that none has."""
    if not found.winners or len(found.ranked) == 1:
        return
    changed = [
        each
        for each in (*found.choices, *found.metrics)
        if each.winners and set(each.winners) != set(found.winners)
    ]
    n_all = len(found.choices) + len(found.metrics)
    if not n_all:
        return
    if not changed:
        yield Paragraph(
            f"The same winner under all {n_all} other rules, weights, metrics and without any one track.",
            "lead",
        )
        return
    tested = [each for each in changed if each.state is not State.NOT_TESTED] or changed
    sentences = [words.choice_sentence(each) for each in tested[:2]]
    rest = len(changed) - len(sentences)
    if rest:
        more = f" The winner changes under {plural(rest, 'more choice')}: audit whatif."
    else:
        more = ""
    yield Paragraph(" ".join(sentences) + more, "lead")


def _requests(to_do: list[str], most: int) -> Iterator[Block]:
    if not to_do:
        return
    shown = to_do[:most]
    if len(to_do) > len(shown):
        rest = f" ({len(to_do)} in all)"
    else:
        rest = ""
    yield Paragraph(f"Before you publish{rest}:", "lead")
    yield Listing(tuple(shown), "numbered")


def track_table(found: CampaignFindings) -> tuple[Block, ...]:
    """Every track with its items, teams, winner and claim."""
    heads = (row_names("track"), Head("items"), Head("teams"), Head("verdict", numeric=False))
    rows = tuple(
        (
            Cell(visible(evaluation.task.slug, 40)),
            Cell(f"{evaluation.gold.n_units:,}"),
            Cell(f"{len({entry.team for entry in evaluation.entries if entry.competes})}"),
            Cell(evaluation.verdict.sentence),
        )
        for evaluation in found.evaluations
    )
    return (Table("tracks", "", heads, rows, style="tight"),)
