"""Who is behind a file and what each run is: by the path, by task.toml, or by the table of the submissions."""

import pytest

from audit.domain import ChosenRun, Origin, Role
from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign, read_campaigns

from .campaigns import ANSWERS, GOLD, GOOD, write, zipped

TABLE = '[submissions]\ntable = "submissions.csv"\n'


def campaign_of(root, **files):
    """The campaign of gold and some files."""
    return read_campaign(write(root, {"gold.csv": GOLD, **files}))


def told(campaign):
    """Team, run and role of each submission."""
    return [(submission.team, submission.run, str(submission.role)) for submission in campaign.submissions]


def caught(root, files):
    """Slug, file, lines and words of all issues of a campaign that is refused."""
    with pytest.raises(InputError) as error:
        read_campaign(write(root, {"gold.csv": GOLD, **files}))
    return [(issue.slug, issue.file, issue.lines, issue.found) for issue in error.value.issues]


def test_a_run_is_primary_unless_something_says_otherwise(tmp_path):
    """Its name alone says nothing: a team may call any run contrastive."""
    campaign = campaign_of(tmp_path, **{"submissions/A/contrastive1.csv": ANSWERS, "submissions/baseline.csv": ANSWERS})
    assert told(campaign) == [("A", "contrastive1", "primary"), ("baseline", None, "primary")]


def test_roles_go_by_the_name_of_the_run_or_of_the_team(tmp_path):
    """As task.toml says; a star stands for any text, and the first that fits counts."""
    toml = '[roles]\n"contrastive*" = "contrastive"\nlast = "late"\n"_base*" = "baseline"\n'
    runs = ["A/primary", "A/contrastive1", "A/contrastive2", "B/last", "_base/majority"]
    campaign = campaign_of(tmp_path, **{f"submissions/{run}.csv": ANSWERS for run in runs}, **{"task.toml": toml})
    assert told(campaign) == [
        ("A", "contrastive1", "contrastive"),
        ("A", "contrastive2", "contrastive"),
        ("A", "primary", "primary"),
        ("B", "last", "late"),
        ("_base", "majority", "baseline"),
    ]


def test_a_path_can_tell_the_role(tmp_path):
    """By its own name, in any case, or by one that [roles] maps; where there is no {run}, it names the run too."""
    toml = '[submissions]\nfiles = "r/{team}.{role}.csv"\n[roles]\nc1 = "contrastive"\n'
    files = {f"r/A.{name}.csv": ANSWERS for name in ("primary", "c1", "Withdrawn")}
    campaign = campaign_of(tmp_path, **files, **{"task.toml": toml})
    assert told(campaign) == [
        ("A", "Withdrawn", "withdrawn"),
        ("A", "c1", "contrastive"),
        ("A", "primary", "primary"),
    ]
    write(tmp_path, {"r/A.c2.csv": ANSWERS})
    ((slug, file, lines, found),) = caught(tmp_path, {})
    assert (slug, file, lines) == ("bad-setting", "task.toml", (2,))
    assert "“c2”" in found
    assert "“r/A.c2.csv”" in found
    assert len(read_campaign(tmp_path, skip_rejected=True).submissions) == 3


def test_the_columns_of_a_wide_file_have_roles_too(tmp_path):
    """By the system's name."""
    toml = '[wide]\n[roles]\nMajority = "baseline"\n'
    campaign = read_campaign(write(tmp_path, {"all.csv": "gold,A,Majority\nno,no,no\nyes,no,no\n", "task.toml": toml}))
    assert told(campaign) == [("A", None, "primary"), ("Majority", None, "baseline")]


