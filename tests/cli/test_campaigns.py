"""A campaign is a name like a task's: commands take it as a whole, and --track chooses one of its tracks."""

import json
import shutil
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

from audit.cli import app

SETTINGS = """title = "Notices"
official_metric = "accuracy"
overall = "mean-score"
[policies]
gold_copy = "accept"
[subtask.en]
gold.path = "en.csv"
submissions.files = "en/{team}.csv"
[subtask.de]
gold.path = "de.csv"
submissions.files = "de/{team}.csv"
"""
RIGHT = {"A": (0.9, 0.9), "B": (0.93, 0.92), "C": (0.6, 0.55), "D": (0.8, None)}


def labels(codes):
    return "id,label\n" + "".join(
        f"n{item},{'yes' if code else 'no'}\n" for item, code in enumerate(codes)
    )


@pytest.fixture(scope="session")
def _campaign(tmp_path_factory):
    """A folder with two tracks, of which D skipped one, and a store that holds them."""
    root = tmp_path_factory.mktemp("campaign") / "notices"
    rng = np.random.default_rng(4)
    for place, track in enumerate(("en", "de")):
        (root / track).mkdir(parents=True)
        gold = rng.integers(0, 2, 120)
        (root / f"{track}.csv").write_text(labels(gold), encoding="utf-8")
        for team, rates in RIGHT.items():
            if rates[place] is not None:
                answers = np.where(rng.random(120) < rates[place], gold, 1 - gold)
                (root / track / f"{team}.csv").write_text(labels(answers), encoding="utf-8")
    (root / "task.toml").write_text(SETTINGS, encoding="utf-8")
    store = root.parent / "audit.db"
    assert CliRunner().invoke(app, ["load", str(root), "--store", str(store)]).exit_code == 0
    return root, store


@pytest.fixture
def campaign(_campaign, folder):
    """The folder; the store stands in the current one."""
    root, store = _campaign
    shutil.copy(store, folder / "audit.db")
    return root


@pytest.mark.usefixtures("campaign")
def test_show_ranks_over_all_tracks_and_one_track_by_itself(run):
    """As text, JSON and CSV; without a name the only campaign is meant."""
    whole = run("show")
    assert whole.exit_code == 0
    assert "ranks first over the two tracks with a mean accuracy of" in " ".join(
        whole.stdout.split()
    )
    data = json.loads(run("show", "notices", "--json").stdout)
    assert data["verdict"] in " ".join(whole.stdout.split())
    assert [track["task"] for track in data["tracks"]] == ["notices-en", "notices-de"]
    table = run("show", "notices", "--csv").stdout.splitlines()
    assert [line.partition(",")[0] for line in table[1:]] == [
        team["name"] for team in data["teams"]
    ]
    single = run("show", "notices", "--track", "de")
    assert single.stdout == run("show", "notices-de").stdout
    assert "notices-en" in run("show", "notices", "--tracks").stdout


@pytest.mark.usefixtures("campaign")
def test_compare_tells_two_teams_over_all_tracks(run):
    """The difference, interval and p are those of the pairs in JSON; who skipped a track is in no pair."""
    data = json.loads(run("compare", "notices", "A", "C", "--json").stdout)
    assert data["ahead"] == "A"
    assert data["lower"] > 0
    assert (
        "A is significantly ahead of C over all tracks."
        in run("compare", "notices", "A", "C").stdout
    )
    assert "D skipped a track" in run("compare", "notices", "A", "D").stdout
    assert json.loads(run("compare", "notices", "A", "D", "--json").stdout)["adjusted_p"] is None
    assert "Neither is significantly ahead" in run("compare", "notices", "a", "B").stdout
    assert "cannot be compared with itself" in run("compare", "notices", "A", "A").stderr
    assert "There is no entry “X” here." in run("compare", "notices", "A", "X").stderr


@pytest.mark.usefixtures("campaign")
def test_whatif_winners_and_power_answer_for_the_whole(run):
    """Each other choice has a state; the winners stand by rule; power is that of the mean."""
    choices = json.loads(run("whatif", "notices", "--json").stdout)
    assert {"rule", "track-left-out", "metric"} <= {choice["kind"] for choice in choices}
    printed = " ".join(run("whatif", "notices").stdout.split())
    assert all(choice["sentence"] in printed for choice in choices)
    winners = json.loads(run("winners", "notices", "--json").stdout)
    assert set(winners["winners"]) == {"mean_score", "mean_rank", "borda"}
    power = json.loads(run("power", "notices", "--json").stdout)
    assert power["detected_half_the_time"] < power["detected_80_percent_of_the_time"]
    assert "with 80% at" in run("power", "notices").stdout


