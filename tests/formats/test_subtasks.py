"""Several test sets in one campaign: each inherits what stands at the top, and all are read or none."""

import pytest

from audit.domain import LabelSet, Policies, Role
from audit.errors import InputError, UsageError
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.formats.campaign.participants import reduced_settings, reference_files
from audit.formats.campaign.single_file import AnswerKey, check_submission
from audit.formats.settings.parsing import parse_parts

from .campaigns import ANSWERS, GOLD, init, refusal, write

OTHER_GOLD = "id,label\n1,a\n2,b\n3,c\n"
OTHER = "id,label\n1,a\n2,a\n3,c\n"
TOML = """slug = "nli"
title = "NLI 2031"
official_metric = "accuracy"

[policies]
missing = "drop"

[roles]
"contrastive*" = "contrastive"

[teams]
b = "Team B"

[subtask."English test"]
[subtask."English test".gold]
path = "en.csv"
[subtask."English test".submissions]
files = "runs/{team}/en_{run}.csv"

[subtask.de]
title = "German"
official_metric = "averaged_f1"
labels = ["a", "b", "c", "d"]
gold.path = "de.csv"
submissions.files = "runs/{team}/de_{run}.csv"
policies.unusable = "reject"
"""
FILES = {
    "task.toml": TOML,
    "en.csv": GOLD,
    "de.csv": OTHER_GOLD,
    "runs/a/en_primary.csv": ANSWERS,
    "runs/a/en_contrastive1.csv": ANSWERS,
    "runs/a/de_primary.csv": OTHER,
    "runs/b/en_primary.csv": ANSWERS,
    "notes.csv": "x",
}