ROSTERS = {
    "comma": "file,team,run,role,name,affiliation,paper\n"
    'x/1.csv,a,1,primary,"Team A, Wien",Uni Wien,P1\nx/2.csv,a,2,contrastive,,,\nx/3.csv,b,,withdrawn,,,\n',
    "semicolon, Excel's mark and other columns' names": "\ufeffPath;Team;Run;Role;Display name;Affiliation;Paper\r\n"
    "x/1.csv;a;1;PRIMARY;Team A, Wien;Uni Wien;P1\r\nx/2.csv;a;2;contrastive;;;\r\nx/3.csv;b;;withdrawn;;;\r\n",
    "tab and blank lines": "file\tteam\trun\trole\tname\taffiliation\tpaper\n\n"
    "x/1.csv\ta\t1\t\tTeam A, Wien\tUni Wien\tP1\nx/2.csv\ta\t2\tcontrastive\t\t\t\nx/3.csv\tb\t\twithdrawn\t\t\t\n\n",
}


@pytest.mark.parametrize("case", ROSTERS)
def test_a_table_says_which_files_count_and_whose_they_are(case, tmp_path):
    """All that it lists and nothing else; a name for readers holds for all runs of a team."""
    files = {f"x/{number}.csv": ANSWERS for number in range(1, 5)} | {"submissions/Z.csv": ANSWERS}
    campaign = campaign_of(tmp_path, **files, **{"task.toml": TABLE, "submissions.csv": ROSTERS[case]})
    assert told(campaign) == [
        ("Team A, Wien", "1", "primary"),
        ("Team A, Wien", "2", "contrastive"),
        ("b", None, "withdrawn"),
    ]
    assert campaign.submissions[0].origin == Origin("Uni Wien", "P1")
    assert campaign.submissions[1].origin == Origin()
    assert campaign.ignored == ("submissions/", "x/4.csv")


def test_a_table_beside_a_pattern_says_more_about_some_files(tmp_path):
    """The others stay what the pattern makes of them; a file that it does not find is added."""
    toml = TABLE + 'files = "r/{team}.csv"\n'
    files = {
        **{f"r/{team}.csv": ANSWERS for team in "ABC"},
        "late/D.zip": zipped({"D.csv": ANSWERS}),
    }
    table = "file,role,team\nr/B.csv,withdrawn,\nlate/D.zip,late,D\n"
    campaign = campaign_of(
        tmp_path, **files, **{"task.toml": toml.replace('"submissions', '"r/submissions'), "r/submissions.csv": table}
    )
    assert told(campaign) == [
        ("A", None, "primary"),
        ("B", None, "withdrawn"),
        ("C", None, "primary"),
        ("D", None, "late"),
    ]


@pytest.mark.parametrize("own", [False, True])
def test_one_table_serves_several_test_sets(own, tmp_path):
    """Each has the lines of the files that its pattern finds: a team that skipped a test set takes no part in it."""
    table = 'table = "who.csv"\n'
    parts = "".join(
        f'[subtask.{part}]\nsubmissions.files = "{part}/{{team}}.csv"\n' + f"submissions.{table}" * own for part in "ab"
    )
    who = "file,team,role\na/A.csv,Team A,\na/B.csv,Team B,\nb/A.csv,Team A,\nb/base.csv,Base,baseline\n"
    files = {"gold.csv": GOLD, "who.csv": who, "task.toml": "" if own else f"[submissions]\n{table}"}
    files["task.toml"] += parts
    files |= dict.fromkeys(("a/A.csv", "a/B.csv", "b/A.csv", "b/base.csv", "b/C.csv"), ANSWERS)
    first, second = read_campaigns(write(tmp_path, files))
    assert told(first) == [("Team A", None, "primary"), ("Team B", None, "primary")]
    assert told(second) == [("Base", None, "baseline"), ("C", None, "primary"), ("Team A", None, "primary")]


def test_a_table_of_a_form_serves_several_test_sets_too(tmp_path):
    """By names, numbers and links of files: those of the other test set are no files that are not there."""
    toml = '[submissions]\ntable = "form.csv"\ntable_columns = { file = "Upload", team = "Team" }\n'
    toml += "".join(f'[subtask.{part}]\nsubmissions.files = "{part}/{{team}}.csv"\n' for part in "ab")
    form = "Upload,Team,When\nhttps://x.org/up/one.csv,Ann,1\ntwo.csv,Ben,2\n513,Eve,3\n"
    files = {"gold.csv": GOLD, "form.csv": form, "task.toml": toml}
    files |= dict.fromkeys(("a/one.csv", "b/two.csv", "b/ID_513_x.csv"), ANSWERS)
    first, second = read_campaigns(write(tmp_path, files))
    assert [each.team for each in first.submissions] == ["Ann"]
    assert [each.team for each in second.submissions] == ["Ben", "Eve"]


