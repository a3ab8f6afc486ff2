"""The export of a campaign with several tracks: its own files, a folder for each track, one bundle of all."""

import re
from collections.abc import Mapping

from audit.findings.campaign import CampaignFindings
from audit.report.campaign_words import CampaignWords, campaign_title, track_key
from audit.writers.bundle.archive import SUMS, encoded, sums, zip_bytes
from audit.writers.bundle.folder import EXPORT_MARK
from audit.writers.data.campaign_data import campaign_csv, campaign_data
from audit.writers.data.export import csv_table, to_json
from audit.writers.html import render_campaign
from audit.writers.latex.campaign_tex import campaign_paper_files

CAMPAIGN = "campaign.json"
TRACKS = "tracks"
BUNDLE = "bundle.zip"
_ABOUT = {
    "README.txt": "this list",
    SUMS: "the digest of every other file, as sha256sum -c checks it",
    "report.html": "the campaign's page, with links to the tracks' own reports",
    "ranking.csv": "the ranking over all tracks, with score and rank in each",
    "pairs.csv": "every pair of teams over all tracks: difference and its interval, adjusted p, who is ahead",
    "choices.csv": "who is first under other rules, metrics and without each track, with the state",
    "track_correlations.csv": "Spearman's rho between the tracks",
    "participation.csv": "items, teams and runs of each track",
    CAMPAIGN: "everything that was computed over all tracks, as one document",
    BUNDLE: "for an archive such as Zenodo: audit verify bundle.zip computes all tracks and the whole again",
    "campaign_narrow.tex": "the ranking for one column",
    "campaign_wide.tex": "the ranking across the page, with the tracks, or in how many each team is first",
    "campaign_long.tex": "the tracks as rows, with the score and rank of each team",
    "participation.tex": "items, teams and runs of each track",
    "results.tex": "the results in sentences that say no more than the tests show",
    "methods.tex": "the methods, as an author would write them",
    "numbers.tex": "every number by one look-up: auditcampaign, the team, and what",
    "references.bib": "the works that the LaTeX files cite",
}


def track_folders(found: CampaignFindings) -> list[str]:
    """A folder's name for each track, each unlike any other's."""
    names: list[str] = []
    for evaluation in found.evaluations:
        plain = re.sub(r"[^\w.\-]+", "-", track_key(evaluation)).strip(".-") or "track"
        name = plain
        number = 1
        while name.casefold() in {each.casefold() for each in names}:
            number += 1
            name = f"{plain}-{number}"
        names.append(name)
    return names


def campaign_export(
    found: CampaignFindings,
    tracks: Mapping[str, Mapping[str, bytes]],
) -> dict[str, bytes]:
    """Every file of a campaign's export, by name; tracks are the files of each track's own export, by its folder."""
    data = campaign_data(found)
    document = to_json(data)
    texts = {
        "report.html": render_campaign(found, [f"{TRACKS}/{name}/report.html" for name in tracks]),
        "ranking.csv": campaign_csv(found),
        "pairs.csv": _records(data["pairs"]),
        "choices.csv": _records(
            [{**each, "winners": "; ".join(each["winners"])} for each in data["choices"]]
        ),
        "track_correlations.csv": csv_table(
            ["track", *tracks],
            [[name, *row] for name, row in zip(tracks, data["spearman"], strict=True)],
        ),
        "participation.csv": _records(data["tracks"]),
        CAMPAIGN: document,
        **campaign_paper_files(found),
    }
    files = {name: encoded(text) for name, text in texts.items()}
    for folder, of_track in tracks.items():
        files |= {f"{TRACKS}/{folder}/{name}": content for name, content in of_track.items()}
    files[BUNDLE] = zip_bytes(
        campaign_bundle(document, {name: each[BUNDLE] for name, each in tracks.items()})
    )
    return {**files, "README.txt": encoded(_readme(found, files))}


def campaign_bundle(document: str, bundles: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a campaign's bundle: what was computed over all tracks, and the bundle of each track."""
    files = {
        CAMPAIGN: encoded(document),
        **{f"{TRACKS}/{name}.zip": content for name, content in bundles.items()},
    }
    return {**files, SUMS: sums(files)}


def _records(records: list[dict[str, object]]) -> str:
    if records:
        heads = list(records[0])
    else:
        heads = []
    return csv_table(heads, [list(record.values()) for record in records])


def _readme(found: CampaignFindings, files: Mapping[str, bytes]) -> str:
    own = sorted({"README.txt", SUMS, *(name for name in files if "/" not in name)})
    width = max(map(len, own))
    lines = [f"{name:<{width}}  {_ABOUT[name]}" for name in own]
    head = (
        f"{EXPORT_MARK}\n\n{campaign_title(found.evaluations)}\n{CampaignWords(found).verdict()}\n"
    )
    return (
        "\n".join(
            [
                head,
                *lines,
                f"{TRACKS + '/':<{width}}  a folder for each track, with its own README.txt",
            ]
        )
        + "\n"
    )
