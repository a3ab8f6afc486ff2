"""Folders and named files of numbers: ratings beside gold, and a scorer's output for every item."""

import csv
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import audit
from audit.domain import MARKS, Campaign, ScoreKey
from audit.errors import InputError, UsageError
from audit.evaluation import evaluate
from audit.findings.rated_numbers import gone_with_a_line
from audit.formats.campaign.campaigns import campaigns_of, read_campaign
from audit.formats.campaign.single_file import check_submission, read_key
from audit.formats.door.number_door import open_any
from audit.formats.door.said import Said
from audit.formats.files.tree import Tree
from audit.store import open_store
from audit.verification.verifying import verify_bundle
from audit.workflow.written_files import exported_files
from audit.writers.html import render_html

N_ITEMS = 40
RNG = np.random.default_rng(5)
GOLD = np.round(RNG.normal(size=N_ITEMS), 3)
TEAMS = {
    name: np.round(GOLD + noise * RNG.normal(size=N_ITEMS), 3)
    for name, noise in (("A", 0.3), ("B", 0.5), ("C", 0.9))
}
RATINGS = 'kind = "ratings"\n'
SCORES = 'kind = "scores"\nofficial_metric = "BLEU"\n'


def table(heads, *columns):
    rows = zip(*(map(str, column) for column in columns), strict=True)
    return "".join(",".join(row) + "\n" for row in (heads, *rows))


def ids(n_items=N_ITEMS):
    return [f"s{number}" for number in range(n_items)]


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def ratings(root, settings="", teams=TEAMS, gold=GOLD):
    """A folder of ratings."""
    of_teams = {
        f"submissions/{name}.csv": table(("id", "guess"), ids(len(values)), values)
        for name, values in teams.items()
    }
    gold_file = {"gold.csv": table(("id", "text", "level"), ids(), ["words"] * N_ITEMS, gold)}
    return write(root, {"task.toml": RATINGS + settings, **gold_file, **of_teams})


def scores(root, settings="", heads=("id", "BLEU"), files=None):
    """A folder of a scorer's output."""
    of_teams = {
        f"submissions/{name}.csv": table(heads, ids(), *[np.abs(values)] * (len(heads) - 1))
        for name, values in TEAMS.items()
    }
    return write(root, {"task.toml": SCORES + settings, **of_teams, **(files or {})})


def refusal(root) -> str:
    with pytest.raises(InputError) as caught:
        read_campaign(root)
    return str(caught.value)


def test_a_folder_of_ratings_scores_as_arrays_do(tmp_path):
    evaluation = evaluate(read_campaign(ratings(tmp_path)))
    of_arrays = audit.evaluate_ratings(GOLD, TEAMS)
    for slug in ("spearman", "pearson", "ccc", "rmse"):
        np.testing.assert_array_equal(
            evaluation.scores_of(ScoreKey(slug)), of_arrays.scores[slug].to_numpy()
        )


def test_a_folder_of_scores_scores_as_arrays_do(tmp_path):
    evaluation = evaluate(read_campaign(scores(tmp_path)))
    of_arrays = audit.evaluate_scores({name: {"BLEU": np.abs(x)} for name, x in TEAMS.items()})
    np.testing.assert_array_equal(
        evaluation.scores_of(ScoreKey("BLEU")), of_arrays.scores["BLEU"].to_numpy()
    )
    assert any("higher is better for “BLEU”" in each for each in evaluation.task.assumptions)


@pytest.mark.parametrize("policy", ["mean", "drop"])
def test_missing_predictions_wait_for_a_policy(tmp_path, policy):
    teams = {**TEAMS, "C": TEAMS["C"][:-4]}
    asked = refusal(ratings(tmp_path, teams=teams))
    assert "missing-item" in asked
    assert "--missing mean" in asked
    write(tmp_path, {"task.toml": f'{RATINGS}[policies]\nmissing = "{policy}"\n'})
    campaign = read_campaign(tmp_path)
    submission = campaign.submissions[2]
    assert np.count_nonzero(submission.codes) == 4
    if policy == "mean":
        assert submission.scores[-4:] == pytest.approx([TEAMS["C"][:-4].mean()] * 4)
    assert evaluate(campaign).entries[2].n_dropped == (4 if policy == "drop" else 0)


