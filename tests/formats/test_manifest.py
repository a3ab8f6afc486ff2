"""Who is behind a file and what each run is: by the path, by task.toml, or by files.csv."""

import pytest

from audit import workflow
from audit.domain import ChosenRun, Origin, Role
from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.formats.campaign.single_file import AnswerKey, check_submission
from audit.store import open_store

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write, zipped


def campaign_of(root, **files):
    """The campaign of gold and some files."""
    return read_campaign(write(root, {"gold.csv": GOLD, **files}))


def told(campaign):
    """Team, run and role of each submission."""
    return [
        (submission.team, submission.run, str(submission.role))
        for submission in campaign.submissions
    ]


def caught(root, files):
    """Slug, file, lines and words of all issues of a campaign that is refused."""
    issues = refusal(root, {"gold.csv": GOLD, **files})
    return [(issue.slug, issue.file, issue.lines, issue.found) for issue in issues]


def test_a_run_is_primary_unless_something_says_otherwise(tmp_path):
    """Its name alone says nothing: a team may call any run contrastive."""
    campaign = campaign_of(
        tmp_path, **{"submissions/A/contrastive1.csv": ANSWERS, "submissions/baseline.csv": ANSWERS}
    )
    assert told(campaign) == [("A", "contrastive1", "primary"), ("baseline", None, "primary")]


def test_roles_go_by_the_name_of_the_run_or_of_the_team(tmp_path):
    """As task.toml says; a star stands for any text, and the first that fits counts."""
    toml = '[roles]\n"contrastive*" = "contrastive"\nlast = "late"\n"_base*" = "baseline"\n'
    runs = ["A/primary", "A/contrastive1", "A/contrastive2", "B/last", "_base/majority"]
    campaign = campaign_of(
        tmp_path, **{f"submissions/{run}.csv": ANSWERS for run in runs}, **{"task.toml": toml}
    )
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
    campaign = read_campaign(
        write(tmp_path, {"all.csv": "gold,A,Majority\nno,no,no\nyes,no,no\n", "task.toml": toml})
    )
    assert told(campaign) == [("A", None, "primary"), ("Majority", None, "baseline")]


MANIFESTS = {
    "comma": "file,kind,role,team,run,part,why,affiliation,paper\n"
    'x/1.csv,submission,primary,"Team A, Wien",1,,"it says so, twice",Uni Wien,P1\n'
    'x/2.csv,submission,contrastive,"Team A, Wien",2,,,,\n'
    "x/3.csv,submission,withdrawn,b,,,,,\nx/4.csv,ignore,,,,,,,\n",
    "semicolon and Excel's mark": "\ufeffFile;Kind;Team;Run;Role;Affiliation;Paper\r\n"
    "x/1.csv;Submission;Team A, Wien;1;PRIMARY;Uni Wien;P1\r\nx/2.csv;submission;Team A, Wien;2;contrastive;;\r\n"
    "x/3.csv;submission;b;;withdrawn;;\r\nx/4.csv;reference;;;;;\r\n",
    "tab and blank lines": "file\tkind\tteam\trun\trole\taffiliation\tpaper\n\n"
    "x/1.csv\tsubmission\tTeam A, Wien\t1\t\tUni Wien\tP1\nx/2.csv\tsubmission\tTeam A, Wien\t2\tcontrastive\t\t\n"
    "./x/3.csv\tsubmission\tb\t\twithdrawn\t\t\nx/4.csv\tignore\t\t\t\t\t\n\n",
}


@pytest.mark.parametrize("case", MANIFESTS)
def test_files_csv_says_which_files_count_and_whose_they_are(case, tmp_path):
    """All that it lists and nothing else; what is no submission by it is not named as not read."""
    files = {f"x/{number}.csv": ANSWERS for number in range(1, 5)} | {"submissions/Z.csv": ANSWERS}
    campaign = campaign_of(tmp_path, **files, **{"files.csv": MANIFESTS[case]})
    assert told(campaign) == [
        ("Team A, Wien", "1", "primary"),
        ("Team A, Wien", "2", "contrastive"),
        ("b", None, "withdrawn"),
    ]
    assert campaign.submissions[0].origin == Origin("Uni Wien", "P1")
    assert campaign.submissions[1].origin == Origin()
    assert campaign.ignored == ("submissions/",)
    assert (campaign.roster.path, campaign.roster.content) == (
        "files.csv",
        (tmp_path / "files.csv").read_bytes(),
    )


