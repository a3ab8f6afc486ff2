"""SemEval-2018 task 12 against the organisers' table: the negative control."""

import re

import numpy as np
import pytest

from audit.domain import Options, ScoreKey
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.metrics import AGGREGATES, aggregates_of
from audit.ranking.ranks import as_published, competition_ranks
from audit.report.metrics import spearman_table
from audit.report.printing import printing
from tests.real_campaigns import copied

ACCURACY = ScoreKey("accuracy")


def test_the_22_published_accuracies_are_met(arct, arct_published):
    """Every team of the organisers' table under its name there, to the printed digit, and nobody else."""
    assert len(arct_published) == 22
    ours = {
        name: f"{score:.3f}"
        for name, score in zip(arct.names, arct.scores_of(ACCURACY), strict=True)
    }
    assert ours == {team: accuracy for team, (_, accuracy) in arct_published.items()}


def test_the_published_ranks_are_met(arct, arct_published):
    """On the published decimals: rank 8 is shared, and rank 9 is skipped."""
    ranks = competition_ranks(as_published(arct.scores_of(ACCURACY), arct.task.official_decimals))
    assert dict(zip(arct.names, ranks.tolist(), strict=True)) == {
        team: rank for team, (rank, _) in arct_published.items()
    }
    assert sorted(ranks.tolist())[7:10] == [8, 8, 10]


def test_the_shared_rank_is_a_true_tie(arct):
    """ArcNet and UniMelb have the same number of items right, so the rank is shared on full precision too."""
    ranks = dict(zip(arct.names, arct.ranks_of(ACCURACY).tolist(), strict=True))
    assert (ranks["ArcNet"], ranks["UniMelb"], ranks["TRANSRW"]) == (8, 8, 10)


def test_the_withdrawn_run_is_no_entry_and_no_surprise(arct, arct_teams):
    """task.toml says to ignore it, so that it is not among the files that no rule claims; another file is."""
    _, (withdrawn,) = arct_teams
    assert arct.ignored == ("data/submissions/metadata-public.xml",)
    assert not any(withdrawn in (entry.path or "") for entry in arct.entries)


def test_no_winner_and_no_macro_f1_flag_fires(arct):
    """GIST wins by every metric, class score and prevalence, and the two macro F1s order all alike."""
    slugs = {flag.slug for flag in arct.flags}
    assert not any("winner" in slug or "macro-f1" in slug for slug in slugs)
    assert not any(flag.severity.label == "changes the winner" for flag in arct.flags)
    assert {arct.names[first] for key in arct.keys for first in arct.winners(key)} == {"GIST"}
    averaged, of_averages = (
        arct.ranks_of(ScoreKey(name)) for name in ("averaged_f1", "f1_of_averages")
    )
    assert (averaged == of_averages).all()


def test_exactly_three_entries_are_at_or_below_chance(arct, arct_folder):
    """Those with no more items right than the larger class has: 230 of 444."""
    lines = (arct_folder / "data/gold/truth.txt").read_text(encoding="utf-8").splitlines()
    labels = [line.split()[1] for line in lines if line and not line.startswith("#")]
    share = max(map(labels.count, "01")) / len(labels)
    (flag,) = [flag for flag in arct.flags if flag.slug == "at-or-below-chance"]
    assert {row["team"] for row in flag.evidence["submissions"]} == {"ztangfdu", "RW2C", "ART"}
    assert {row["chance"] for row in flag.evidence["submissions"]} == {share} == {230 / 444}
    (art,) = [row["score"] for row in flag.evidence["submissions"] if row["team"] == "ART"]
    assert art == share
    for name in ("ztangfdu", "RW2C", "ART", ".518"):
        assert name in flag.sentence


def test_other_orders_of_all_23_files_differ_little(arct_whole):
    """As the page of the data says: in three ranks, in seven, and elsewhere in one."""
    by_accuracy = arct_whole.ranks_of(ACCURACY)
    moved = {
        metric.slug: (arct_whole.ranks_of(ScoreKey(metric.slug)) != by_accuracy).sum()
        for metric in AGGREGATES
    }
    assert len(arct_whole.entries) == 23
    assert (moved.pop("geometric_macro_recall"), moved.pop("harmonic_macro_recall")) == (3, 7)
    assert (moved.pop("accuracy"), set(moved.values())) == (0, {1})


