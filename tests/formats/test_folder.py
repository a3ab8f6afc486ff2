"""Which file is what, and what becomes of those that are nothing."""

import os

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, GOLD, GOOD, link_to, refusal, write, zipped

WIDE = "id,gold,B,A\n1,no,no,yes\n2,yes,,yes\n3,no,maybe,no\n"


def caught_issues(root, **options):
    """The slugs and files of all issues of a campaign that is refused."""
    with pytest.raises(InputError) as caught:
        read_campaign(root, **options)
    return [(issue.slug, issue.file) for issue in caught.value.issues]


def test_submissions_are_teams_or_teams_with_runs_sorted_by_both(tmp_path):
    """A name keeps its dots, its case, its direction marks, and any length."""
    long = "x" * 240
    names = [
        "b/2.csv",
        "b/1.txt",
        "NAVEEN.J.R.csv",
        f"{long}.csv",
        "a\u202eb.csv",
        "<script>.csv",
        "b.tsv",
    ]
    files = {"gold.csv": GOLD, **{f"submissions/{name}": ANSWERS for name in names}}
    campaign = read_campaign(write(tmp_path, files))
    assert [(submission.team, submission.run) for submission in campaign.submissions] == [
        ("<script>", None),
        ("NAVEEN.J.R", None),
        ("a\u202eb", None),
        ("b", None),
        ("b", "1"),
        ("b", "2"),
        (long, None),
    ]


def test_files_that_no_rule_claims_are_listed(tmp_path):
    """Folders without a claimed file as one entry."""
    others = [
        "README.txt",
        "LICENSE",
        "notes/a.csv",
        "submissions/A.csv.score",
        "submissions/.DS_Store",
        "submissions/B/x.tex",
        "submissions/~$A.csv",
    ]
    deeper = [
        "submissions/B/old/1.csv",
        "submissions/__MACOSX/A.csv",
        ".git/config",
        "plot.py",
        "other.csv",
    ]
    campaign = read_campaign(
        write(
            tmp_path,
            {**GOOD, "submissions/B/1.csv": ANSWERS, **dict.fromkeys([*others, *deeper], "x")},
        )
    )
    assert [submission.team for submission in campaign.submissions] == ["A", "B"]
    assert campaign.ignored == (
        ".git/",
        "LICENSE",
        "README.txt",
        "notes/",
        "other.csv",
        "plot.py",
        "submissions/.DS_Store",
        "submissions/A.csv.score",
        "submissions/B/old/",
        "submissions/B/x.tex",
        "submissions/__MACOSX/",
        "submissions/~$A.csv",
    )


def test_a_pattern_claims_what_it_matches_and_nothing_else(tmp_path):
    """Neither gold, which it matches too, nor what is to be ignored: that a rule claims, and nobody asks about it."""
    files = {
        "task.toml": '[gold]\npath = "runs/gold.txt"\n'
        '[submissions]\nfiles = "runs/{team}.txt"\nignore = ["runs/old*"]\n',
        "runs/gold.txt": GOLD,
        **dict.fromkeys(
            ["runs/A.txt", "runs/B.txt", "runs/old.txt", "runs/C.csv", "runs/deep/D.txt"], ANSWERS
        ),
    }
    campaign = read_campaign(write(tmp_path, files))
    assert [submission.team for submission in campaign.submissions] == ["A", "B"]
    assert campaign.ignored == ("runs/C.csv", "runs/deep/")