@pytest.mark.parametrize(
    "parts",
    [
        '[subtask.a]\nsubmissions.files = "a/{team}.csv"\n[subtask.b]\nsubmissions.files = "b/{team}.csv"\n',
        '[subtask.a]\nsubmissions.files = "a/{team}.csv"\n',
        '[subtask.a]\nsubmissions.files = "a/{team}.csv"\n[subtask.x]\nsubmissions.files = "a/{team}.csv"\n',
    ],
)
def test_a_listed_file_that_no_test_set_finds_is_named_as_not_read(parts, tmp_path):
    """It may answer to a test set that is not audited, or be an old one: it is in no ranking."""
    files = {"gold.csv": GOLD, "who.csv": "file,team,role\nlate/C.csv,Gamma,withdrawn\nold/D.csv,Delta,\n"}
    files |= dict.fromkeys(("a/A.csv", "b/B.csv", "late/C.csv", "old/D.csv"), ANSWERS)
    files["task.toml"] = '[submissions]\ntable = "who.csv"\n' + parts
    for campaign in read_campaigns(write(tmp_path, files)):
        assert [each.team for each in campaign.submissions] == (["B"] if campaign.task.part == "b" else ["A"])
        assert {"late/", "old/"} <= {*campaign.ignored}


def test_a_path_in_a_form_s_table_goes_before_a_name(tmp_path):
    """Which a file of another test set may have, too."""
    toml = '[submissions]\ntable = "form.csv"\ntable_columns = { file = "Upload", team = "Team", role = "Role" }\n'
    toml += "".join(f'[subtask.{part}]\nsubmissions.files = "{part}/{{team}}/run.csv"\n' for part in "ab")
    form = "Upload,Team,Role\na/x/run.csv,Ann,\na/y/run.csv,Ben,baseline\nb/z/run.csv,Eve,\n"
    files = {"gold.csv": GOLD, "form.csv": form, "task.toml": toml}
    first, second = read_campaigns(
        write(tmp_path, files | dict.fromkeys(("a/x/run.csv", "a/y/run.csv", "b/z/run.csv"), ANSWERS))
    )
    assert told(first) == [("Ann", None, "primary"), ("Ben", None, "baseline")]
    assert told(second) == [("Eve", None, "primary")]


def test_a_name_in_a_form_s_table_is_no_other_file_of_that_name(tmp_path):
    """At the top of the folder lies what was given to the teams."""
    toml = '[submissions]\nfiles = "runs/{team}.csv"\ntable = "form.csv"\n'
    toml += 'table_columns = { file = "Upload", team = "T" }\n'
    files = {"form.csv": "Upload,T\ntest.csv,Alpha\n", "task.toml": toml, "test.csv": "id\n1\n"}
    assert told(campaign_of(tmp_path, **files, **{"runs/test.csv": ANSWERS})) == [("Alpha", None, "primary")]


def test_a_path_in_a_form_s_table_is_that_file(tmp_path):
    """Though another has its name in the folder that the pattern finds."""
    toml = '[submissions]\ntable = "form.csv"\ntable_columns = { file = "Upload", team = "Team", role = "Role" }\n'
    form = "Upload,Team,Role\nlate/B.csv,Beta,withdrawn\n"
    files = {"form.csv": form, "task.toml": f'{toml}files = "runs/{{team}}.csv"\n'}
    campaign = campaign_of(tmp_path, **files, **dict.fromkeys(("runs/A.csv", "runs/B.csv", "late/B.csv"), ANSWERS))
    assert told(campaign) == [("A", None, "primary"), ("B", None, "primary"), ("Beta", None, "withdrawn")]


