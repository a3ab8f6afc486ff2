"""The LaTeX files of a campaign with several tracks: tables over the tracks, the paragraph, methods, macros."""

from collections.abc import Sequence

from audit.findings.campaign import MEAN, CampaignFindings
from audit.ranking.ranks import printed_ranks
from audit.report.campaign_paper import methods_of_campaign, results_of_campaign
from audit.report.campaign_words import (
    CORRECTED_MARK,
    CampaignWords,
    campaign_title,
    track_key,
    track_name,
)
from audit.report.references import bibliography
from audit.text import number, plural, visible
from audit.writers.latex.numbers import key_of, unique_keys
from audit.writers.latex.tex import PREAMBLE, tex

MOST_TRACKS_ACROSS = 7
TEAMS_ACROSS = 16
ROWS_OF_PAGE = 46
_NAME = 24
_MACRO = (
    r"\providecommand\auditcampaign[2]{\ifcsname audit@campaign@#1@#2\endcsname\csname audit@campaign@#1@#2\endcsname"
    r"\else\PackageError{audit}{There is no #2 of #1}{The keys stand at the top of numbers.tex.}\fi}"
)


def campaign_paper_files(found: CampaignFindings) -> dict[str, str]:
    """Every LaTeX file of a campaign by name."""
    files = _Files(found)
    return {
        "campaign_narrow.tex": files.narrow(),
        "campaign_wide.tex": files.wide(),
        "campaign_long.tex": files.long(),
        "participation.tex": files.participation(),
        "results.tex": _prose(results_of_campaign(found)),
        "methods.tex": _prose(methods_of_campaign(found)),
        "numbers.tex": files.macros(),
        "references.bib": bibliography(),
    }


def _prose(sentences: Sequence[str]) -> str:
    return PREAMBLE + "".join(f"{tex(sentence)}\n" for sentence in sentences)