def test_every_issue_of_every_file_comes_at_once(tmp_path):
    """And the rest is loaded where that is wished."""
    files = {
        **GOOD,
        "submissions/B.csv": "",
        "submissions/C.csv": "id,label\n1,no\n1,no\n9,no\n",
        "submissions/D.csv": b"\x1f\x8b",
    }
    root = write(tmp_path, files)
    expected = {
        ("empty-file", "submissions/B.csv"),
        ("duplicate-item", "submissions/C.csv"),
        ("unknown-item", "submissions/C.csv"),
        ("missing-item", "submissions/C.csv"),
        ("binary-file", "submissions/D.csv"),
    }
    assert set(caught_issues(root)) == expected
    campaign = read_campaign(root, skip_rejected=True)
    assert [submission.team for submission in campaign.submissions] == ["A"]
    assert {
        (issue.slug, rejected.path) for rejected in campaign.rejections for issue in rejected.issues
    } == expected


def test_where_nothing_remains_skipping_does_not_help(tmp_path):
    """A campaign has a submission."""
    root = write(tmp_path, {"gold.csv": GOLD, "submissions/A.csv": ""})
    assert caught_issues(root, skip_rejected=True) == [("empty-file", "submissions/A.csv")]


def test_gold_and_submissions_are_both_reported_missing(tmp_path):
    """In one go."""
    assert [slug for slug, _ in caught_issues(write(tmp_path, {"other.csv": "x\n"}))] == [
        "no-gold",
        "no-submissions",
    ]
    write(tmp_path, {"task.toml": '[submissions]\nfiles = "a/{team}/b.txt"\n', "gold.csv": GOLD})
    assert caught_issues(tmp_path) == [("no-submissions", "task.toml")]


def test_a_file_is_no_campaign(tmp_path):
    """A campaign is a folder."""
    assert [
        slug for slug, _ in caught_issues(write(tmp_path, {"gold.csv": GOLD}) / "gold.csv")
    ] == ["no-folder"]


def test_names_that_look_the_same_are_refused_on_both_sides(tmp_path):
    """Composed or decomposed, upper or lower case; skipping leaves out both."""
    names = ["Te\u0301am.csv", "T\u00e9am.txt", "other.csv"]
    root = write(tmp_path, {"gold.csv": GOLD, **{f"submissions/{name}": ANSWERS for name in names}})
    issues = caught_issues(root)
    assert [slug for slug, _ in issues] == ["duplicate-team"] * 2
    assert {file for _, file in issues} == {
        "submissions/T\u00e9am.csv",
        "submissions/T\u00e9am.txt",
    }
    assert [
        submission.team for submission in read_campaign(root, skip_rejected=True).submissions
    ] == ["other"]


def test_display_names_can_collide_too(tmp_path):
    """They are the names that the ranking has."""
    toml = '[teams]\nB = "a"\n'
    root = write(tmp_path, {**GOOD, "submissions/B.csv": ANSWERS, "task.toml": toml})
    assert [slug for slug, _ in caught_issues(root)] == ["duplicate-team"] * 2


def test_a_link_inside_the_folder_is_a_file_like_any_other(tmp_path):
    """One that leads nowhere, or in a circle, is an issue."""
    root = write(
        tmp_path, {**GOOD, "runs/b.csv": ANSWERS, "submissions/B.csv": link_to("../runs/b.csv")}
    )
    assert [submission.team for submission in read_campaign(root).submissions] == ["A", "B"]
    write(
        root, {"submissions/C.csv": link_to("nowhere.csv"), "submissions/D.csv": link_to("D.csv")}
    )
    assert caught_issues(root) == [
        ("missing-file", "submissions/C.csv"),
        ("unreadable-file", "submissions/D.csv"),
    ]


def test_a_settings_file_that_is_a_folder_or_leads_outside_is_refused(tmp_path):
    """It is read like every file."""
    write(tmp_path, {"secret.toml": "strict = true\n"})
    root = write(tmp_path / "campaign", {**GOOD, "task.toml": link_to("../secret.toml")})
    assert caught_issues(root) == [("path-outside", "task.toml")]
    (root / "task.toml").unlink()
    (root / "task.toml").mkdir()
    assert caught_issues(root) == [("missing-file", "task.toml")]