@pytest.mark.usefixtures("campaign")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("show", "notices", "--metric", "mcc"),
            "--metric is asked of one track: add --track NAME.",
        ),
        (("whatif", "notices", "-p", "balanced"), "--prevalence is asked of one track"),
        (("show", "notices", "--track", "fr"), "has no track “fr”. Its tracks are “en” and “de”."),
        (("show", "notices-de", "--track", "de"), "is a single task, and has no tracks"),
        (("show", "notes"), "The store has no task “notes”. Did you mean “notices”?"),
        (("diff", "notices"), "Every track of “notices” was loaded once"),
        (("diff", "notices", "1", "2"), "the last loads of its tracks are compared"),
        (("export", "notices-de", "paper", "--teams", "teams.csv"), "--teams goes with a campaign"),
    ],
)
def test_what_is_asked_wrongly_is_said(run, arguments, said):
    """With what to do."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_diff_and_history_tell_of_every_track(run, campaign, folder):
    """After a submission of one track changed."""
    changed = folder / "changed"
    shutil.copytree(campaign, changed / "notices")
    (changed / "notices" / "de" / "A.csv").write_text(labels([1] * 120), encoding="utf-8")
    assert run("load", changed / "notices").exit_code == 0
    told = run("diff", "notices").stdout
    assert told.startswith("Before: ")
    assert "Now: B ranks first over the two tracks" in " ".join(told.split())
    assert [
        track["task"] for track in json.loads(run("diff", "notices", "--json").stdout)["tracks"]
    ] == ["notices-de"]
    history = json.loads(run("history", "notices", "--json").stdout)
    assert {slug: len(events) for slug, events in history.items()} == {
        "notices-en": 1,
        "notices-de": 2,
    }
    assert "notices-de" in run("history", "notices").stdout
    assert run("history", "notices", "--track", "en").stdout == run("history", "notices-en").stdout


@pytest.mark.usefixtures("campaign")
def test_report_writes_the_page_and_its_tracks(run, folder):
    """Into one folder."""
    assert run("report", "notices", "-o", "pages").exit_code == 0
    names = sorted(path.name for path in (folder / "pages").iterdir())
    assert names == ["audit-notices-de.html", "audit-notices-en.html", "audit-notices.html"]
    assert run("report", "notices", "--track", "de", "-o", "one.html").exit_code == 0
    assert (folder / "one.html").is_file()


@pytest.mark.usefixtures("campaign")
def test_export_is_one_folder_whose_bundle_verifies_whole(run, folder):
    """With tables, macros and a folder for each track; teams.csv is joined; a changed number is found."""
    (folder / "teams.csv").write_text("Team,Institution,Method\nA,Dock Lab,SVM\n", encoding="utf-8")
    made = run(
        "export",
        "notices",
        "paper",
        "--figures",
        "none",
        "--include-inputs",
        "--teams",
        "teams.csv",
    )
    assert made.exit_code == 0, made.output
    files = {path.name for path in (folder / "paper").iterdir()}
    assert {
        "campaign_narrow.tex",
        "campaign_wide.tex",
        "campaign_long.tex",
        "ranking.csv",
        "numbers.tex",
    } <= files
    wide = (folder / "paper" / "campaign_wide.tex").read_text(encoding="utf-8")
    assert "Dock Lab" in wide
    assert "Dock Lab" in (folder / "paper" / "ranking.csv").read_text(encoding="utf-8")
    numbers = (folder / "paper" / "numbers.tex").read_text(encoding="utf-8")
    ranking = (
        (folder / "paper" / "ranking.csv").read_text(encoding="utf-8").splitlines()[1].split(",")
    )
    assert rf"\csname audit@campaign@{ranking[0].lower()}@rank\endcsname{{{ranking[1]}}}" in numbers
    assert (folder / "paper" / "tracks" / "de" / "scores.csv").is_file()
    verified = run("verify", folder / "paper" / "bundle.zip")
    assert verified.exit_code == 0, verified.output
    assert "no difference" in verified.stdout
    tampered = folder / "tampered.zip"
    with (
        zipfile.ZipFile(folder / "paper" / "bundle.zip") as bundle,
        zipfile.ZipFile(tampered, "w") as other,
    ):
        for name in bundle.namelist():
            content = bundle.read(name)
            if name == "campaign.json":
                content = content.replace(b'"rule": "mean score"', b'"rule": "mean rank"')
            other.writestr(name, content)
    found = run("verify", tampered)
    assert found.exit_code == 1
    assert "campaign.json / rule" in found.stdout


@pytest.mark.usefixtures("campaign")
def test_a_list_of_teams_without_names_is_refused(run, folder):
    """And a file that cannot be read."""
    (folder / "teams.csv").write_text("name\nA\n", encoding="utf-8")
    assert "has no column “team”" in run("export", "notices", "p", "--teams", "teams.csv").stderr
    assert "cannot be read" in run("export", "notices", "p", "--teams", "none.csv").stderr
    assert not (folder / "p").exists()


@pytest.mark.usefixtures("campaign")
def test_another_rule_is_asked_for_by_name(run):
    """In every command that sums up; the page says which rule is the campaign's own."""
    shown = " ".join(run("show", "notices", "--by", "mean-rank").stdout.split())
    assert "ranked by mean rank (overall rule: mean score)" in shown
    assert "first place over the two tracks with a mean rank of" in shown
    pair = json.loads(run("compare", "notices", "A", "C", "--by", "borda", "--json").stdout)
    assert pair["difference"] > 0
    assert "difference of mean ranks" in run("power", "notices", "--by", "mean-rank").stdout
    choices = json.loads(run("whatif", "notices", "--by", "mean-rank", "--json").stdout)
    assert "mean score" in [choice["choice"] for choice in choices]
    refused = run("show", "notices-de", "--by", "mean-rank")
    assert refused.exit_code == 2
    assert "this is a single test set" in refused.stderr


