"""The page of a campaign with several tracks: verdict, states and table first, then one section for each question."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

import numpy as np

from audit.document import (
    Block,
    Board,
    BoardRow,
    Cell,
    Column,
    Depends,
    Document,
    Fold,
    Listing,
    PairMap,
    Paragraph,
    Section,
    Shape,
    Span,
    Table,
    Text,
    Verdict,
    row_names,
)
from audit.domain import Role, State
from audit.findings.campaign import MEAN, CampaignChoice, CampaignFindings, ChoiceKind
from audit.findings.numbers_in_words import p_text
from audit.inference.ranks_over_tracks import BORDA, MEAN_RANK
from audit.metrics import phrase
from audit.ranking.ranks import printed_ranks
from audit.report.campaign_words import CORRECTED_MARK, CampaignWords, campaign_title, track_name
from audit.report.plots import LinearAxis
from audit.report.printing import SHADES
from audit.sentences import say
from audit.text import agreeing, in_words, listed, number, plural, sentence_case, visible
from audit.vocabulary import HATCHED_NOTE, LEAD_NOTE, POSSIBLE_RANKS_NOTE, QUESTIONS

MOST_TRACKS_AS_COLUMNS = 8
MOST_TEAMS = 25
FIRST_ROWS = 15
MOST_CHOICES = 12  # rows of other choices in the open; of more, those that change something
MOST_WIDE_CELLS = 20
MOST_MAPPED = 48
MOST_ON_PHONES = 15

# What stands where there is no number; each has one meaning, which a note below the table says.
NO_RANK = "–"
ABSENT = "absent"
ABSENT_MARK = "×"
UNDEFINED = "n/a"
NOT_TESTED = "not tested"

_ALIKE = 0.9
_LARGELY = 0.5
_LEAST_COMMON = 4  # of fewer teams nearly any order is as likely by chance
_MOST_COLOURS = 4


def campaign_document(found: CampaignFindings, reports: Sequence[str] = ()) -> Document:
    """The page of a campaign; reports are the addresses of its tracks' own pages, in their order."""
    page = _Page(found, reports)
    return Document(
        title=campaign_title(found.evaluations),
        facts=page.words.facts(),
        note="",
        verdict=page.verdict(),
        board=page.board(),
        sections=tuple(page.sections()),
    )


def campaign_requests(found: CampaignFindings) -> list[str]:
    """What to do before the results of a campaign are published, as plain sentences."""
    requests = []
    for text in _Page(found, ()).to_do():
        pieces = (text,) if isinstance(text, str) else text
        requests.append("".join(piece for piece in pieces if isinstance(piece, str)).strip())
    return requests