PLACES = {
    "TEAM/PART.csv": ("key/{0}.csv", "s/{1}/{0}.csv"),
    "TEAM_PART.csv": ("gold_{0}.csv", "submissions/{1}_{0}.csv"),
    "PART-TEAM.csv": ("gold-{0}.csv", "runs/{0}-{1}.csv"),
    "PART/TEAM.csv": ("truth.{0}.csv", "runs/{0}/{1}.csv"),
    "TEAM/PART/run.csv": ("truth.{0}.csv", "s/{1}/{0}/out.csv"),
    "TEAM/PART_run.csv": ("_gold/{0}.csv", "{1}/{0}_primary.csv"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("parts", [("english", "german"), ("task1", "task2")])
def test_a_draft_has_the_test_sets_that_names_tell_apart(place, parts, tmp_path):
    """Where labels and items do not: wherever the name stands, and every team is in each of them."""
    gold, path = PLACES[place]
    files = {path.format(part, team): ANSWERS for part in parts for team in ("Ada", "Bob", "Cyd")}
    root = write(tmp_path, {**{gold.format(part): GOLD for part in parts}, **files})
    campaigns = read_campaigns(init(root))
    assert [campaign.gold.source.path for campaign in campaigns] == [
        gold.format(part) for part in parts
    ]
    for campaign, part in zip(campaigns, parts, strict=True):
        read = {submission.team: submission.source.path for submission in campaign.submissions}
        assert read == {team: path.format(part, team) for team in ("Ada", "Bob", "Cyd")}


def test_runs_with_numbers_are_no_test_sets(tmp_path):
    """Two gold files that only a number tells apart, and two runs of each team: it is asked which is gold."""
    runs = {f"submissions/{team}/run{number}.csv": ANSWERS for team in "XY" for number in (1, 2)}
    with pytest.raises(UsageError, match="2 files hold labels of the 4 items"):
        init(write(tmp_path, {"a/gold1.csv": GOLD, "a/gold2.csv": GOLD, **runs}))


def test_each_test_set_is_a_task_of_one_family(tmp_path):
    """Its slug is the campaign's with its name; what it does not state stands at the top."""
    english, german = read_campaigns(write(tmp_path, FILES))
    assert [(c.task.slug, c.task.family, c.task.part) for c in (english, german)] == [
        ("nli-english-test", "nli", "English test"),
        ("nli-de", "nli", "de"),
    ]
    assert (english.task.title, german.task.title) == ("NLI 2031: English test", "German")
    assert (str(english.task.official_metric), str(german.task.official_metric)) == (
        "accuracy",
        "averaged_f1",
    )
    assert (english.task.policies.missing, english.task.policies.unusable) == ("drop", "wrong")
    assert (german.task.policies.missing, german.task.policies.unusable) == ("drop", "reject")
    assert german.task.label_set.labels == ("a", "b", "c", "d")
    assert german.settings == english.settings


def test_a_team_without_a_file_skipped_the_test_set(tmp_path):
    """A name that holds for all test sets need not occur in each; files of another test set are not ignored ones."""
    english, german = read_campaigns(write(tmp_path, FILES))
    assert [(s.team, s.run, s.role) for s in english.submissions] == [
        ("Team B", "primary", Role.PRIMARY),
        ("a", "contrastive1", Role.CONTRASTIVE),
        ("a", "primary", Role.PRIMARY),
    ]
    assert [(s.team, s.run) for s in german.submissions] == [("a", "primary")]
    assert english.ignored == german.ignored == ("notes.csv",)


def test_a_name_that_no_test_set_has_is_refused(tmp_path):
    """Once, however many test sets there are."""
    files = {**FILES, "task.toml": TOML.replace("\nb = ", "\nc = ")}
    assert [(issue.slug, issue.lines) for issue in refusal(tmp_path, files)] == [
        ("bad-setting", (12,))
    ]


def test_the_issues_of_all_test_sets_come_at_once(tmp_path):
    """With the line of the setting that is at fault, in the test set or at the top."""
    broken = {
        **FILES,
        "en.csv": "id,label\n1,no\n",
        "runs/a/de_primary.csv": "id,label\n1,a\n2,x\n3,c\n",
        "runs/b/de_primary.csv": OTHER,
    }
    issues = refusal(tmp_path, broken)
    assert [(issue.slug, issue.file) for issue in issues] == [
        ("gold-one-class", "en.csv"),
        ("unusable-label", "runs/a/de_primary.csv"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "slug", "line"),
    [
        ('title = "German"', "slug = 'de'", "bad-setting", 21),
        (
            '[subtask.de]\ntitle = "German"',
            '[subtask.english_test]\ntitle = "German"',
            "bad-setting",
            20,
        ),
        ('"averaged_f1"', '"macro_f1"', "bad-metric", 22),
        ('gold.path = "de.csv"', 'gold.path = "../de.csv"', "path-outside", 24),
        ('policies.unusable = "reject"', 'policies.unusable = "refuse"', "bad-setting", 26),
        ('missing = "drop"', 'missing = "dorp"', "bad-setting", 6),
        ('title = "NLI 2031"', 'tittle = "NLI 2031"', "bad-setting", 2),
        ("de_{run}.csv", "xx_{run}.csv", "no-submissions", 25),
    ],
)
def test_a_setting_that_is_wrong_is_named_with_its_line(old, new, slug, line, tmp_path):
    """Where the test set states it, or where all inherit it; once."""
    issues = refusal(tmp_path, {**FILES, "task.toml": TOML.replace(old, new)})
    assert [(issue.slug, issue.lines) for issue in issues] == [(slug, (line,))]


@pytest.mark.parametrize(
    "toml", ["subtask = 1\n", "[subtask]\n", "[subtask]\na = 1\n", '[subtask." "]\n']
)
def test_subtasks_are_tables_with_names(toml, tmp_path):
    """Of which there is at least one."""
    with pytest.raises(InputError, match="bad-setting"):
        read_campaigns(write(tmp_path, {**FILES, "task.toml": toml}))


def test_one_campaign_is_read_as_one_and_several_as_several(tmp_path):
    """Asking for one of several is an error that names them."""
    with pytest.raises(UsageError, match="“English test” and “de”"):
        read_campaign(write(tmp_path / "several", FILES))
    one = write(tmp_path / "one", {"gold.csv": GOLD, "submissions/A.csv": ANSWERS})
    (campaign,) = read_campaigns(one)
    assert (campaign.task.family, campaign.task.part) == (None, None)


def test_a_file_is_checked_by_the_settings_of_its_test_set(tmp_path):
    """Which has to be named where there are several."""
    english, german = read_campaigns(write(tmp_path, FILES))
    settings = german.settings.content
    lower = check_submission(
        "x.csv", OTHER.replace(",c", ",x").encode(), AnswerKey(german.gold, settings, part="de")
    )
    assert [(issue.slug, issue.fatal) for issue in lower.issues] == [("unusable-label", True)]
    assert check_submission(
        "x.csv", ANSWERS.encode(), AnswerKey(english.gold, settings, part="English test")
    ).is_accepted
    with pytest.raises(UsageError, match="say which is meant: --part "):
        check_submission("x.csv", b"", AnswerKey(english.gold, settings))


def test_progress_counts_over_all_test_sets(tmp_path):
    """It never goes back."""
    calls = []
    read_campaigns(
        write(tmp_path, FILES), on_progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(1, 3), (2, 3), (3, 3), (4, 4)]


def test_the_tables_of_a_test_set_are_its_own(tmp_path):
    """Chosen runs, prevalences and the table of the submissions."""
    toml = TOML + (
        '[[subtask.de.chosen]]\nteam = "a"\nrun = "primary"\nreason = "the only one"\n'
        "[subtask.de.prevalence.even]\na = 1\nb = 1\nc = 1\n"
    )
    english, german = read_campaigns(write(tmp_path, {**FILES, "task.toml": toml}))
    assert (english.task.policies.chosen, len(german.task.policies.chosen)) == ((), 1)
    assert (
        [p.name for p in english.task.prevalences],
        [p.name for p in german.task.prevalences],
    ) == ([], ["even"])


@pytest.mark.parametrize(
    ("top", "english", "german", "lines"),
    [
        ("", 'overall = "mean-score"\n', 'overall = "borda"\n', [(2,), (4,)]),
        ("", "", 'overall = "borda"\n', [(3,)]),
        ('overall = "mean-rank"\n', "", 'overall = "borda"\n', [(4,)]),
    ],
)
def test_test_sets_are_summed_up_by_one_rule(top, english, german, lines):
    """A rule that one test set states and another lacks would be lost."""
    toml = f"{top}[subtask.en]\n{english}[subtask.de]\n{german}"
    with pytest.raises(InputError) as caught:
        parse_parts(toml.encode())
    assert [(issue.slug, issue.lines) for issue in caught.value.issues] == [
        ("bad-setting", line) for line in lines
    ]
    assert all("for this test set alone" in issue.found for issue in caught.value.issues)


def test_a_rule_may_be_said_again():
    """At the top and in a subtask alike, or in each."""
    said = 'overall = "borda"\n'
    for toml in (
        f"{said}[subtask.en]\n{said}[subtask.de]\n",
        f"[subtask.en]\n{said}[subtask.de]\n{said}",
    ):
        assert [settings.toml.overall for settings in parse_parts(toml.encode())] == [
            "borda",
            "borda",
        ]


@pytest.mark.parametrize(
    ("top", "own", "metric"),
    [
        (
            '[official]\nmean_of = ["accuracy", "kappa"]\nweights = [2, 1]\n',
            '[subtask.de]\nofficial_metric = "mcc"\n',
            "mcc",
        ),
        (
            'official_metric = "mcc"\n',
            '[subtask.de.official]\nmean_of = ["accuracy", "kappa"]\n',
            "mean(accuracy,kappa)",
        ),
        (
            '[official]\nmean_of = ["accuracy", "kappa"]\nweights = [2, 1]\n',
            '[subtask.de.official]\nmean_of = ["mcc", "kappa"]\n',
            "mean(mcc,kappa)",
        ),
        (
            '[official]\nmean_of = ["accuracy", "kappa"]\n',
            "[subtask.de.official]\nweights = [2, 1]\n",
            "mean(2*accuracy,1*kappa)",
        ),
    ],
)
def test_an_official_score_of_its_own_is_stated_whole(top, own, metric):
    """It takes the place of the one at the top, with no weights of that one left over."""
    _, german = parse_parts(f"{top}[subtask.en]\n{own}".encode())
    assert german.official_metric == metric


def test_what_is_said_of_one_subtask_stands_above_what_is_said_of_all():
    """In the settings by which its gold and its answers are read elsewhere; another has what is said of all."""
    toml = b"[submissions]\ndelimiter = 'tab'\nformat = 'delimited'\n[subtask.A.submissions]\ndelimiter = ';'\n"
    labels, delimiters = LabelSet(("no", "yes")), {"A": ";", "B": "tab", None: "tab"}
    for part, delimiter in delimiters.items():
        settings = reduced_settings(toml, part, labels, Policies(), for_kit=True)
        assert settings["submissions"] == {"delimiter": delimiter, "format": "delimited"}
        assert settings["labels"] == ["no", "yes"]


def test_gold_goes_to_a_platform_as_its_file_stands(tmp_path):
    """With what else is in it, and the name that it ends on."""
    text = GOLD.replace("\n", ",kept\n")
    gold = read_campaign(write(tmp_path, {"gold.csv": text, "submissions/A.csv": ANSWERS})).gold
    assert reference_files(gold, None, None, Policies())["gold.csv"] == text.encode()