def test_every_item_is_read_from_every_file(arct):
    """Tabs or blanks, comment lines or none, with or without a final newline."""
    assert arct.gold.n_items == 444
    assert arct.prevalence_counts.tolist() == [214, 230]
    assert not any(entry.n_unanswered for entry in arct.entries)


def test_the_documented_table_gives_the_organisers_names_and_roles(
    arct_tabled, arct_published, arct_teams
):
    """All 23 files: the teams of the official table by its names, the baseline, and the withdrawn run."""
    _, (withdrawn,) = arct_teams
    by_role = {
        role: {s.team for s in arct_tabled.submissions if s.role == role}
        for role in ("primary", "baseline", "withdrawn")
    }
    assert by_role["baseline"] == {"Random baseline"}
    assert by_role["primary"] | by_role["baseline"] == set(arct_published)
    (kept,) = (s for s in arct_tabled.submissions if s.role == "withdrawn")
    assert kept.source.path == f"data/submissions/{withdrawn}.txt"
    assert len(arct_tabled.submissions) == 23
    assert not arct_tabled.issues
    assert arct_tabled.ignored == ("data/submissions/metadata-public.xml", "make_table.py")


def test_the_tabled_submissions_have_the_published_accuracies(arct_tabled, arct_published):
    """Every name stands beside its own file."""
    gold = arct_tabled.gold.codes
    ours = {
        s.team: f"{(s.codes == gold).mean():.3f}"
        for s in arct_tabled.submissions
        if s.role != "withdrawn"
    }
    assert ours == {team: accuracy for team, (_, accuracy) in arct_published.items()}


def test_cut_by_debate_every_part_is_its_items_and_all_together_are_the_published_scores(
    arct_folder, arct_published, tmp_path
):
    """Thirty debates, some of one item: accuracy of each by counting; weighed by their items the published one."""
    folder = copied(arct_folder, tmp_path, "data/submissions/*")
    text = (arct_folder / "data/gold/truth.txt").read_text(encoding="utf-8")
    gold = dict(line.split() for line in text.splitlines() if line[0] != "#")
    texts = (arct_folder / "data/gold/test-only-data.txt").read_text(encoding="utf-8").splitlines()
    debate = {cells[0]: cells[5] for cells in (line.split("\t") for line in texts[1:])}
    rows = [f"{item_id}\t{label}\t{debate[item_id]}" for item_id, label in gold.items()]
    (folder / "gold.tsv").write_text(
        "\n".join(["id\tlabel\tdebate", *rows]) + "\n", encoding="utf-8"
    )
    (folder / "task.toml").write_text(
        'labels = ["0", "1"]\nofficial_metric = "accuracy"\n[gold]\npath = "gold.tsv"\nid = "id"\nlabel = "label"\n'
        'slices = ["debate"]\n[submissions]\nfiles = "data/submissions/{team}.txt"\n',
        encoding="utf-8",
    )
    found = evaluate(read_campaign(folder), Options(certainty=False))
    (sliced,) = found.slices
    assert sorted(part.value for part in sliced.slices) == sorted(set(debate.values()))
    sizes = np.array([part.n_items for part in sliced.slices])
    assert (sizes.min(), sizes.max(), sizes.sum(), len(sizes)) == (1, 136, 444, 30)
    row = found.keys.index(ACCURACY)
    accuracies = np.array([part.values[row] for part in sliced.slices])
    for place, entry in enumerate(found.names):
        lines = (folder / f"data/submissions/{entry}.txt").read_text(encoding="utf-8").splitlines()
        given = dict(line.split() for line in lines if line.strip() and line[0] != "#")
        for part, accuracy in zip(sliced.slices, accuracies[:, place], strict=True):
            inside = [item_id for item_id in gold if debate[item_id] == part.value]
            right = sum(given[item_id] == gold[item_id] for item_id in inside)
            assert accuracy == pytest.approx(right / len(inside), abs=1e-12)
    whole = {f"{value:.3f}" for value in (sizes @ accuracies / sizes.sum()).tolist()}
    assert {accuracy for _, accuracy in arct_published.values()} <= whole


def test_the_two_metrics_that_agree_least_are_no_equals(arct):
    """As many decimals stand in the caption as tell their correlation from 1."""
    said = re.search(r"agree least \((.+)\)", spearman_table(printing(arct)).caption)[1]
    n_aggregates = len(aggregates_of(arct))
    assert float(said) == pytest.approx(
        np.nanmin(arct.agreement.spearman[:n_aggregates, :n_aggregates]), abs=1e-3
    )
    assert float(said) < 1