class _Page:
    """Parts of the page of one campaign."""

    def __init__(self, found: CampaignFindings, reports: Sequence[str]) -> None:
        self.found = found
        self.words = CampaignWords(found)
        self.reports = [quote(each) for each in reports]
        self.colours = _winner_colours(found)

    @property
    def tracks(self) -> tuple[str, ...]:
        """The tracks' names."""
        return tuple(track_name(evaluation, 40) for evaluation in self.found.evaluations)

    # The first screen

    def verdict(self) -> Verdict:
        """The claim, what other choices make of it, and what to do."""
        note = say("A lead that is not significant is no evidence of equality.")
        states = {choice.state for choice in (*self.found.choices, *self.found.metrics)}
        return Verdict(
            sentence=self.words.verdict(),
            more=" ".join(self.words.more()),
            depends_on=tuple(self._depends()) if self.found.winners else (),
            note=note if State.OTHER_NOT_SHOWN in states and self.found.winners else "",
            to_do=tuple(self.to_do()),
        )

    def _depends(self) -> Iterator[Depends]:
        found = self.found
        rows = {
            "Overall rule": found.other_rules,
            "Weights": found.equal_weights,
            "One track left out": found.tracks_left_out,
            "Metric": found.metrics,
        }
        for title, choices in rows.items():
            if choices:
                yield Depends(title, tuple(self._clauses(choices)))

    def _clauses(self, choices: Sequence[CampaignChoice]) -> Iterator[tuple[str, str, str]]:
        """A clause for each state, the most severe first: who is first under how many of the choices."""
        order = list(State)
        for state in sorted({choice.state for choice in choices}, key=order.index):
            alike = [choice for choice in choices if choice.state is state]
            by_winner: dict[tuple[int, ...], list[CampaignChoice]] = {}
            for choice in alike:
                by_winner.setdefault(choice.winners, []).append(choice)
            clauses = []
            for winners, own in by_winner.items():
                if winners:
                    who = self.words.listed_names(winners, 2)
                else:
                    who = "nobody"
                clauses.append(f"{who} {self._under(own)}")
            reason = self.words.choice_reason(alike[0])
            words = self.words.choice_state(alike[0]) + (f" ({reason})" if reason else "")
            yield "; ".join(clauses), words, state.value

    def _under(self, choices: Sequence[CampaignChoice]) -> str:
        """Under which choices, in a few words."""
        kind = choices[0].kind
        if kind is ChoiceKind.TRACK_LEFT_OUT:
            left_out = [self.tracks[int(choice.name)] for choice in choices]
            return f"without {listed(left_out, 'or', limit=4)}"
        if kind is ChoiceKind.EQUAL_WEIGHTS:
            return "with equal weights"
        if kind is ChoiceKind.RULE:
            return (
                "by "
                f"{listed([f'{each.name} ({self.words.choice_value(each, each.winners[0])})' for each in choices])}"
            )
        return f"by {listed([self.words.metric_name(choice) for choice in choices], limit=3)}"

    def to_do(self) -> Iterator[Text]:
        """What to do before the results are published."""
        found = self.found
        if found.tracks.announced is None:
            yield (
                "State how tracks are summed up: overall = “mean-score” or “mean-rank” in task.toml. ",
                Span("Why", href="#otherwise"),
            )
        changing = [
            choice
            for choice in found.choices
            if choice.winners and set(choice.winners) != set(found.winners)
        ]
        if changing and found.winners:
            yield (
                f"State in the paper that {self.words.changes_of_winner(changing)}. ",
                Span("Which", href="#otherwise"),
            )
        n_without = int((~found.tracks.summary.ranked).sum())
        if n_without and found.ranked:
            rows = f"{in_words(n_without)} {self.words.noun}{'s' * (n_without > 1)}"
            has = agreeing(n_without, "has", "have")
            asked = f"Say in the paper that {rows} skipped a track and {has} no overall rank. "
            yield (asked, Span("Who", href="#tracks"))
        of_tracks = [
            (place, len(each.verdict.to_do)) for place, each in enumerate(found.evaluations)
        ]
        counts = [f"{self.tracks[place]} {count}" for place, count in of_tracks if count]
        if counts:
            total = sum(count for _, count in of_tracks)
            yield (
                f"See what the tracks’ own reports ask for: {plural(total, 'point')} ({listed(counts, limit=6)}). ",
                Span("Reports", href="#participation"),
            )

    def board(self) -> Board:
        """The ranking over all tracks, with its intervals on one axis."""
        found = self.found
        shown = self._shown_rows()
        lower, upper = found.over.shown_ends
        reached = self._values()
        ranked = [row for row in shown if row in set(found.ranked)]
        values = [*lower[ranked].tolist(), *upper[ranked].tolist(), *reached[ranked].tolist()]
        axis = LinearAxis.around(values)
        rows = [self._board_row(row, axis, lower, upper) for row in shown]
        hidden = len(found.order) - len(shown)
        if hidden:
            rows.insert(
                FIRST_ROWS,
                BoardRow("", f"{plural(hidden, f'more {self.words.noun}')}", "", kind="summary"),
            )
        is_compared = found.comparison is not None
        return Board(
            caption=self._board_caption(),
            score=sentence_case(found.rule) if found.rule != MEAN else "Mean",
            other="mean rank" if found.rule == MEAN else "",
            rows=(*rows, *self._baseline_rows(axis)),
            axis=axis.axis,
            is_compared=is_compared,
            notes=tuple(self._board_notes()),
            more=f"Scores in every track, {plural(len(found.order), self.words.noun)}",
            link="#tracks",
        )

    def _values(self) -> np.ndarray:
        """What every row reaches by the rule of the ranking, shape (T,)."""
        summary = self.found.tracks.summary
        values = {
            MEAN: summary.mean_score,
            MEAN_RANK: summary.mean_rank,
            BORDA: summary.borda,
        }
        return values[self.found.rule]

    def _shown_rows(self) -> list[int]:
        order = list(self.found.order)
        if len(order) <= MOST_TEAMS:
            return order
        comparison = self.found.comparison
        if comparison is None:
            also = []
        else:
            also = [row for row in order[FIRST_ROWS:] if comparison.could_be_best[row]]
        return [*order[:FIRST_ROWS], *also]

    def _board_row(
        self, row: int, axis: LinearAxis, lower: np.ndarray, upper: np.ndarray
    ) -> BoardRow:
        found = self.found
        comparison = self.found.comparison
        summary = found.tracks.summary
        is_ranked = row in set(found.ranked)
        value = float(self._values()[row])
        colour = self.colours.get(row, "")
        shapes: tuple[Shape, ...] = ()
        if is_ranked and not np.isnan(value):
            shapes = (axis.dot(value, colour),)
            if not np.isnan(lower[row]):
                shapes = (axis.line(float(lower[row]), float(upper[row]), colour), *shapes)
        in_set = comparison is not None and bool(comparison.could_be_best[row])
        uncertain = comparison is not None and bool(comparison.uncertain[row])
        corrected = (
            comparison is not None
            and row in found.winners
            and not np.isnan(comparison.chosen_lower[row])
        )
        n_parts = int(found.tracks.n_parts[row])
        ranks = printed_ranks(summary.rules[found.rule])
        by_rank = printed_ranks(summary.rules[MEAN_RANK])
        if is_ranked:
            score = self.words.value(found.rule, row)
        else:
            score = "–"
        if is_ranked:
            moves = int(summary.ranks[found.rule][row] - summary.ranks[MEAN_RANK][row])
        else:
            moves = 0
        is_baseline = found.tracks.rows[row].role == Role.BASELINE
        return BoardRow(
            rank=ranks[row] if is_ranked else "–",
            name=self.words.names[row],
            score=score + (CORRECTED_MARK if corrected else ""),
            kind="baseline" if is_baseline else "team",
            shapes=shapes,
            confidence=("imprecise" if uncertain else "in-set") if in_set else "",
            possible_ranks=self.possible_ranks(row),
            unanswered=f"{n_parts} of {found.n_tracks} tracks" if n_parts < found.n_tracks else "",
            other=by_rank[row] if is_ranked else "",
            move=moves,
            wins=row in found.winners,
        )

    def possible_ranks(self, row: int) -> str:
        """The possible ranks of a row as printed."""
        comparison = self.found.comparison
        if comparison is None or not comparison.possible_ranks[row, 0]:
            return ""
        first, last = comparison.possible_ranks[row].tolist()
        if first == last:
            return f"{first}"
        return f"{first}–{last}"

    def _baseline_rows(self, axis: LinearAxis) -> Iterator[BoardRow]:
        if self.found.rule != MEAN:
            return
        for title, mean in sorted(self.words.baselines, key=lambda each: -each[1]):
            is_on = axis.first <= mean <= axis.last
            text = number(mean, self.words.decimals)
            shapes = (axis.dot(mean),) if is_on else ()
            if is_on:
                off = ""
            elif mean < axis.first:
                off = "low"
            else:
                off = "high"
            yield BoardRow("–", title, text, kind="baseline", shapes=shapes, off_scale=off)

    def _board_caption(self) -> str:
        found = self.found
        comparison = self.found.comparison
        tracks = f"over {in_words(found.n_tracks)} tracks"
        if comparison is None:
            return f"Ranking {tracks} by {found.rule}"
        if found.is_significant:
            first = self.words.listed_names(found.winners)
            return say(f"{first} is significantly ahead of all other {self.words.noun}s {tracks}")
        n_best = len(comparison.contenders)
        noun = self.words.noun
        return say(f"{n_best:,} of {plural(found.n_compared, noun)} may be the best one {tracks}")

    def _board_notes(self) -> Iterator[str]:
        found = self.found
        if found.comparison is not None:
            yield say("Shaded: in the 95% confidence set for the best team over all tracks.")
            if (found.comparison.could_be_best & found.comparison.uncertain).any():
                yield say(HATCHED_NOTE)
            yield say(POSSIBLE_RANKS_NOTE)
        if not np.isnan(found.over.lower).all():
            yield say(
                f"Lines: 95% confidence intervals of the {found.rule}s; * corrected for selection (winner’s curse)."
            )
        if found.rule == MEAN_RANK:
            yield "A low mean rank is a good one."
        if len(found.ranked) < len(found.order):
            yield f"{NO_RANK}: no overall rank."
        if self.words.baselines or any(row.role == Role.BASELINE for row in found.tracks.rows):
            yield "Italic: baselines."
        yield self.words.participation()

    # The sections

    def sections(self) -> Iterator[Section]:
        """One section for each question."""
        yield self._tracks_section()
        if self.found.n_tracks > 1:
            yield self._agreement_section()
        if self.found.winners:
            if self.found.metrics:
                yield self._choices_section("metrics", QUESTIONS["metrics"], self.found.metrics)
            yield self._choices_section(
                "otherwise",
                "Does the winner change with the rule, the weights or a single track?",
                self.found.choices,
            )
        if self.found.comparison is not None:
            yield self._pairs_section()
        yield self._participation_section()
        yield Section(
            "method",
            "How are tracks summed up and compared?",
            (),
            (Listing(tuple(self.words.method())),),
            name="Method",
        )

    def _tracks_section(self) -> Section:
        found = self.found
        blocks: list[Block] = []
        if found.n_tracks <= MOST_TRACKS_AS_COLUMNS:
            blocks.append(self._scores_table())
        else:
            blocks.append(self._counts_table())
            blocks.append(
                Fold(
                    "tracks-as-rows",
                    "Every track, with the ranks of the teams",
                    (self._ranks_by_track(),),
                )
            )
            blocks.append(
                Fold(
                    "scores-by-track",
                    "Every track, with the scores of the teams",
                    (self._scores_by_track(),),
                )
            )
        blocks.append(
            Fold("all-rules", "Mean rank and Borda count of every team", (self._rules_table(),))
        )
        return Section(
            "tracks",
            "How do the teams do in each track?",
            (self._tracks_answer(),),
            tuple(blocks),
            name="Tracks",
        )

    def _tracks_answer(self) -> str:
        found = self.found
        if not found.winners:
            return "No team has an overall rank"
        first = found.winners[0]
        n_first = int((found.tracks.ranks[first] == 1).sum())
        others = {
            row
            for track in range(found.n_tracks)
            for row in np.flatnonzero(found.tracks.ranks[:, track] == 1)
        }
        of_tracks = f"{in_words(n_first)} of {self.words.n_tracks_in_words} tracks"
        if len(found.winners) > 1:
            return f"{len(others)} {self.words.noun}s rank first in some track"
        if n_first == found.n_tracks:
            return f"{self.words.names[first]} ranks first in all {self.words.n_tracks_in_words} tracks"
        return f"{self.words.names[first]} ranks first in {of_tracks if n_first else 'none of the tracks'}"

    def _scores_table(self) -> Table:
        """Teams × tracks: scores with their ranks; shaded in a track's confidence set, bold where alone in it."""
        found = self.found
        heads = [row_names("Team"), Column("Rank"), Column(self._value_head())]
        links = self.reports or [""] * found.n_tracks
        heads += [Column(name, href=link) for name, link in zip(self.tracks, links, strict=True)]
        ranks = printed_ranks(found.tracks.summary.rules[found.rule])
        ranked = set(found.ranked)
        rows = []
        for row in self._shown_rows():
            rank = NO_RANK
            value = NO_RANK
            if row in ranked:
                rank = ranks[row]
                value = self.words.value(found.rule, row)
            cells = [Cell(self.words.marked(row)), Cell(rank), Cell(value)]
            cells += [self._track_cell(row, track) for track in range(found.n_tracks)]
            rows.append((*cells, *self._about_cells(found.tracks.rows[row].team)))
        for place in range(len(found.tracks.unranked)):
            team = found.tracks.unranked[place][0].team
            rows.append((*self._beside_row(place), *self._about_cells(team)))
        heads += self._about_heads()
        return Table(
            "table-tracks",
            self.words.participation(),
            tuple(heads),
            tuple(rows),
            note=self._tracks_note(),
            style="lines",
        )

    def _value_head(self) -> str:
        """The head of the values of the rule."""
        if self.found.rule == MEAN:
            return "Mean"
        return sentence_case(self.found.rule)

    def _about_heads(self) -> list[Column]:
        """The columns of teams.csv, where the campaign has one."""
        return [Column(sentence_case(column), numeric=False) for column in self.found.about_columns]

    def _about_cells(self, team: str) -> list[Cell]:
        """What teams.csv says of a team."""
        said = self.found.about.get(team, {})
        return [Cell(visible(said.get(column, ""), 200)) for column in self.found.about_columns]

    def _track_cell(self, row: int, track: int) -> Cell:
        found = self.found
        if found.tracks.entries[row, track] < 0:
            return Cell(ABSENT, style="absent")
        decimals = found.evaluations[track].task.printed_decimals
        text = f"{number(float(found.tracks.scores[row, track]), decimals)} ({found.tracks.ranks[row, track]})"
        return Cell(text, style=self._track_style(row, track))

    def _track_style(self, row: int, track: int) -> str:
        if self.found.is_alone_in(track, row):
            return "best in-set"
        if self.found.is_in_set(track, row):
            return "in-set"
        return ""

    def _beside_row(self, place: int) -> tuple[Cell, ...]:
        """A baseline, or a late or unofficial run, which takes no rank."""
        found = self.found
        _, places = found.tracks.unranked[place]
        name = self.words.marked_beside(place)
        cells = [Cell(name, style="beside"), Cell(NO_RANK), Cell(NO_RANK)]
        for entry, evaluation, key in zip(
            places.tolist(), found.evaluations, found.tracks.keys, strict=True
        ):
            if entry >= 0:
                score = float(evaluation.scores_of(key)[entry])
                text = number(score, evaluation.task.printed_decimals)
                cells.append(Cell(text, style="beside"))
            else:
                cells.append(Cell(ABSENT, style="absent"))
        return tuple(cells)

    def _tracks_note(self) -> str:
        found = self.found
        notes = ["In parentheses: rank in the track.", *self._marks(), self.words.legend()]
        notes.append(
            say(
                "Shaded: in the 95% confidence set for the best team of the track, each track by itself; bold: "
                "significantly ahead of all others there."
            )
        )
        if found.n_tracks >= 10:  # noqa: PLR2004 - from which one is to be expected in every second campaign
            expected = number(self.found.n_tracks / 20, 1)
            notes.append(
                say(
                    f"In about {expected} of {self.found.n_tracks} tracks the best team may lack the shading."
                )
            )
        return " ".join(filter(None, notes))

    def _marks(self) -> Iterator[str]:
        """What stands for a score or a rank that is not there, of what occurs."""
        found = self.found
        if len(found.ranked) < len(found.order) or found.tracks.unranked:
            yield f"{NO_RANK}: no overall rank."
        if (found.tracks.entries < 0).any():
            yield f"“{ABSENT}”: took no part in the track."

    def _counts_table(self) -> Table:
        """In how many tracks each team is first, in the confidence set, and took part at all."""
        found = self.found
        n_tracks = self.found.n_tracks
        heads = (
            row_names("Team"),
            Column("Rank"),
            Column(self._value_head()),
            Column("First in"),
            Column("In the confidence set of"),
            Column("Took part in"),
            Column("Best rank"),
            Column("Worst rank"),
            *self._about_heads(),
        )
        ranks = printed_ranks(found.tracks.summary.rules[found.rule])
        ranked = set(found.ranked)
        rows = []
        for row in self._shown_rows():
            own = found.tracks.ranks[row][found.tracks.entries[row] >= 0]
            in_set = sum(found.is_in_set(track, row) for track in range(n_tracks))
            rank = NO_RANK
            value = NO_RANK
            if row in ranked:
                rank = ranks[row]
                value = self.words.value(found.rule, row)
            texts = [
                rank,
                value,
                f"{int((own == 1).sum())}",
                f"{in_set}",
                f"{len(own)}",
                f"{own.min()}",
                f"{own.max()}",
            ]
            about = self._about_cells(found.tracks.rows[row].team)
            rows.append((Cell(self.words.names[row]), *map(Cell, texts), *about))
        return Table(
            "table-tracks",
            self.words.participation(),
            heads,
            tuple(rows),
            note=self._counts_note(),
            style="lines",
        )

    def _counts_note(self) -> str:
        expected = number(self.found.n_tracks / 20, 1)
        note = say(
            "Each track’s 95% confidence set holds by itself: in about "
            f"{expected} of {self.found.n_tracks} tracks the best team may not be in it."
        )
        if len(self.found.ranked) < len(self.found.order):
            return f"{NO_RANK}: no overall rank. {note}"
        return note

    def _ranks_by_track(self) -> Table:
        found = self.found
        shown = self._shown_rows()[:MOST_TEAMS]
        rows = []
        for track, name in enumerate(self.tracks):
            cells = []
            for row in shown:
                if found.tracks.entries[row, track] < 0:
                    cells.append(Cell(ABSENT_MARK))
                    continue
                rank = int(found.tracks.ranks[row, track])
                style = self._track_style(row, track)
                if rank == 1:
                    style = "win w0"
                cells.append(Cell(f"{rank}", style=style))
            rows.append((self._track_head(track, name), *cells))
        heads = (row_names("Track"), *(Column(self.words.names[row]) for row in shown))
        return Table(
            "table-ranks-by-track",
            "Rank of each team in each track",
            heads,
            tuple(rows),
            sortable=False,
            upright=True,
            style="matrix",
            note=" ".join(
                [say("Shaded: in the track’s 95% confidence set."), *self._absent_mark()]
            ),
        )

    def _absent_mark(self) -> Iterator[str]:
        if (self.found.tracks.entries < 0).any():
            yield f"{ABSENT_MARK}: took no part in the track."

    def _scores_by_track(self) -> Table:
        found = self.found
        shown = self._shown_rows()[:MOST_TEAMS]
        rows = []
        for track, name in enumerate(self.tracks):
            decimals = found.evaluations[track].task.printed_decimals
            texts = []
            for row in shown:
                if found.tracks.entries[row, track] < 0:
                    texts.append(ABSENT_MARK)
                else:
                    texts.append(number(float(found.tracks.scores[row, track]), decimals))
            rows.append((self._track_head(track, name), *map(Cell, texts)))
        heads = (row_names("Track"), *(Column(self.words.names[row]) for row in shown))
        return Table(
            "table-scores-by-track",
            "Score of each team in each track",
            heads,
            tuple(rows),
            sortable=False,
            upright=True,
            note=" ".join(self._absent_mark()),
        )

    def _track_head(self, track: int, name: str) -> Cell:
        return Cell(name, href=self.reports[track] if self.reports else "")

    def _rules_table(self) -> Table:
        found = self.found
        rules = [MEAN, MEAN_RANK, BORDA]
        with_interval = [rule for rule in rules if rule == found.rule or found.has_few_rows]
        values = found.tracks.summary.rules
        printed = {rule: printed_ranks(values[rule]) for rule in rules}
        heads = [row_names("Team")]
        for rule in rules:
            heads.append(Column(sentence_case(rule)))
            if rule in with_interval:
                heads.append(Column("95% CI", f"95% confidence interval of the {rule}"))
            heads.append(Column("Rank", f"Rank by {rule}"))
        heads += [Column("Possible ranks", f"By {found.rule}"), Column("Tracks")]
        rows = []
        for row in found.order:
            cells = [self.words.names[row]]
            for rule in rules:
                value = NO_RANK
                interval = NO_RANK
                rank = NO_RANK
                if row in set(found.ranked) and not np.isnan(values[rule][row]):
                    value = self.words.value(rule, row)
                    rank = printed[rule][row]
                    if rule in with_interval:
                        interval = self._interval(rule, row)
                cells.append(value)
                if rule in with_interval:
                    cells.append(interval)
                cells.append(rank)
            cells += [self.possible_ranks(row) or NO_RANK, str(int(found.tracks.n_parts[row]))]
            rows.append(tuple(map(Cell, cells)))
        notes = [f"Possible ranks: by {found.rule}."]
        if len(found.ranked) < len(found.order):
            notes.append(f"{NO_RANK}: no overall rank.")
        return Table(
            "table-rules",
            "The teams by each overall rule",
            tuple(heads),
            tuple(rows),
            note=" ".join(notes),
            style="lines",
        )

    def _interval(self, rule: str, row: int) -> str:
        """The interval of a row's value in a table."""
        text = self.words.interval(rule, row)
        if text == "–":
            return "none"
        return f"[{text}]"

    def _agreement_section(self) -> Section:
        rho = self.found.spearman
        names = self.tracks
        pairs = [
            (float(rho[row, column]), row, column)
            for row in range(len(names))
            for column in range(row)
        ]
        defined = [pair for pair in pairs if not np.isnan(pair[0])]
        answer = self._agreement_answer(defined)
        rows = []
        for row, name in enumerate(names):
            cells = [self._correlation_cell(float(value)) for value in rho[row, :row]]
            empty = [Cell("", style="empty")] * (len(names) - row - 1)
            rows.append((self._track_head(row, name), *cells, Cell("1", style="self"), *empty))
        notes = ["Scores by each track’s official metric; tied teams share ranks."]
        if len(defined) < len(pairs):
            notes.append(f"{UNDEFINED}: fewer than two teams in both, or all tied in one.")
        table = Table(
            "table-track-correlations",
            "Spearman’s rank correlation between tracks, over the teams that took part in both",
            (row_names("Track"), *map(Column, names)),
            tuple(rows),
            note=" ".join(notes),
            sortable=False,
            upright=True,
            style="matrix dense" if len(names) > MOST_WIDE_CELLS else "matrix",
        )
        return Section(
            "agreement",
            "Do the tracks rank the teams alike?",
            (answer,),
            (table,),
            name="Rank correlation",
        )

    def _agreement_answer(self, defined: Sequence[tuple[float, int, int]]) -> str:
        """The lowest correlation, of those over enough teams to tell an order from chance."""
        if not defined:
            return "Undefined: too few teams took part in two tracks"
        common = self.found.n_common
        noun = self.words.noun
        told = [pair for pair in defined if common[pair[1], pair[2]] >= _LEAST_COMMON]
        if not told:
            most = max(int(common[row, column]) for _, row, column in defined)
            shared = f"{in_words(most)} {noun}s in common"
            return f"Too few to compare: no two tracks have more than {shared}"
        lowest, row, column = min(told)
        both = f"{self.tracks[column]} and {self.tracks[row]}"
        rho = f"ρ = {number(lowest, 2)} over {plural(int(common[row, column]), noun)}"
        if lowest >= _ALIKE:
            counts = sorted({int(common[row, column]) for _, row, column in told})
            over = plural(counts[-1], noun)
            if len(counts) > 1:
                over = f"{counts[0]} to {over}"
            answer = f"Yes: all correlations are {number(lowest, 2)} or higher, over {over}"
        elif lowest < 0:
            answer = f"No: {both} rank the teams in different orders ({rho})"
        elif lowest >= _LARGELY:
            answer = f"Largely: {both} agree least ({rho})"
        else:
            answer = f"No: {both} agree only weakly ({rho})"
        n_untold = len(defined) - len(told)
        if n_untold:
            pairs = plural(n_untold, "pair")
            answer += f"; {pairs} of tracks with too few to compare"
        return answer

    @staticmethod
    def _correlation_cell(value: float) -> Cell:
        if np.isnan(value):
            return Cell(UNDEFINED)
        if value >= 0:
            sign = "p"
        else:
            sign = "m"
        return Cell(number(value, 2), style=f"{sign}{round(abs(value) * (SHADES - 1))}")

    def _choices_section(
        self, anchor: str, question: str, choices: Sequence[CampaignChoice]
    ) -> Section:
        found = self.found
        changed = [
            choice
            for choice in choices
            if choice.winners and set(choice.winners) != set(found.winners)
        ]
        able = [choice for choice in choices if choice.winners]
        winners = self.words.listed_names(found.winners, 3)
        if anchor == "metrics":
            noun = "metrics"
        else:
            noun = "choices"
        if not changed:
            rank = agreeing(len(found.winners), "ranks", "rank")
            answer = f"No: {winners} {rank} first under all {in_words(len(able))} other {noun}"
        else:
            others = dict.fromkeys(
                row for choice in changed for row in choice.winners if row not in found.winners
            )
            who = self.words.listed_names(others, 4) or "no team alone"
            significant = {State.OTHER_SHOWN, State.OTHER_SHOWN_THERE}
            n_significant = sum(choice.state in significant for choice in changed)
            tested = any(choice.state is not State.NOT_TESTED for choice in changed)
            if n_significant:
                lead = f", significantly ahead of {winners} under {in_words(n_significant)}"
            else:
                lead = f", but never significantly ahead of {winners}"
            under = f"{in_words(len(changed))} of {in_words(len(able))} other {noun}"
            if tested:
                answer = say(f"Yes: {who} wins under {under}{lead}")
            else:
                answer = say(f"Yes: {who} wins under {under}; whether significantly was not tested")
        blocks: tuple[Block, ...] = (self._choices_table(f"table-{anchor}", choices),)
        if len(choices) > MOST_CHOICES:
            first = choices[0].kind
            shown = [choice for choice in choices if choice in changed or choice.kind is first]
            fold = Fold(f"every-{anchor}", f"All {len(choices)} choices", blocks)
            blocks = (self._choices_table(f"table-{anchor}-changed", shown), fold)
        if anchor == "metrics":
            name = "Metrics"
        else:
            name = "Rule and tracks"
        return Section(anchor, question, (answer,), blocks, "audit whatif TASK", name)

    def _choices_table(self, anchor: str, choices: Sequence[CampaignChoice]) -> Table:
        rows = []
        for choice in choices:
            if choice.kind is ChoiceKind.METRIC:
                label = self.words.metric_name(choice)
            else:
                label = self.words.choice_name(choice)
            if not choice.winners:
                rows.append((Cell(sentence_case(label)), Cell("nobody"), *[Cell("")] * 4))
                continue
            first = choice.winners[0]
            colour = self.colours.get(first, "")
            lead, p = self._lead_cells(choice)
            rows.append(
                (
                    Cell(sentence_case(label)),
                    Cell(
                        self.words.listed_names(choice.winners, 2), style=f"team {colour}".strip()
                    ),
                    Cell(self.words.choice_value(choice, first)),
                    Cell(lead),
                    Cell(p),
                    Cell(self.words.choice_state(choice), style=f"chip {choice.state.value}"),
                )
            )
        heads = (
            row_names("Choice"),
            Column("Winner", numeric=False),
            Column("Score"),
            Column("Lead", numeric=False),
            Column("Adjusted p"),
            Column("State", numeric=False),
        )
        note = say(LEAD_NOTE, winner="the winner by the official rule")
        return Table(
            anchor,
            say("The first place under other choices, and whether it is significant"),
            heads,
            tuple(rows),
            note=note,
            sortable=False,
            style="lines",
        )

    def _lead_cells(self, choice: CampaignChoice) -> tuple[str, str]:
        """The lead of a choice's winner as printed, and its adjusted p."""
        rule = self.words.rule_of(choice)
        goodness = choice.tracks.summary.rules[rule]
        first = choice.winners[0]
        rivals = [row for row in self.found.winners if row not in choice.winners]
        others = [
            row
            for row in range(len(goodness))
            if row not in choice.winners and not np.isnan(goodness[row])
        ]
        if not rivals and others:
            rivals = [max(others, key=lambda row: goodness[row])]
        if not rivals:
            return "nobody else is ranked", ""
        rival = rivals[0]
        if np.isnan(goodness[rival]):
            return f"{self.words.names[rival]} has no rank there", ""
        size = self.words.difference(rule, float(goodness[first] - goodness[rival]))
        lead = f"{size} over {self.words.names[rival]}"
        comparison = choice.comparison
        if comparison is None or not comparison.compares([first, rival]):
            return lead, NOT_TESTED
        return lead, p_text(float(comparison.adjusted_p[first, rival]))

    def _pairs_section(self) -> Section:
        found = self.found
        comparison = self.found.comparison
        assert comparison is not None  # noqa: S101 - some rows are compared
        order = [row for row in found.ranked if comparison.possible_ranks[row, 0] > 0]
        shown = order[:MOST_MAPPED]
        n_pairs = len(order) * (len(order) - 1) // 2
        n_ahead = int(comparison.ahead.sum())
        filled = tuple(
            tuple(bool(comparison.ahead[above, row]) for above in shown[:place])
            for place, row in enumerate(shown)
        )
        if len(shown) == len(order):
            more = ""
        else:
            more = f" The first {len(shown)} are shown."
        pairs = PairMap(
            "pair-map",
            say(f"Statistically significant differences of {found.rule}s among {n_pairs:,} pairs"),
            tuple(self.words.names[row] for row in shown),
            filled,
            note=say(
                "Filled: the team at the top of the column is significantly better over all tracks than that at the "
                "right end of the row. "
                f"An empty square is no evidence of equality.{more}"
            ),
            is_on_phones=tuple(place < MOST_ON_PHONES for place in range(len(shown))),
        )
        answer = say(
            f"{n_ahead:,} of {n_pairs:,} pairwise differences over all tracks are significant"
        )
        question = say("Which differences over all tracks are statistically significant?")
        return Section("ahead", question, (answer,), (pairs,), name="Significance")

    def _participation_section(self) -> Section:
        found = self.found
        rows = []
        for track, evaluation in enumerate(found.evaluations):
            key = evaluation.task.ranking_metric
            n_teams = len({entry.team for entry in evaluation.entries if entry.competes})
            n_runs = sum(entry.competes for entry in evaluation.entries)
            claim = evaluation.verdict.sentence
            metric = phrase(key, evaluation.task.label_set)
            texts = [f"{evaluation.gold.n_units:,}", f"{n_teams:,}", f"{n_runs:,}"]
            rows.append(
                (
                    self._track_head(track, self.tracks[track]),
                    *map(Cell, texts),
                    Cell(metric),
                    Cell(claim, style="sentence"),
                )
            )
        heads = (
            row_names("Track"),
            Column("Items"),
            Column("Teams"),
            Column("Runs"),
            Column("Metric", numeric=False),
            Column("Verdict of the track by itself", numeric=False),
        )
        table = Table(
            "table-participation",
            f"{plural(found.n_tracks, 'track')}, each with its own report",
            heads,
            tuple(rows),
            sortable=False,
            style="lines",
        )
        blocks: tuple[Block, ...] = (table,)
        if not self.reports:
            blocks = (
                table,
                Paragraph(
                    "audit report CAMPAIGN --track NAME writes the report of one track.", "note"
                ),
            )
        return Section(
            "participation",
            "Which tracks are there, and who took part?",
            (self.words.participation(),),
            blocks,
            name="Participation",
        )


def _winner_colours(found: CampaignFindings) -> dict[int, str]:
    """A colour for each row that is first under some choice: w0 for the winner, at most four; then wo."""
    colours = dict.fromkeys(found.winners, "w0")
    for choice in (*found.metrics, *found.choices):
        for row in choice.winners:
            number_ = 1 + len(set(colours.values()) - {"w0", "wo"})
            colours.setdefault(row, f"w{number_}" if number_ < _MOST_COLOURS else "wo")
    return colours