def _tabular(align: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [" & ".join(row) + r" \\" for row in rows]
    body = [r"\toprule", " & ".join(head) + r" \\", r"\midrule", *lines, r"\bottomrule"]
    begin = (
        rf"{{\footnotesize\setlength{{\tabcolsep}}{{2.5pt}}\begin{{tabular}}{{@{{}}{align}@{{}}}}"
    )
    return "\n".join([begin, *body, r"\end{tabular}\par}"])


class _Files:
    """The tables of one campaign."""

    def __init__(self, found: CampaignFindings) -> None:
        self.found, self.about = found, found.about
        self.words = CampaignWords(found)
        self.ranks = printed_ranks(found.tracks.summary.rules[found.rule])
        self.ranked = set(found.ranked)
        self.title = campaign_title(found.evaluations)

    def narrow(self) -> str:
        """The ranking over all tracks for one column."""
        heads, align = self._heads(extra=False)
        rows = [self._row(row, extra=False) for row in self._rows()]
        return self._file(
            "campaign-narrow", _tabular(align, heads, rows), self._caption(), self._note()
        )

    def wide(self) -> str:
        """The ranking across the page; the tracks as columns where they fit, else in how many each team is first."""
        heads, align = self._heads(extra=True)
        rows = [self._row(row, extra=True) for row in self._rows()]
        if self.found.n_tracks <= MOST_TRACKS_ACROSS:
            heads += [tex(track_name(evaluation, 10)) for evaluation in self.found.evaluations]
            align += "r" * self.found.n_tracks
            for row, cells in zip(self._rows(), rows, strict=True):
                cells.extend(self._track_cell(row, track) for track in range(self.found.n_tracks))
        else:
            heads += ["first in", r"$\bullet$ in", "tracks"]
            align += "rrr"
            for row, cells in zip(self._rows(), rows, strict=True):
                cells.extend(self._counts(row))
        return self._file(
            "campaign-wide", _tabular(align, heads, rows), self._caption(), self._note(tracks=True)
        )

    def long(self) -> str:
        """Every track as a row, the first teams across: score, and rank as subscript."""
        blocks = []
        order = list(self.found.order)
        for start in range(0, len(order), TEAMS_ACROSS):
            teams = order[start : start + TEAMS_ACROSS]
            heads = [
                "Track",
                *(
                    rf"\rotatebox{{90}}{{{tex(visible(self.words.names[row], _NAME))}}}"
                    for row in teams
                ),
            ]
            rows = []
            for track, evaluation in enumerate(self.found.evaluations):
                cells = [self._track_cell(row, track) for row in teams]
                rows.append([tex(track_name(evaluation, _NAME)), *cells])
            blocks.append(_tabular("l" + "r" * len(teams), heads, rows))
        caption = f"Score of each team in each track of {self.title}, with its rank there."
        return self._file(
            "campaign-long", "\\par\\bigskip\n".join(blocks), caption, self._note(tracks=True)
        )

    def participation(self) -> str:
        """How many teams and runs each track has."""
        rows = []
        for evaluation in self.found.evaluations:
            competing = [entry for entry in evaluation.entries if entry.competes]
            n_teams = len({entry.team for entry in competing})
            texts = [f"{evaluation.gold.n_units:,}", f"{n_teams:,}", f"{len(competing):,}"]
            rows.append([tex(track_name(evaluation, 40)), *texts])
        table = _tabular("lrrr", ["Track", "Items", "Teams", "Runs"], rows)
        return self._file(
            "campaign-participation",
            table,
            f"Participation in {self.title}.",
            self.words.participation(),
        )

    def macros(self) -> str:
        r"""Every number by one look-up: \auditcampaign{TEAM}{WHAT}."""
        keys = unique_keys(self.words.names[: len(self.found.tracks.rows)])
        tracks = unique_keys([track_key(evaluation) for evaluation in self.found.evaluations])
        lines = [
            "% \\auditcampaign{TEAM}{WHAT}: rank, mean, lower, upper, and TRACK.score, TRACK.rank",
            f"% TEAM: {', '.join(keys)}",
            f"% TRACK: {', '.join(tracks)}",
            _MACRO,
        ]
        lower, upper = self.found.means.shown_ends
        for row in self.found.order:
            key = keys[row]
            is_ranked = row in self.ranked
            values = {"rank": self.ranks[row] if is_ranked else "--"}
            if is_ranked and self.found.tracks.has_mean:
                values["mean"] = self.words.value(MEAN, row)
                values["lower"] = number(float(lower[row]), self.words.decimals)
                values["upper"] = number(float(upper[row]), self.words.decimals)
            for track, evaluation in enumerate(self.found.evaluations):
                name = tracks[track]
                score = float(self.found.tracks.scores[row, track])
                values[f"{name}.score"] = number(score, evaluation.task.printed_decimals)
                values[f"{name}.rank"] = str(self.found.tracks.ranks[row, track] or "--")
            lines += [
                rf"\expandafter\def\csname audit@campaign@{key}@{what}\endcsname{{{tex(value)}}}"
                for what, value in values.items()
            ]
        return "\n".join(lines) + "\n"

    # Parts

    def _rows(self) -> list[int]:
        return list(self.found.order)[:ROWS_OF_PAGE]

    def _heads(self, *, extra: bool) -> tuple[list[str], str]:
        heads = ["", "Team", "Mean" if self.found.rule == MEAN else tex(self.found.rule), r"95\%"]
        align = "rlrl"
        if self.found.comparison is not None:
            heads += [r"$\bullet$", "Ranks"]
            align += "cr"
        for column in self._about_columns() if extra else ():
            heads.append(tex(column))
            align += "l"
        return heads, align

    def _about_columns(self) -> list[str]:
        """What teams.csv says beside the team and its paper, which are few words."""
        return [each for each in self.found.about_columns if each in {"institution", "method"}]

    def _row(self, row: int, *, extra: bool) -> list[str]:
        found = self.found
        is_ranked = row in self.ranked
        name = tex(visible(self.words.names[row], _NAME))
        if found.is_significant and row in found.winners:
            name = rf"\textbf{{{name}}}"
        interval = "--"
        ends = self.words.interval(found.rule, row)
        if is_ranked and ends != "–":
            is_corrected = found.comparison is not None and row in found.winners
            interval = f"[{ends}]" + (CORRECTED_MARK if is_corrected else "")
        cells = [tex(self.ranks[row]) if is_ranked else "--", name]
        cells += [
            tex(self.words.value(found.rule, row)) if is_ranked else "--",
            tex(interval) if interval != "--" else "--",
        ]
        if found.comparison is not None:
            first, last = found.comparison.possible_ranks[row].tolist()
            cells.append(r"$\bullet$" if found.comparison.could_be_best[row] else "")
            cells.append("--" if not first else f"{first}" if first == last else f"{first}--{last}")
        for column in self._about_columns() if extra else ():
            cells.append(
                tex(visible(self.about.get(found.tracks.rows[row].team, {}).get(column, ""), 40))
            )
        return cells

    def _track_cell(self, row: int, track: int) -> str:
        """A score with its rank as subscript; ● in the track's confidence set, bold where alone in it."""
        found = self.found
        if found.tracks.entries[row, track] < 0:
            return "absent"
        score = number(
            float(found.tracks.scores[row, track]), found.evaluations[track].task.printed_decimals
        )
        text = tex(score)
        if found.is_alone_in(track, row):
            text = rf"\textbf{{{text}}}"
        if found.is_in_set(track, row):
            mark = r"^{\bullet}"
        else:
            mark = ""
        return rf"{text}$_{{{found.tracks.ranks[row, track]}}}{mark}$"

    def _counts(self, row: int) -> list[str]:
        own = self.found.tracks.ranks[row][self.found.tracks.entries[row] >= 0]
        in_set = sum(self.found.is_in_set(track, row) for track in range(self.found.n_tracks))
        return [str(int((own == 1).sum())), str(in_set), str(len(own))]

    def _caption(self) -> str:
        cut = len(self.found.order) - ROWS_OF_PAGE
        if cut > 0:
            more = f" The first {ROWS_OF_PAGE} of {len(self.found.order):,}; all: ranking.csv."
        else:
            more = ""
        over = plural(self.found.n_tracks, "track")
        return f"{self.title}: {plural(len(self.found.order), self.words.noun)} over {over} by {self.found.rule}.{more}"

    def _note(self, *, tracks: bool = False) -> str:
        sentences = list(self.words.table_notes(tracks=tracks))
        return " ".join(sentences)

    def _file(self, name: str, body: str, caption: str, note: str) -> str:
        label = f"tab:{key_of(self.found.evaluations[0].task.family or 'campaign')}-{name}"
        head = (
            "\\makeatletter\n\\providecommand\\auditcaption[2]{{\\def\\@captype{table}\\caption{#1}\\label{#2}}"
            "\\smallskip}\n\\makeatother\n"
        )
        if "rotatebox" in body:
            needs = "% Needs: \\usepackage{graphicx}\n"
        else:
            needs = ""
        centred = f"{{\\centering\n\\auditcaption{{{tex(caption)}}}{{{label}}}\n{body}\n\\par}}\n"
        return f"{PREAMBLE}{needs}{head}{centred}\\par\\smallskip\n{{\\footnotesize {tex(note)}\\par}}\n"