def test_the_worst_number_needs_a_range(tmp_path):
    gap = {"submissions/C.csv": table(("id", "BLEU"), ids(30), np.abs(TEAMS["C"][:30]))}
    policy = '[policies]\nmissing = "worst"\n'
    assert "--range BLEU=LOW,HIGH" in refusal(scores(tmp_path, policy, files=gap))
    stated = f"{policy}[columns.BLEU]\nrange = [0, 100]\n"
    campaign = read_campaign(scores(tmp_path, stated, files=gap))
    assert campaign.submissions[2].scores[-10:].tolist() == [0.0] * 10


def test_a_direction_that_no_name_tells_is_asked_for(tmp_path):
    settings = 'official_metric = "MQM"\n'
    root = scores(tmp_path, heads=("id", "MQM"))
    write(root, {"task.toml": f'kind = "scores"\n{settings}'})
    assert '[columns."MQM"] better = "higher"' in refusal(root)
    write(root, {"task.toml": f'kind = "scores"\n{settings}[columns.MQM]\nbetter = "lower"\n'})
    assert not read_campaign(root).task.label_set.columns[0].scale.greater_is_better


def test_which_of_several_columns_ranks_is_asked_for(tmp_path):
    root = scores(tmp_path, heads=("id", "BLEU", "TER"))
    write(root, {"task.toml": 'kind = "scores"\n'})
    assert "--official-metric BLEU" in refusal(root)


def test_columns_can_be_chosen_and_texts_are_none(tmp_path):
    values = {name: np.abs(x) for name, x in TEAMS.items()}
    files = {
        f"submissions/{name}.csv": table(
            ("id", "hypothesis", "BLEU", "odd"), ids(), ["a b"] * N_ITEMS, x, x
        )
        for name, x in values.items()
    }
    root = scores(tmp_path, '[submissions]\nlabel = "BLEU"\n', files=files)
    assert [column.name for column in read_campaign(root).task.label_set.columns] == ["BLEU"]


def test_a_team_may_have_a_file_for_each_metric(tmp_path):
    """As mt-metrics-eval writes them: blocks of lines by system, the metric in the file's name."""
    lines = {
        metric: "".join(
            f"{team}\t{abs(value) * factor}\n" for team, x in TEAMS.items() for value in x
        )
        for metric, factor in (("BLEU", 1), ("COMET", 2))
    }
    rows = "".join(f"{metric}.seg.score,submission,,{metric},\n" for metric in lines)
    files = {f"{metric}.seg.score": text for metric, text in lines.items()}
    settings = {"task.toml": SCORES, "files.csv": f"file,kind,role,team,run\n{rows}"}
    root = write(tmp_path, {**settings, **files})
    campaign = read_campaign(root)
    assert [each.team for each in campaign.submissions] == ["A", "B", "C"]
    assert campaign.submissions[0].scores.shape == (N_ITEMS, 2)
    assert [each.path for each in campaign.further_files] == ["COMET.seg.score"]
    with open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(campaign)
        loaded = store.load_campaign(campaign.task.slug)
    assert_same(loaded, campaign)


def assert_same(loaded: Campaign, campaign: Campaign) -> None:
    assert loaded.task == campaign.task
    assert loaded.further_files == campaign.further_files
    for name in ("numbers", "weights", "groups"):
        stored, read = (getattr(each.gold, name) for each in (loaded, campaign))
        assert (stored is None) == (read is None)
        assert stored is None or np.array_equal(stored, read)
    for one, other in zip(loaded.submissions, campaign.submissions, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)