def test_a_gold_path_that_is_a_folder_is_said(tmp_path):
    """With the path as task.toml has it."""
    root = write(tmp_path, {**GOOD, "data/x.csv": GOLD, "task.toml": '[gold]\npath = "data"\n'})
    assert caught_issues(root) == [("missing-file", "data")]


def test_a_file_name_that_is_not_utf_8_is_refused_and_shown(tmp_path):
    """No store and no page can hold it; among ignored files it is only shown."""
    write(tmp_path, GOOD)
    for name in (b"submissions/\xff.csv", b"\xfe.log"):
        try:
            (tmp_path / os.fsdecode(name)).write_text(ANSWERS, encoding="utf-8")
        except OSError:
            pytest.skip("the file system takes UTF-8 names only")
    assert caught_issues(tmp_path) == [("wrong-encoding", "submissions/\\xff.csv")]
    campaign = read_campaign(tmp_path, skip_rejected=True)
    assert campaign.ignored == ("\\xfe.log",)
    assert campaign.rejections[0].path.encode("utf-8")
    (tmp_path / "gold.csv").rename(tmp_path / os.fsdecode(b"gold.\xff"))
    assert ("wrong-encoding", "gold.\\xff") in caught_issues(tmp_path)


def test_progress_counts_every_submission(tmp_path):
    """Rejected ones too."""
    calls = []
    root = write(tmp_path, {**GOOD, "submissions/B.csv": ""})
    read_campaign(
        root, skip_rejected=True, on_progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(1, 2), (2, 2)]


def test_sources_hold_every_byte(tmp_path):
    """Of gold, of each submission, and of task.toml."""
    root = write(tmp_path, {**GOOD, "task.toml": "strict = false\n"})
    campaign = read_campaign(root)
    for source in (campaign.gold.source, campaign.submissions[0].source, campaign.settings):
        assert source.content == (root / source.path).read_bytes()


def test_the_only_file_of_a_folder_can_hold_gold_and_systems(tmp_path):
    """Recognised by its header, and said so."""
    campaign = read_campaign(write(tmp_path, {"all.csv": WIDE, "README.md": "x"}))
    assert campaign.gold.item_ids == ("1", "2", "3")
    assert [
        (submission.team, submission.codes.tolist()) for submission in campaign.submissions
    ] == [
        ("A", [1, 1, 0]),
        ("B", [0, 2, 3]),
    ]
    assert [(issue.slug, issue.lines) for issue in campaign.issues] == [
        ("missing-label", (3,)),
        ("unusable-label", (4,)),
    ]
    assert all("column “B”" in issue.found for issue in campaign.issues)
    assert "column “gold” holds gold" in campaign.task.assumptions[-1]
    assert campaign.ignored == ("README.md",)


WIDE_BY_SETTINGS = {
    "numbers and names": ('gold = 2\nid = "id"\nsystems = ["A"]\n', WIDE),
    "semicolons and comments": (
        'delimiter = "semicolon"\ncomment = "%"\n',
        "% x\n" + WIDE.replace(",", ";"),
    ),
    "leading comments": ("", "# x\n\n" + WIDE),
    "quotes": ("", "\n".join('"' + line.replace(",", '","') + '"' for line in WIDE.splitlines())),
    "latin-1": ('encoding = "latin-1"\n', WIDE.replace("B", "É").encode("latin-1")),
    "unnamed index": ("", WIDE.replace("id,", ",")),
}


@pytest.mark.parametrize("case", WIDE_BY_SETTINGS)
def test_a_wide_file_is_read_as_task_toml_says(case, tmp_path):
    """System A always says the same."""
    settings, content = WIDE_BY_SETTINGS[case]
    campaign = read_campaign(
        write(tmp_path, {"task.toml": f"[wide]\n{settings}", "all.csv": content})
    )
    assert campaign.submissions[0].team == "A"
    assert campaign.submissions[0].codes.tolist() == [1, 1, 0]