def test_the_next_command_names_a_store_that_is_not_the_usual_one(run, campaign):
    """Of a campaign, and of a single task; the usual store needs no option."""
    made = run("run", campaign, "--store", "my store.db", "-o", "pages")
    assert made.stdout.rstrip().endswith(
        "Tracks: audit show notices --store 'my store.db' --tracks"
    )
    single = run("show", "notices-de", "--store", "my store.db")
    assert "audit show notices-de --store 'my store.db' --notes" in " ".join(single.stdout.split())
    assert "--store" not in run("show", "notices").stdout


def test_teams_csv_beside_the_settings_is_joined_to_the_ranking(run, campaign, folder):
    """On the page, in a wide terminal, in CSV and export; it is no file that may hold labels, and can change."""
    place = folder / "with-teams" / "notices"
    shutil.copytree(campaign, place)
    table = place / "teams.csv"
    table.write_text("Team;Institution;Method\nA;Dock Lab;SVM\nZ;Nowhere;None\n", encoding="utf-8")
    made = run("run", place, "-o", "pages")
    assert made.exit_code == 0, made.output
    assert "teams.csv" not in made.stdout
    page = (folder / "pages" / "audit-notices.html").read_text(encoding="utf-8")
    assert "Dock Lab" in page
    assert "Nowhere" not in page
    head, *rows = run("show", "notices", "--csv").stdout.splitlines()
    assert head.endswith(",institution,method")
    assert any(row.startswith("A,") and row.endswith(",Dock Lab,SVM") for row in rows)
    table.write_text("team,institution\nA,Pier Lab\n", encoding="utf-8")
    assert run("load", place).exit_code == 0
    assert "Pier Lab" in run("show", "notices", "--csv").stdout
    assert run("export", "notices", "paper", "--figures", "none").exit_code == 0
    wide = (folder / "paper" / "campaign_wide.tex").read_text(encoding="utf-8")
    assert "Pier Lab" in wide


def test_runs_that_a_policy_leaves_out_are_counted_below_the_ranking(run, campaign, folder):
    """With the policy and the first of their names."""
    place = folder / "runs" / "notices"
    shutil.copytree(campaign, place)
    for team in "ABC":
        (place / "de" / team).mkdir()
        (place / "de" / f"{team}.csv").rename(place / "de" / team / "1.csv")
    (place / "de" / "A" / "2.csv").write_text(labels([0, 1] * 60), encoding="utf-8")
    toml = (place / "task.toml").read_text(encoding="utf-8")
    toml = toml.replace('gold_copy = "accept"', 'gold_copy = "accept"\nruns = "last"')
    toml = toml.replace("de/{team}.csv", "de/{team}/{run}.csv")
    (place / "task.toml").write_text(toml, encoding="utf-8")
    made = run("run", place, "-o", "pages")
    assert made.exit_code == 0, made.output
    assert "1 run not ranked (runs = last): A/1" in made.stdout