def test_the_store_gives_back_what_was_loaded(tmp_path):
    listing = table(
        ("id", "doc", "w"), ids(), [number // 4 for number in range(N_ITEMS)], range(1, 41)
    )
    settings = '[gold]\npath = "items.csv"\ngroup = "doc"\nweight = "w"\n'
    campaigns = [
        read_campaign(ratings(tmp_path / "ratings")),
        read_campaign(scores(tmp_path / "scores", settings, files={"items.csv": listing})),
    ]
    with open_store(tmp_path / "audit.db") as store:
        for campaign in campaigns:
            store.save_campaigns(campaign)
            assert_same(store.load_campaign(campaign.task.slug), campaign)
    weights = np.arange(1, 41)
    (mean,) = evaluate(campaigns[1]).scores_of(ScoreKey("BLEU"))[:1]
    assert mean == pytest.approx(np.average(np.abs(TEAMS["A"]), weights=weights), abs=1e-15)


@pytest.mark.parametrize("made", [ratings, scores])
def test_a_bundle_computes_the_same_numbers_again(tmp_path, made):
    campaign = read_campaign(made(tmp_path / "task"))
    with open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(campaign)
    files = exported_files(campaign.task.slug, tmp_path / "audit.db")
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(files["bundle.zip"])
    verification = verify_bundle(bundle, tmp_path / "task")
    assert verification.same
    assert verification.n_numbers > 50


@pytest.mark.parametrize("made", [ratings, scores])
def test_no_page_speaks_of_a_label_that_nobody_has(tmp_path, made):
    """What stands for labels inside the program is none of the task."""
    page = render_html(evaluate(read_campaign(made(tmp_path))))
    text = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    text = " ".join(re.sub("<[^>]+>", " ", text).split())
    assert "“number”" not in text
    assert "label set" not in text
    assert "1 class" not in text
    assert "label errors" not in text


def test_a_single_file_is_checked_as_a_load_would(tmp_path):
    root = scores(tmp_path)
    with Tree(root) as tree:
        key = read_key(tree)
    good = (root / "submissions/A.csv").read_bytes()
    assert check_submission("A.csv", good, key).is_accepted
    assert not check_submission("A.csv", good.replace(b"BLEU", b"TER"), key).is_accepted
    assert not check_submission("A.csv", b"id,BLEU\nother,3\n", key).is_accepted


def opened(said, files, gold=None):
    opening = open_any(gold, files, Said(**said))
    with opening.tree() as tree:
        (campaign,) = campaigns_of(tree)
    return campaign


def test_scores_need_no_gold_and_options_say_the_rest(tmp_path):
    root = scores(tmp_path, heads=("id", "MQM"))
    files = sorted((root / "submissions").iterdir())
    with pytest.raises(InputError, match="--better MQM=higher"):
        opened({"kind": "scores"}, files)
    said = {"kind": "scores", "better": ("MQM=lower",), "range": ("MQM=0,5",)}
    campaign = opened(said, files)
    (column,) = campaign.task.label_set.columns
    assert (column.scale.upper, column.scale.greater_is_better) == (5, False)
    assert campaign.task.said == (
        *("--kind", "scores", "--better", "MQM=lower"),
        "--range",
        "MQM=0,5",
    )


def test_ratings_need_gold_and_gold_of_numbers_asks_for_them(tmp_path):
    root = ratings(tmp_path)
    files = sorted((root / "submissions").iterdir())
    assert (
        opened({"kind": "ratings"}, files, root / "gold.csv").gold.numbers.tolist() == GOLD.tolist()
    )
    with pytest.raises(UsageError, match="--gold GOLD"):
        opened({"kind": "ratings"}, files)
    with pytest.raises(UsageError, match="--kind ratings"):
        opened({}, files, root / "gold.csv")


def test_another_scale_is_a_finding_and_nothing_is_rescaled(tmp_path):
    teams = {**TEAMS, "metres": TEAMS["A"] * 100 + 7, "flat": np.full(N_ITEMS, 2.5)}
    evaluation = evaluate(read_campaign(ratings(tmp_path, teams=teams)))
    flags = {flag.slug: flag for flag in evaluation.flags}
    assert "metres" in flags["another-scale"].sentence
    assert "flat (2.5)" in flags["constant-predictions"].sentence
    predicted = teams["metres"]
    slope, intercept = np.polyfit(predicted, GOLD, 1)
    left = ((GOLD - slope * predicted - intercept) ** 2).mean()
    (share,) = flags["another-scale"].evidence["submissions"]
    expected = 1 - left / ((GOLD - predicted) ** 2).mean()
    assert share["squared_error_gone"] == pytest.approx(expected, abs=1e-12)
    place = evaluation.names.index("flat")
    for slug in ("spearman", "pearson", "kendall_tau_b"):
        assert np.isnan(evaluation.scores_of(ScoreKey(slug))[place])
    assert evaluation.scores_of(ScoreKey("ccc"))[place] == 0
    assert np.isnan(gone_with_a_line(evaluation.item_scores)[place])


def test_outliers_are_found_where_few_items_carry_a_score(tmp_path):
    gold = GOLD.copy()
    gold[:2] = (60.0, -55.0)
    settings = 'official_metric = "pearson"\n'
    teams = {name: gold + x - GOLD for name, x in TEAMS.items()}
    evaluation = evaluate(read_campaign(ratings(tmp_path, settings, teams, gold)))
    assert "few-items-carry" in {flag.slug for flag in evaluation.flags}
    assert "few-carrying" in MARKS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels = ['a', 'b']", "labels beside kind"),
        ("[columns.BLEU]\nbetter = 'higher'", "[columns] beside kind"),
        ("[policies]\nmissing = 'worst'", 'missing = "worst" beside kind'),
    ],
)
def test_settings_of_other_kinds_are_refused(tmp_path, text, message):
    assert message in refusal(ratings(tmp_path, f"{text}\n"))


