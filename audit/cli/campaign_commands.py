"""What commands print of a campaign with several tracks: of all of them together, by one function for each command."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from audit.cli.output import answer, print_json, progress_bar, store_option
from audit.cli.steps import executor_of
from audit.errors import UsageError
from audit.text import listed, visible

if TYPE_CHECKING:
    from audit.findings.campaign import CampaignFindings
    from audit.workflow import Named

_LINES_OF_SHOW = 40


def read(
    named: "Named", store: Path, cluster: str | None = None, by: str | None = None
) -> "CampaignFindings":
    """The campaign evaluated and summed up by a rule, with a bar for how far it is."""
    from audit import workflow

    with progress_bar() as on_step:
        return workflow.read_campaign(
            named, store, by=by, executor=executor_of(cluster), on_step=on_step
        )


def refuse_rule(by: str | None) -> None:
    """Refuse a rule over several tracks where one test set is asked for."""
    if by is not None:
        raise UsageError("--by sums up the tracks of a campaign: this is a single test set.")


def refuse_for_tracks(**options: object) -> None:
    """Refuse options that are of a single test set."""
    given = [f"--{name}" for name, value in options.items() if value]
    if given:
        raise UsageError(f"{listed(given)} is asked of one track: add --track NAME.")


def show(
    found: "CampaignFindings", store: Path, *, tracks: bool, as_json: bool, as_csv: bool
) -> None:
    """The ranking over all tracks, or the tracks themselves."""
    from audit.report.campaign_terminal import campaign_layouts, track_table
    from audit.writers.data.campaign_data import campaign_csv, campaign_data
    from audit.writers.terminal import layout_width, write, write_layout

    if as_csv:
        typer.echo(campaign_csv(found), nl=False)
    elif as_json:
        print_json(campaign_data(found))
    elif tracks:
        write(*track_table(found))
    else:
        layouts = campaign_layouts(found, "", layout_width(), store_option(store))
        write_layout(layouts, _LINES_OF_SHOW)


def compare(found: "CampaignFindings", first: str, second: str, *, as_json: bool) -> None:
    """Two teams by the rule of the ranking."""
    from audit.document import Paragraph
    from audit.report.campaign_words import CampaignWords
    from audit.writers.data.campaign_data import pair_data

    rows = found.row_number(first), found.row_number(second)
    if rows[0] == rows[1]:
        raise UsageError(f"“{visible(first)}” cannot be compared with itself.")
    words = CampaignWords(found)
    answer(
        lambda: pair_data(found, found.comparison, *rows),
        lambda: (Paragraph(sentence, "lead") for sentence in words.pair(*rows)),
        as_json=as_json,
    )


def winners(found: "CampaignFindings", *, as_json: bool) -> None:
    """Who wins by which rule and metric."""
    from audit.document import Listing, Paragraph
    from audit.report.campaign_words import CampaignWords
    from audit.writers.data.campaign_data import campaign_data

    words = CampaignWords(found)
    sentences = [words.choice_sentence(choice) for choice in (*found.other_rules, *found.metrics)]
    answer(
        lambda: {
            name: campaign_data(found)[name] for name in ("campaign", "rule", "winners", "choices")
        },
        lambda: (Paragraph(words.verdict(), "heading"), Listing(tuple(sentences))),
        as_json=as_json,
    )


def whatif(found: "CampaignFindings", *, as_json: bool) -> None:
    """What other rules, equal weights and each track left out make of the first place."""
    from audit.document import Listing, Paragraph
    from audit.report.campaign_words import CampaignWords
    from audit.writers.data.campaign_data import campaign_data

    words = CampaignWords(found)
    sentences = [words.choice_sentence(choice) for choice in (*found.choices, *found.metrics)]
    answer(
        lambda: campaign_data(found)["choices"],
        lambda: (Paragraph(words.verdict(), "heading"), Listing(tuple(sentences))),
        as_json=as_json,
    )


def power(found: "CampaignFindings", *, as_json: bool) -> None:
    """What the tracks can tell together."""
    from audit.document import Paragraph
    from audit.report.campaign_words import CampaignWords
    from audit.writers.data.campaign_data import power_data

    answer(
        lambda: power_data(found),
        lambda: (Paragraph(sentence, "lead") for sentence in CampaignWords(found).power()),
        as_json=as_json,
    )


def diff(named: "Named", store: Path, cluster: str | None, *, as_json: bool) -> None:
    """A campaign before and after the last load of its tracks."""
    from audit import workflow
    from audit.document import Paragraph
    from audit.report.campaign_words import CampaignWords
    from audit.report.correction import difference_blocks
    from audit.writers.data.campaign_data import campaign_data
    from audit.writers.data.difference_data import difference_data
    from audit.writers.terminal import write

    with progress_bar() as on_step:
        before, after, tracks = workflow.compare_campaign_loads(
            named, store, executor=executor_of(cluster), on_step=on_step
        )
    if as_json:
        sides = {"before": campaign_data(before), "after": campaign_data(after)}
        print_json(sides | {"tracks": [difference_data(*track) for track in tracks]})
        return
    write(Paragraph(f"Before: {CampaignWords(before).verdict()}", "lead"))
    write(Paragraph(f"Now: {CampaignWords(after).verdict()}", "heading"))
    for track in tracks:
        write(
            Paragraph(
                f"Track {visible(track[0].after.task.part or track[0].after.task.slug)}", "heading"
            )
        )
        write(*difference_blocks(*track))


def history(named: "Named", store: Path, *, as_json: bool) -> None:
    """What each load of each track changed."""
    from dataclasses import asdict

    from audit.cli.load_log import history_lines
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        events = {slug: opened.history(slug) for slug in named.slugs}
    if as_json:
        print_json(
            {slug: [asdict(event) for event in of_track] for slug, of_track in events.items()}
        )
        return
    for slug, of_track in events.items():
        typer.echo(f"{visible(slug)}\n")
        typer.echo("\n".join(history_lines(of_track)))