def test_a_table_may_leave_the_team_to_the_conventions(tmp_path):
    """Where they tell it."""
    table = "file,role\nsubmissions/A/1.csv,primary\nsubmissions/A/2.csv,contrastive\n"
    files = {"submissions/A/1.csv": ANSWERS, "submissions/A/2.csv": ANSWERS, "submissions/A/3.csv": ANSWERS}
    campaign = campaign_of(tmp_path, **files, **{"task.toml": TABLE, "submissions.csv": table})
    assert told(campaign) == [("A", "1", "primary"), ("A", "2", "contrastive")]


BAD_TABLES = {
    "an unknown column": ("file,team,rolle\nx/1.csv,a,primary\n", "bad-table", 1, "“role”"),
    "a column twice": ("file,team,team\nx/1.csv,a,b\n", "bad-table", 1, "twice"),
    "no column of files": ("team,role\na,primary\n", "bad-table", 1, "“file”"),
    "no line": ("file,team\n", "bad-table", None, "below the header"),
    "no file": ("file,team\n,a\n", "bad-table", 2, "no file"),
    "a short line": ("file,team\nx/1.csv,a\nx/2.csv\n", "bad-table", 3, "1 cells"),
    "a file twice": ("file,team\nx/1.csv,a\n./x/1.csv,b\n", "bad-table", 3, "two lines"),
    "a file that is not there": ("file,team\n\nx/9.csv,a\n", "missing-file", 3, "x/9.csv"),
    "a file outside": ("file,team\n../1.csv,a\n", "path-outside", 2, "../1.csv"),
    "an absolute path": ("file,team\n/etc/passwd,a\n", "path-outside", 2, "/etc/passwd"),
    "a Windows path": ("file,team\nC:\\1.csv,a\n", "path-outside", 2, "1.csv"),
    "an unknown role": ("file,team,role\nx/1.csv,a,basline\n", "bad-table", 2, "“baseline”"),
    "no team": ("file,role\nx/1.csv,primary\n", "bad-table", 2, "no team"),
    "a team with two names": ("file,team,run,name\nx/1.csv,a,1,A\nx/2.csv,a,2,B\n", "bad-table", 3, "“A” and “B”"),
    "an open quote": ('file,team\n"x/1.csv,a\n', "open-quote", 2, "never closed"),
    "an archive of several": ("file,team\nx/several.zip,a\n", "directory", None, "2 data files"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_table_that_is_not_plain_is_refused(case, tmp_path):
    """With the line, before any file is read; --skip-rejected does not help."""
    table, slug, line, word = BAD_TABLES[case]
    files = {"x/1.csv": ANSWERS, "x/2.csv": ANSWERS, "x/several.zip": zipped({"a.csv": ANSWERS, "b.csv": ANSWERS})}
    ((found_slug, _, lines, found),) = caught(tmp_path, {**files, "task.toml": TABLE, "submissions.csv": table})
    assert (found_slug, lines) == (slug, () if line is None else (line,))
    assert word in found
    with pytest.raises(InputError):
        read_campaign(tmp_path, skip_rejected=True)


def test_a_table_that_is_not_there_or_is_not_text_is_an_issue_of_its_own(tmp_path):
    """Beside those of gold."""
    assert caught(tmp_path, {**GOOD, "task.toml": TABLE})[0][:2] == ("missing-file", "submissions.csv")
    issues = caught(tmp_path, {"submissions.csv": b"PK\x03\x04", "gold.csv": "id,label\n1,no\n"})
    assert [(slug, file) for slug, file, _, _ in issues] == [
        ("gold-one-class", "gold.csv"),
        ("binary-file", "submissions.csv"),
    ]


def test_runs_are_chosen_with_a_reason(tmp_path):
    """By the team's name in the files or for readers; it stands in the policies and in the journal."""
    toml = (
        '[[chosen]]\nteam = "A"\nrun = "1"\nreason = "as the team asked"\n[teams]\nB = "Team B"\n'
        '[[chosen]]\nteam = "Team B"\nrun = "2"\nreason = "its mail of 3 May"\n'
    )
    runs = {f"submissions/{team}/{run}.csv": ANSWERS for team in "AB" for run in "12"}
    campaign = campaign_of(tmp_path, **runs, **{"task.toml": toml.replace("[teams]", "[teams]", 1)})
    assert campaign.task.policies.chosen == (
        ChosenRun("A", "1", "as the team asked"),
        ChosenRun("Team B", "2", "its mail of 3 May"),
    )
    chose = [(entry.subject, entry.text) for entry in campaign.journal if entry.action == "chose"]
    assert chose == [("A", "The run “1”: as the team asked"), ("Team B", "The run “2”: its mail of 3 May")]


@pytest.mark.parametrize(
    ("toml", "line", "word"),
    [
        ('[[chosen]]\nteam = "A"\nrun = "1"\n', 1, "without reason"),
        (
            '[[chosen]]\nteam = "A"\nrun = "1"\nreason = "x"\n[[chosen]]\nteam = "A"\nrun = "3"\nreason = "x"\n',
            5,
            "“3”",
        ),
        ('[[chosen]]\nteam = "AA"\nrun = "1"\nreason = "x"\n', 1, "Did you mean “A”?"),
        ('[[chosen]]\nteam = "A"\nrun = 1\nreason = "x"\n', 3, "run = 1"),
        ('chosen = "A"\n', 1, "chosen = "),
        ('[roles]\ncontrastive = "contrastive"\n', 2, "“contrastive”"),
        ('[roles]\n1 = "winner"\n', 2, "winner"),
    ],
)
def test_a_role_or_a_choice_that_nothing_answers_to_is_refused(toml, line, word, tmp_path):
    """A misspelt name would silently do nothing."""
    files = {"submissions/A/1.csv": ANSWERS, "submissions/A/2.csv": ANSWERS, "task.toml": toml}
    ((slug, file, lines, found),) = caught(tmp_path, files)
    assert (slug, file, lines) == ("bad-setting", "task.toml", (line,))
    assert word in found


@pytest.mark.parametrize("other", ["ICRC-HIT", "icrc_hit", "ICRC\u200b-HIT"])
def test_teams_that_look_the_same_are_refused_whatever_their_runs_are_called(other, tmp_path):
    """A soft hyphen cannot be seen; the name stays as it stands where it is alone."""
    files = {"submissions/ICRC\u00ad-HIT/primary.csv": ANSWERS, "submissions/ICRC\u00ad-HIT/contrastive.csv": ANSWERS}
    campaign = campaign_of(tmp_path, **files)
    assert {submission.team for submission in campaign.submissions} == {"ICRC\u00ad-HIT"}
    found = caught(tmp_path, {f"submissions/{other}/1.csv": ANSWERS})
    assert {slug for slug, _, _, _ in found} == {"duplicate-team"}
    assert {file.split("/")[1] for _, file, _, _ in found} == {"ICRC\u00ad-HIT", other}


def test_a_withdrawn_run_stays_in_the_campaign(tmp_path):
    """It is for the ranking to leave it out."""
    campaign = campaign_of(tmp_path, **{**GOOD, "task.toml": '[roles]\nA = "withdrawn"\n'})
    assert [submission.role for submission in campaign.submissions] == [Role.WITHDRAWN]


def test_the_journal_says_what_was_read(tmp_path):
    """The table, gold, and each submission once, in the order of reading."""
    table = "file,team\nx/1.csv,a\nx/2.csv,b\n"
    campaign = campaign_of(
        tmp_path, **{"x/1.csv": ANSWERS, "x/2.csv": ANSWERS, "submissions.csv": table, "task.toml": TABLE}
    )
    read = [entry.subject for entry in campaign.journal if entry.action == "read"]
    assert read == ["submissions.csv", "gold.csv", "x/1.csv", "x/2.csv"]