REAL = Path(__file__).resolve().parents[3] / "shared/data/wmt-qe2022"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real campaign is not at hand")
def test_published_scores_of_a_real_campaign_of_ratings_are_reproduced(tmp_path):
    """WMT 2022 quality estimation, English–Marathi: 24 of 24 values of the teams with a published row."""
    shutil.copytree(REAL / "en-mr", tmp_path / "task")
    settings = (
        'kind = "ratings"\n[gold]\npath = "gold/test.2022.en-mr.da_score"\n[submissions]\n'
        'files = "submissions/{team} -*/predictions.txt"\nskip = 3\ndelimiter = "tab"\n'
        "header = false\nid = false\nlabel = 4\n"
    )
    write(tmp_path / "task", {"task.toml": settings})
    evaluation = evaluate(read_campaign(tmp_path / "task"))
    with (REAL / "published_scores.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["table"] == "T1_da_enmr"]
    named = {_folded(row[column]): row for row in rows for column in ("codalab_user", "team")}
    slugs = {
        "spearman": "spearman",
        "pearson": "pearson",
        "rmse": "rmse",
        "mae": "mean_absolute_error",
    }
    n_compared = 0
    for place, name in enumerate(evaluation.names):
        row = named.get(_folded(name))
        for column, slug in slugs.items() if row else ():
            published = row[column]
            decimals = len(published.partition(".")[2])
            computed = evaluation.scores_of(ScoreKey(slug))[place]
            assert computed == pytest.approx(float(published), abs=0.5001 * 10**-decimals)
            n_compared += 1
    assert n_compared == 24


def _folded(name):
    return re.sub("[^a-z0-9]", "", name.lower().removeprefix("team"))


def test_claims_are_called_rough_where_simulations_found_them_false_too_often(tmp_path):
    """By few items of a scorer, and by errors of ratings; not by a correlation."""
    few = evaluate(read_campaign(scores(tmp_path / "scores")))
    assert "rough-claims" in {flag.slug for flag in few.flags}
    by_error = evaluate(read_campaign(ratings(tmp_path / "error", 'official_metric = "rmse"\n')))
    (flag,) = [each for each in by_error.flags if each.slug == "rough-claims"]
    assert "8 to 12%" in flag.sentence
    by_rank = evaluate(read_campaign(ratings(tmp_path / "rank")))
    assert "rough-claims" not in {flag.slug for flag in by_rank.flags}