def test_a_table_of_that_name_without_a_column_of_files_is_another_table(tmp_path):
    """Its header tells it."""
    campaign = campaign_of(tmp_path, **{**GOOD, "files.csv": "name,size\na,1\n"})
    assert (campaign.roster, campaign.ignored) == (None, ("files.csv",))


def test_files_csv_names_gold_published_scores_and_names(tmp_path):
    """As task.toml would; nothing else is needed, whatever files are called, and published tables may be several."""
    files = {
        "a/x1.csv": GOLD,
        "a/x2.csv": ANSWERS,
        "a/x3.csv": "Team,Accuracy\nA,.75\n",
        "a/x4.csv": "no,never\nyes,always\n",
        "a/x5.csv": "Team,F1\nA,.5\n",
        "files.csv": "file,kind,team\na/x1.csv,gold,\na/x2.csv,submission,A\na/x3.csv,published,\na/x4.csv,names,\n"
        "a/x5.csv,published,\n",
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.gold.source.path == "a/x1.csv"
    assert [table.path for table in campaign.published] == ["a/x3.csv", "a/x5.csv"]
    assert campaign.task.label_set.shown == ("never", "always")
    assert told(campaign) == [("A", None, "primary")]
    assert campaign.ignored == ()


def test_a_wide_file_is_gold_by_its_kind(tmp_path):
    """Where no submission stands beside it."""
    files = {
        "b/x.csv": "id,gold,A,B\n1,no,no,yes\n2,yes,no,yes\n",
        "files.csv": "file,kind\nb/x.csv,gold\n",
    }
    assert [each.team for each in read_campaign(write(tmp_path, files)).submissions] == ["A", "B"]


def test_files_csv_has_several_test_sets_of_its_own(tmp_path):
    """Without task.toml, and with what that says of all of them."""
    rows = [
        f"{part}/gold.csv,gold,{part},\n{part}/A.csv,submission,{part},A\n" for part in ("en", "de")
    ]
    files = {
        f"{part}/{name}.csv": text
        for part in ("en", "de")
        for name, text in (("gold", GOLD), ("A", ANSWERS))
    }
    root = write(tmp_path / "two", {**files, "files.csv": "file,kind,part,team\n" + "".join(rows)})
    assert [(each.task.slug, each.task.part) for each in read_campaigns(root)] == [
        ("two-en", "en"),
        ("two-de", "de"),
    ]
    write(root, {"task.toml": 'title = "T"\nofficial_metric = "accuracy"\n'})
    parts = read_campaigns(root)
    assert [each.task.title for each in parts] == ["T: en", "T: de"]
    assert [told(each) for each in parts] == [[("A", None, "primary")]] * 2
    checked = check_submission(
        "A.csv", ANSWERS.encode(), AnswerKey(parts[0].gold, parts[0].settings.content, part="en")
    )
    assert checked.codes.tolist() == parts[0].submissions[0].codes.tolist()


def test_a_submission_beside_several_gold_files_says_which_it_answers(tmp_path):
    """It would stand in two rankings."""
    files = {"en.csv": GOLD, "de.csv": GOLD, "A.csv": ANSWERS, "B.csv": ANSWERS}
    rows = "file,kind,part,team\nen.csv,gold,en,\nde.csv,gold,de,\nA.csv,submission,en,A\nB.csv,submission,,B\n"
    issues = refusal(tmp_path, {**files, "files.csv": rows})
    assert [(issue.slug, issue.lines) for issue in issues] == [("bad-manifest", (5,))]
    assert "without a part, first “B.csv”" in issues[0].found


def test_files_csv_beside_a_pattern_says_more_about_some_files(tmp_path):
    """The others stay what the pattern makes of them; a file that it does not find is added."""
    files = {
        **{f"r/{team}.csv": ANSWERS for team in "ABC"},
        "late/D.zip": zipped({"D.csv": ANSWERS}),
        "task.toml": '[submissions]\nfiles = "r/{team}.csv"\n',
        "files.csv": "file,kind,role,team\nr/B.csv,submission,withdrawn,\nlate/D.zip,submission,late,D\n",
    }
    assert told(campaign_of(tmp_path, **files)) == [
        ("A", None, "primary"),
        ("B", None, "withdrawn"),
        ("C", None, "primary"),
        ("D", None, "late"),
    ]


def test_one_manifest_serves_several_test_sets(tmp_path):
    """Each has the lines of the files that its pattern finds, or that say so; others are named as not read."""
    parts = "".join(
        f'[subtask.{part}]\nsubmissions.files = "{part}/{{team}}.csv"\n' for part in "ab"
    )
    rows = "a/A.csv,submission,,\na/B.csv,submission,a,\nb/base.csv,submission,,baseline\nold/D.csv,submission,,\n"
    files = {"gold.csv": GOLD, "files.csv": f"file,kind,part,role\n{rows}", "task.toml": parts}
    files |= dict.fromkeys(
        ("a/A.csv", "a/B.csv", "b/A.csv", "b/base.csv", "b/C.csv", "old/D.csv"), ANSWERS
    )
    first, second = read_campaigns(write(tmp_path, files))
    assert told(first) == [("A", None, "primary"), ("B", None, "primary")]
    assert told(second) == [
        ("A", None, "primary"),
        ("C", None, "primary"),
        ("base", None, "baseline"),
    ]
    assert first.ignored == second.ignored == ("old/",)


def test_a_line_may_leave_the_team_to_the_conventions(tmp_path):
    """Where they tell it."""
    table = "file,kind,role\nsubmissions/A/1.csv,submission,primary\nsubmissions/A/2.csv,submission,contrastive\n"
    files = {
        "submissions/A/1.csv": ANSWERS,
        "submissions/A/2.csv": ANSWERS,
        "submissions/A/3.csv": ANSWERS,
    }
    campaign = campaign_of(tmp_path, **files, **{"files.csv": table})
    assert told(campaign) == [("A", "1", "primary"), ("A", "2", "contrastive")]


def test_without_a_submission_it_only_takes_files_away(tmp_path):
    """What the conventions find otherwise stays, a folder of no submissions goes as a whole."""
    table = "file,kind\nsubmissions/old,ignore\nsubmissions/A.csv,ignore\n"
    files = dict.fromkeys(
        (f"submissions/{name}.csv" for name in ("A", "B", "old/1", "old/2")), ANSWERS
    )
    assert told(campaign_of(tmp_path, **files, **{"files.csv": table})) == [("B", None, "primary")]


DIFFERENCES = {
    "another gold file": ('[gold]\npath = "gold.csv"\n', "x/1.csv,gold,,,\n", "that is “gold.csv”"),
    "gold that is ignored": (
        '[gold]\npath = "gold.csv"\n',
        "gold.csv,ignore,,,\n",
        "it is ignore, and task.toml says it is gold",
    ),
    "another team": (
        '[submissions]\nfiles = "x/{team}.csv"\n',
        "x/1.csv,submission,A,,\n",
        "the team is “A”",
    ),
    "another run": (
        '[submissions]\nfiles = "{team}/{run}.csv"\n',
        "x/1.csv,submission,,2,\n",
        "it is “1”, by files =",
    ),
    "no submission": (
        '[submissions]\nfiles = "x/{team}.csv"\n',
        "x/1.csv,ignore,,,\n",
        "it is ignore",
    ),
    "ignored there": (
        '[submissions]\nignore = ["x/*"]\n',
        "x/1.csv,submission,A,,\n",
        "by ignore under",
    ),
    "another role": (
        '[roles]\nA = "baseline"\n',
        "x/1.csv,submission,A,,late\n",
        "it is baseline, by [roles]",
    ),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_where_task_toml_says_otherwise_an_issue_names_both(case, tmp_path):
    """Neither goes before the other."""
    toml, row, words = DIFFERENCES[case]
    files = {"x/1.csv": ANSWERS, "files.csv": f"file,kind,team,run,role\n{row}", "task.toml": toml}
    found = caught(tmp_path, files)
    assert [each[:3] for each in found if each[0] == "bad-manifest"] == [
        ("bad-manifest", "files.csv", (2,))
    ]
    assert any(words in each[3] for each in found)


BAD_MANIFESTS = {
    "an unknown column": (
        "file,kind,rolle\nx/1.csv,submission,primary\n",
        "bad-manifest",
        (1,),
        "“role”",
    ),
    "a column twice": (
        "file,kind,team,team\nx/1.csv,submission,a,b\n",
        "bad-manifest",
        (1,),
        "twice",
    ),
    "no kinds": ("file,team\nx/1.csv,a\n", "bad-manifest", (1,), "“kind”"),
    "an unknown kind": (
        "file,kind\nx/1.csv,submision\n",
        "bad-manifest",
        (2,),
        "Did you mean “submission”?",
    ),
    "an open kind": (
        "file,kind,why\nx/1.csv,,it is a copy\nx/2.csv,,\n",
        "bad-manifest",
        (2, 3),
        "first “x/1.csv”: it is a copy",
    ),
    "no line": ("file,kind\n", "bad-manifest", (), "below the header"),
    "no file": ("file,kind\n,submission\n", "bad-manifest", (2,), "no file"),
    "a short line": ("file,kind\nx/1.csv,ignore\nx/2.csv\n", "bad-manifest", (3,), "1 cells"),
    "a file twice": (
        "file,kind,team\nx/1.csv,submission,a\n./x/1.csv,submission,b\n",
        "bad-manifest",
        (2, 3),
        "two lines",
    ),
    "an archive and its file": (
        "file,kind,team\nx/one.zip,submission,a\nx/one.zip/a.csv,submission,b\n",
        "bad-manifest",
        (2, 3),
        "two lines",
    ),
    "files that are not there": (
        "file,kind,team\nx/8.csv,submission,a\nx/9.csv,gold,\n",
        "missing-file",
        (2, 3),
        "x/9.csv",
    ),
    "a file outside": ("file,kind\n../1.csv,gold\n", "path-outside", (2,), "../1.csv"),
    "an absolute path": ("file,kind\n/etc/passwd,gold\n", "path-outside", (2,), "/etc/passwd"),
    "a Windows path": ("file,kind\nC:\\1.csv,gold\n", "path-outside", (2,), "1.csv"),
    "an unknown role": (
        "file,kind,team,role\nx/1.csv,submission,a,basline\n",
        "bad-manifest",
        (2,),
        "“baseline”",
    ),
    "no team": ("file,kind\nx/1.csv,submission\n", "bad-manifest", (2,), "no team"),
    "an open quote": ('file,kind\n"x/1.csv,gold\n', "bad-manifest", (2,), "quotes are not closed"),
    "an archive of several": (
        "file,kind,team\nx/several.zip,submission,a\n",
        "missing-file",
        (),
        "2 data files",
    ),
    "two gold files": (
        "file,kind\nx/1.csv,gold\nx/2.csv,gold\n",
        "bad-manifest",
        (2, 3),
        "gold is “x/1.csv” and “x/2.csv”",
    ),
    "gold that is none": (
        "file,kind\ngold.csv,ignore\n",
        "bad-manifest",
        (2,),
        "is called gold, and its kind is ignore",
    ),
    "test sets of one name": (
        "file,kind,part\nx/1.csv,gold,a b\nx/2.csv,gold,a-b\n",
        "bad-manifest",
        (2,),
        "the test set “a b”",
    ),
}


@pytest.mark.parametrize("case", BAD_MANIFESTS)
def test_a_manifest_that_is_not_plain_is_refused(case, tmp_path):
    """With its lines, before any submission is read; --skip-rejected does not help."""
    table, slug, lines, word = BAD_MANIFESTS[case]
    packed = {
        "x/several.zip": {"a.csv": ANSWERS, "b.csv": ANSWERS},
        "x/one.zip": {"a.csv": ANSWERS},
    }
    files = {"x/1.csv": ANSWERS, "x/2.csv": ANSWERS} | {
        path: zipped(members) for path, members in packed.items()
    }
    found = [
        each
        for each in caught(tmp_path, {**files, "files.csv": table})
        if each[0] != "no-submissions"
    ]
    assert (found[0][0], found[0][2]) == (slug, lines)
    assert word in found[0][3]
    with pytest.raises(InputError):
        read_campaign(tmp_path, skip_rejected=True)


def test_a_manifest_that_is_not_text_is_an_issue(tmp_path):
    """It may be a workbook under another name."""
    assert caught(tmp_path, {"files.csv": b"PK\x03\x04"})[0][:2] == ("binary-file", "files.csv")


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
    assert chose == [
        ("A", "The run “1”: as the team asked"),
        ("Team B", "The run “2”: its mail of 3 May"),
    ]


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
    files = {
        "submissions/ICRC\u00ad-HIT/primary.csv": ANSWERS,
        "submissions/ICRC\u00ad-HIT/contrastive.csv": ANSWERS,
    }
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
    """files.csv, gold, and each submission once, in the order of reading."""
    table = "file,kind,team\nx/1.csv,submission,a\nx/2.csv,submission,b\n"
    campaign = campaign_of(tmp_path, **{"x/1.csv": ANSWERS, "x/2.csv": ANSWERS, "files.csv": table})
    read = [entry.subject for entry in campaign.journal if entry.action == "read"]
    assert read == ["files.csv", "gold.csv", "x/1.csv", "x/2.csv"]


def test_overall_stands_beside_the_parts_of_the_manifest(tmp_path):
    """As docs/recipes.md has it: the rule that sums up the test sets, wherever these are named."""
    for name in "ab":
        write(
            tmp_path,
            {f"{name}/gold.csv": "id,label\n1,x\n2,y\n", f"{name}/T.csv": "id,label\n1,x\n2,x\n"},
        )
    rows = "".join(
        f"{name}/gold.csv,gold,,{name}\n{name}/T.csv,submission,T,{name}\n" for name in "ab"
    )
    write(
        tmp_path,
        {"files.csv": f"file,kind,team,part\n{rows}", "task.toml": 'overall = "mean-rank"\n'},
    )
    campaigns = read_campaigns(tmp_path)
    assert [(each.task.part, each.task.overall) for each in campaigns] == [
        ("a", "mean-rank"),
        ("b", "mean-rank"),
    ]
    with open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(*campaigns)
        slug = campaigns[0].task.slug
        assert store.load_campaign(slug).task.overall == "mean-rank"
    assert workflow.evaluate_task(slug, tmp_path / "audit.db").task.overall == "mean-rank"


@pytest.mark.parametrize(
    ("settings", "manifest", "expected"),
    [
        (
            'overall = "mean-rank"\n',
            False,
            "several test sets: [subtask.NAME], or names in the column part of files.csv",
        ),
        ("weight = 2.0\n", True, "a weight for each of several test sets, in [subtask.NAME]"),
    ],
)
def test_a_rule_for_several_test_sets_needs_them(tmp_path, settings, manifest, expected):
    """And a weight is that of one of them."""
    part = "file,kind,team,part\ngold.csv,gold,,a\nT.csv,submission,T,a\n"
    write(
        tmp_path,
        {
            "gold.csv": "id,label\n1,x\n2,y\n",
            "T.csv": "id,label\n1,x\n2,x\n",
            "task.toml": settings,
        },
    )
    write(tmp_path, {"files.csv": part} if manifest else {})
    with pytest.raises(InputError) as caught:
        read_campaigns(tmp_path)
    assert expected in [issue.expected for issue in caught.value.issues]