def test_a_wide_file_without_ids_is_known_by_position(tmp_path):
    """A blank line is an item without any label, which gold cannot have."""
    files = {
        "task.toml": '[wide]\npath = "w.csv"\nid = false\n',
        "w.csv": "gold,A\nno,no\nyes,no\nno,yes\n",
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.gold.item_ids is None
    write(tmp_path, {"w.csv": "gold,A\nno,no\n\nyes,yes\nno,no\n"})
    assert caught_issues(tmp_path) == [("gold-missing-label", "w.csv")]


NOT_WIDE = {
    "a text column": ("id,text,gold,A\n1,Hi,no,no\n2,Ho,yes,no\n", "ambiguous-reading"),
    "two gold columns": ("gold,truth,A\nno,no,no\nyes,no,no\n", "ambiguous-reading"),
    "two gold columns of two kinds": (
        "id,label,gold,A\n1,no,no,no\n2,yes,no,no\n",
        "ambiguous-reading",
    ),
    "counts that are labels now and then": (
        "id,gold,A,n\n1,1,1,3\n2,0,0,1\n3,0,0,5\n",
        "ambiguous-reading",
    ),
    "two id columns": ("id,gold,A,uid\n1,no,no,5\n2,yes,no,6\n", "ambiguous-reading"),
    "two delimiters": ("gold,A;gold\nno,no;no\nyes,no;yes\n", "ambiguous-reading"),
    "no gold column": ("A,B\nno,yes\nyes,no\n", "no-such-column"),
    "one column": ("gold\nno\nyes\n", "unrecognised"),
    "one name twice": ("gold,A,A\nno,no,no\nyes,no,no\n", "duplicate-team"),
    "names that look the same": ("gold,A,a\nno,no,no\nyes,no,no\n", "duplicate-team"),
    "a short line": ("gold,A,B\nno,no,no\nyes,no\nno,no,no\n", "wrong-columns"),
}


@pytest.mark.parametrize("case", NOT_WIDE)
def test_a_wide_file_that_leaves_something_open_is_refused(case, tmp_path):
    """With the setting that decides."""
    content, slug = NOT_WIDE[case]
    root = write(tmp_path, {"task.toml": "[wide]\n", "all.csv": content})
    assert {found for found, _ in caught_issues(root)} == {slug}


def test_a_wide_column_that_is_not_there_or_a_file_that_is_not_one_is_refused(tmp_path):
    """By name, and by what is at the top of the folder."""
    write(tmp_path, {"all.csv": WIDE, "task.toml": '[wide]\ngold = "golden"\n'})
    assert [slug for slug, _ in caught_issues(tmp_path)] == ["no-such-column"]
    write(tmp_path, {"task.toml": "[wide]\n", "second.csv": WIDE})
    assert [slug for slug, _ in caught_issues(tmp_path)] == ["bad-setting"]


def test_one_file_that_is_not_wide_is_a_folder_without_gold_or_submissions(tmp_path):
    """Whatever it holds."""
    for name, content in {"gold.csv": GOLD, "x.bin": b"\0"}.items():
        root = write(tmp_path / name.replace(".", "-"), {name: content})
        assert "no-submissions" in {slug for slug, _ in caught_issues(root)}


STRANGE_WIDE = {
    "two gold columns": (
        "id,label,gold,A\n1,no,no,no\n2,yes,no,no\n",
        ['gold = "label"', 'gold = "gold"'],
    ),
    "two weak gold names": (
        "target,truth,A\nno,no,no\nyes,no,no\n",
        ['gold = "target"', 'gold = "truth"'],
    ),
    "a column of texts": (
        "id,text,gold,A\n1,Hi,no,no\n2,Ho,yes,no\n",
        ['systems = ["A"]', 'systems = ["text", "A"]'],
    ),
    "a name twice": (
        "id,gold,A,A,B\n1,no,no,no,no\n2,yes,no,no,no\n",
        ['systems = ["B"]', "rename"],
    ),
}


@pytest.mark.parametrize("case", STRANGE_WIDE)
def test_a_folder_with_an_almost_wide_file_is_told_what_is_open(case, tmp_path):
    """Rather than that it has no gold file."""
    content, choices = STRANGE_WIDE[case]
    root = write(tmp_path, {"data.csv": content})
    (issue,) = refusal(root)
    assert issue.file == "data.csv"
    assert "wide" in issue.found
    for choice in choices:
        assert choice in issue.remedy


@pytest.mark.parametrize("gold", ["label", "gold"])
def test_a_second_gold_column_is_a_team_only_where_task_toml_says_so(gold, tmp_path):
    """Naming the gold column alone leaves open what the other one is."""
    other = {"label": "gold", "gold": "label"}[gold]
    files = {
        "data.csv": "id,label,gold,A\n1,no,no,no\n2,yes,yes,no\n",
        "task.toml": f'[wide]\ngold = "{gold}"\n',
    }
    root = write(tmp_path, files)
    assert 'systems = ["A"]' in refusal(root)[0].remedy
    write(root, {"task.toml": f'[wide]\ngold = "{gold}"\nsystems = ["A", "{other}"]\n'})
    assert [submission.team for submission in read_campaign(root).submissions] == ["A", other]


def test_a_gold_file_alone_is_not_taken_for_a_wide_file(tmp_path):
    """What is open about its columns is a matter of [gold]."""
    content = "id,gold,truth\n1,no,no\n2,yes,no\n3,no,yes\n4,yes,yes\n"
    issues = refusal(tmp_path, {"gold.csv": content})
    assert [issue.slug for issue in issues] == ["ambiguous-reading", "no-submissions"]
    assert "under [gold]" in issues[0].remedy


LINKS_OUT = {
    "gold": {"gold.csv": "gold.csv"},
    "a folder above gold": {"l": "", "task.toml": '[gold]\npath = "l/gold.csv"\n'},
    "a submission": {"submissions/B.csv": "gold.csv"},
    "a team's folder": {"submissions/B": "runs"},
    "a submission's archive": {"submissions/B.zip": "B.zip"},
    "a file of the table": {
        "l.csv": "gold.csv",
        "files.csv": "file,kind,team\nl.csv,submission,B\n",
    },
    "files.csv": {"files.csv": "files.csv"},
    "the wide file": {"wide.csv": "wide.csv", "task.toml": '[wide]\npath = "wide.csv"\n'},
    "task.toml": {"task.toml": "task.toml"},
}
OUTSIDE = {
    "gold.csv": GOLD,
    "runs/1.csv": ANSWERS,
    "B.zip": zipped({"B.csv": ANSWERS}),
    "files.csv": "file,kind,team\nsubmissions/A.csv,submission,A\n",
    "wide.csv": WIDE,
    "task.toml": 'title = "stolen"\n',
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
@pytest.mark.parametrize("case", LINKS_OUT)
def test_no_link_leads_out_of_the_folder(case, tmp_path):
    """Whatever it stands for. One to the same file inside of the folder is followed."""
    linked(tmp_path / "out", LINKS_OUT[case], write(tmp_path / "outside", OUTSIDE))
    assert {slug for slug, _ in caught_issues(tmp_path / "out")} == {"path-outside"}
    linked(tmp_path / "within", LINKS_OUT[case], write(tmp_path / "within" / "inside", OUTSIDE))
    assert read_campaign(tmp_path / "within").submissions


def linked(root, files, target):
    """A campaign with some files of its own, and links to what stands in the target; "" is the target itself."""
    write(root, {"gold.csv": GOLD, "submissions/A.csv": ANSWERS})
    for name, content in files.items():
        (root / name).unlink(missing_ok=True)
        write(
            root,
            {
                name: link_to(str(target / content))
                if content in {"", "runs", *OUTSIDE}
                else content
            },
        )
