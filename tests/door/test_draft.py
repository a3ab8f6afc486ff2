"""`audit init`: a row for each file, right where it can be told, asked about where it cannot; and task.toml."""

import csv
import io
import tomllib
import warnings
import zipfile

import pytest

from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign, read_campaigns
from audit.formats.door.draft import draft
from tests.formats.campaigns import ANSWERS, GOLD, GOOD, init, refusal, write, zipped

OTHER = "id,label\n1,no\n2,yes\n3,yes\n4,no\n"
TEAMS = ("anna", "ben_k", "c-3", "dora")


def rows_of(root, files=None):
    """The rows that a draft of the folder has, by file."""
    text = draft(write(root, files or {})).files
    return {row["file"]: row for row in csv.DictReader(io.StringIO(text))}


def told(root, files=None):
    """Kind, role, team and run of each file that is not ignored."""
    rows = rows_of(root, files)
    return {
        path: " ".join(
            filter(None, (row["kind"] or "?", row["part"], row["role"], row["team"], row["run"]))
        )
        for path, row in rows.items()
        if row["kind"] != "ignore"
    }


def loaded(root):
    """Team and run of the submissions of the folder as its draft reads it."""
    return [(each.team, each.run) for each in read_campaign(init(root)).submissions]


CONVENTIONAL = {
    "delimited": GOOD,
    "several endings and runs": {
        **GOOD,
        "submissions/B.txt": "no\n" * 4,
        "submissions/C/1.tsv": ANSWERS.replace(",", "\t"),
        "submissions/C/2.tsv": OTHER.replace(",", "\t"),
    },
    "lines": {"gold.txt": "no\nyes\nno\nyes\n", "submissions/A.txt": "no\n" * 4},
    "archives": {
        "gold.zip": zipped({"g/gold.csv": GOLD}),
        "submissions/A.zip": zipped({"x/answer.csv": ANSWERS}),
    },
    "wide": {"all.csv": "id,gold,A,B\n1,no,no,yes\n2,yes,no,yes\n"},
    "wide without ids": {"all.csv": "gold;A;B\nno;no;yes\nyes;no;yes\n"},
}


@pytest.mark.parametrize("case", CONVENTIONAL)
def test_with_its_draft_a_conventional_campaign_reads_as_without(case, tmp_path):
    """The same gold, the same submissions."""
    root = write(tmp_path, CONVENTIONAL[case])
    before = read_campaign(root)
    after = read_campaign(init(root))
    assert after.gold.digest() == before.gold.digest()
    assert [(s.team, s.run, s.codes.tolist()) for s in after.submissions] == [
        (s.team, s.run, s.codes.tolist()) for s in before.submissions
    ]
    assert "To decide, at the top: the metric" in after.settings.content.decode()
    assert after.ignored == ()


FOLDERS = {
    "the same file in sibling folders, and others beside it": (
        {f"runs/{team}/out.csv": ANSWERS for team in "AB"}
        | {"runs/A/notes.txt": "x\n", "eval/truth.csv": GOLD, "eval/key_old.csv": "x,y,z\n"},
        {
            "eval/truth.csv": "gold",
            "runs/A/out.csv": "submission A",
            "runs/B/out.csv": "submission B",
        },
    ),
    "runs in sibling folders": (
        {f"r/{team}/sys_{run}.csv": ANSWERS for team in "AB" for run in ("x1", "x2", "x3")}
        | {"reference.tsv": GOLD},
        {"reference.tsv": "gold"}
        | {
            f"r/{team}/sys_{run}.csv": f"submission {team} {run}"
            for team in "AB"
            for run in ("x1", "x2", "x3")
        },
    ),
    "what all names have in common": (
        {f"up/task1_{team}_final.csv": ANSWERS for team in ("uni-x", "B", "C")}
        | {"data/test.csv": GOLD},
        {"data/test.csv": "gold"}
        | {f"up/task1_{team}_final.csv": f"submission {team}" for team in ("uni-x", "B", "C")},
    ),
    "runs by their names": (
        {f"answers/{name}.csv": ANSWERS for name in ("X_run1", "X_run2", "Y", "Z_run7")}
        | {"gold.csv": GOLD},
        {
            "gold.csv": "gold",
            "answers/X_run1.csv": "submission X run1",
            "answers/X_run2.csv": "submission X run2",
            "answers/Y.csv": "submission Y",
            "answers/Z_run7.csv": "submission Z",
        },
    ),
    "baselines": (
        {
            "gold.csv": GOLD,
            "r/baselines/majority.csv": ANSWERS,
            "r/A.csv": ANSWERS,
            "r/late/B.csv": ANSWERS,
        },
        {
            "gold.csv": "gold",
            "r/baselines/majority.csv": "submission baseline majority",
            "r/A.csv": "submission A",
            "r/late/B.csv": "submission late B",
        },
    ),
    "what scorers and platforms write": (
        {**GOOD, "sample_submission.csv": ANSWERS}
        | dict.fromkeys(
            (
                "A.score.json",
                "A_metrics.json",
                "x.log",
                "submissions/A.check",
                "metadata.json",
                "README.txt",
            ),
            ANSWERS,
        ),
        {"gold.csv": "gold", "submissions/A.csv": "submission A"},
    ),
    "published scores": (
        {
            **GOOD,
            "paper/table2.tsv": "Team\tAcc\nA\t.75\n",
            "paper/other.tsv": "Team\tAcc\nQ\t.75\n",
        },
        {"gold.csv": "gold", "submissions/A.csv": "submission A", "paper/table2.tsv": "published"},
    ),
    "a submission that is damaged": (
        {
            "truth.csv": GOLD,
            "r/A/out.csv": ANSWERS,
            "r/B/out.csv": ANSWERS,
            "r/C/out.csv": b"\xff\xfe\x00",
        },
        {
            "truth.csv": "gold",
            "r/C/out.csv": "?",
            **{f"r/{team}/out.csv": f"submission {team}" for team in "AB"},
        },
    ),
    "an archive that cannot be opened": (
        {**GOOD, "more.zip": zipped({"A.csv": ANSWERS})[:-30]},
        {"more.zip": "?", "gold.csv": "gold", "submissions/A.csv": "submission A"},
    ),
    "a wide file below the top": (
        {"a/b/data.csv": "y,A,B\nno,no,yes\nyes,no,yes\n", "docs/index.rst": "Read me\n"},
        {"a/b/data.csv": "gold"},
    ),
    "folders of gold and of runs": (
        {"ref/truth.csv": GOLD, "res/A.csv": ANSWERS, "res/B.csv": ANSWERS},
        {"ref/truth.csv": "gold", "res/A.csv": "submission A", "res/B.csv": "submission B"},
    ),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_each_file_is_what_it_is(case, tmp_path):
    """Whatever the folder looks like: gold by its name, submissions by answering its items, teams by their paths."""
    files, expected = FOLDERS[case]
    assert told(tmp_path, files) == expected
    if "?" not in str(expected):
        read = {
            submission.source.path
            for submission in read_campaign(init(tmp_path), skip_rejected=True).submissions
        }
        assert read <= {
            path for path, words in expected.items() if words.startswith(("submission", "gold"))
        }


@pytest.mark.parametrize("german", [GOLD.replace("1,no\n2", "11,no\n12"), GOLD])
def test_gold_files_of_several_test_sets_have_their_parts(german, tmp_path):
    """By items, or else by the folder or a word of the name."""
    answers = {"en": ANSWERS, "de-AT": german.replace("4,yes", "4,no")}
    files = {f"{part}/subs/{team}.csv": text for part, text in answers.items() for team in "AB"}
    root = write(tmp_path, {"en/gold.csv": GOLD, "de-AT/truth.csv": german, **files})
    rows = rows_of(root)
    assert {(path.split("/")[0], row["part"]) for path, row in rows.items()} == {
        ("en", "en"),
        ("de-AT", "de-AT"),
    }
    parts = read_campaigns(init(root))
    assert sorted(
        (part.task.part, *(each.team for each in part.submissions)) for part in parts
    ) == [
        ("de-AT", "A", "B"),
        ("en", "A", "B"),
    ]


def test_test_sets_are_told_by_a_word_of_the_names(tmp_path):
    """Where items and labels are the same."""
    files = {f"gold/subtask{part}.csv": GOLD for part in "AB"}
    files |= {f"runs/{team}/subtask_{part}.csv": ANSWERS for team in ("X", "Y") for part in "AB"}
    assert told(tmp_path, files) == {
        **{f"gold/subtask{part}.csv": f"gold {part}" for part in "AB"},
        **{
            f"runs/{team}/subtask_{part}.csv": f"submission {part} {team}"
            for team in ("X", "Y")
            for part in "AB"
        },
    }


def test_task_toml_goes_before_what_would_be_told(tmp_path):
    """Its gold, its patterns and its columns; the draft leaves teams to the pattern, and writes no second task.toml."""
    toml = '[gold]\npath = "x/1.csv"\nlabel = "b"\n[submissions]\nfiles = "r/{team}.csv"\n'
    files = {
        "x/1.csv": "id,a,b\n1,x,no\n2,x,yes\n",
        "x/2.csv": GOLD,
        "r/A.csv": "1,no\n2,no\n",
        "task.toml": toml,
    }
    assert told(tmp_path, files) == {"x/1.csv": "gold", "r/A.csv": "submission A"}
    assert draft(tmp_path).settings is None
    assert loaded(tmp_path) == [("A", None)]


# As the platforms' own code names what is in their downloads


def codabench(number, team, phase=77, ending="csv"):
    return f"{number}_{team}_PhaseId{phase}_2026-03-0{number % 9 + 1}_03-1{number % 9}_predictions.{ending}"


def uploads(names, inner=("predictions.csv", "out.tsv", "a/b.csv")):
    """An archive of archives, the file in each called otherwise."""
    texts = [ANSWERS.replace(",", "\t") if name.endswith("tsv") else ANSWERS for name in inner]
    return zipped({name: zipped({inner[at % 3]: texts[at % 3]}) for at, name in enumerate(names)})


OWNERS = list(enumerate([*TEAMS, *TEAMS], start=511))
CODABENCH_NOW = {
    "bulk.zip": uploads([codabench(number, team, ending="zip") for number, team in OWNERS])
}
CODABENCH_CSV = "Submission ID,File Name,Owner,Created When,Status,Phase\n"
LATEST = {(team, None) for team in TEAMS}
DOWNLOADS = {
    "Codabench": (CODABENCH_NOW, LATEST),
    "Codabench, files alone": (
        {f"up/{codabench(number, team)}": ANSWERS for number, team in OWNERS},
        LATEST,
    ),
    "Codabench, another phase later": (
        CODABENCH_NOW
        | {
            "more.zip": uploads(
                [codabench(600, "eve", 78, "zip"), codabench(601, "finn", 78, "zip")]
            )
        },
        {("eve", None), ("finn", None)},
    ),
    "Codabench, one not finished": (
        CODABENCH_NOW
        | {
            "list.csv": CODABENCH_CSV
            + "".join(
                f"{number},p.zip,{team},2026,{'Failed' if team == 'dora' else 'Finished'},x\n"
                for number, team in OWNERS
            )
        },
        LATEST - {("dora", None)},
    ),
    "Codabench before": (
        {
            "bulk.zip": uploads([f"ID_{number}_predictions.zip" for number, _ in OWNERS[:4]]),
            "list.csv": "ID #,File name,Owner,Phase,Date,Status\n"
            + "".join(
                f"{number},p.zip,{team},Final,2026,Finished\n" for number, team in OWNERS[:4]
            ),
        },
        LATEST,
    ),
    "CodaLab with detailed results": (
        {
            "submissions.zip": lambda path: path.write_bytes(
                repeated(
                    [
                        *(
                            (f"{team} - {number} submission.zip", zipped({"p.csv": ANSWERS}))
                            for number, team in OWNERS[:4]
                        ),
                        *(
                            (f"{team} - {number} output.zip", zipped({"scores.txt": "f1: 1"}))
                            for number, team in OWNERS[:4]
                        ),
                        *[("detailed_results.html", "<p>x</p>")] * 4,
                    ]
                )
            )
        },
        {(team, str(number)) for number, team in OWNERS[:4]},
    ),
    "EvalAI": (
        {f"submissions/0000-{number}.csv": ANSWERS for number, _ in OWNERS[:4]}
        | {
            "list.csv": '"id","Team Name","Submitted File"\n'
            + "".join(
                f'"9","{team}","https://x.org/phase_1/0000-{number}.csv"\n'
                for number, team in OWNERS[:4]
            )
        },
        LATEST,
    ),
    "TIRA": (
        {
            f"submissions/{team}/2026-03-0{at}-10/output/predictions.csv": ANSWERS
            for at, team in enumerate(TEAMS, 1)
        }
        | {
            f"submissions/{team}/2026-03-0{at}-10/run.prototext": 'runId: "x"\n'
            for at, team in enumerate(TEAMS, 1)
        },
        LATEST,
    ),
}


def repeated(members):
    """A zip in which a name may stand several times."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("case", DOWNLOADS)
def test_a_download_is_read_by_the_names_that_its_platform_gave(case, tmp_path):
    """Each team once, the latest upload of the last phase; and nothing is left open."""
    files, expected = DOWNLOADS[case]
    root = write(tmp_path, {"gold.csv": GOLD, **files})
    assert {(team, run) for team, run in loaded(root)} == expected
    assert len(read_campaign(root).submissions) == len(expected)


def test_names_that_codabench_cut_are_said_to_be_such(tmp_path):
    """Two teams may have become one: nobody knows it from the download."""
    names = [
        f"ID_{number}_{name}.zip"
        for number, name in ((7, "the-team-of-the-university-of-some-c"), (8, "anna"))
    ]
    rows = rows_of(tmp_path, {"gold.csv": GOLD, "bulk.zip": uploads(names)})
    cut = {
        row["team"]: "cut to 35 characters" in row["why"]
        for row in rows.values()
        if row["kind"] == "submission"
    }
    assert cut == {"the-team-of-the-university-of-some-c": True, "anna": False}


def test_users_with_any_name_and_a_phase_in_it(tmp_path):
    """Codabench's user names hold what parts its file names."""
    users = ("a_PhaseId7_2026-01-01", "_", "x__y_", "7_8", "ü.v")
    names = [codabench(number, user, ending="zip") for number, user in enumerate(users, start=90)]
    assert loaded(write(tmp_path, {"gold.csv": GOLD, "bulk.zip": uploads(names)})) == [
        (user, None) for user in sorted(users)
    ]


def test_earlier_uploads_are_said_to_be_such(tmp_path):
    """They stand in files.csv, and can be taken in."""
    rows = rows_of(tmp_path, {"gold.csv": GOLD, **CODABENCH_NOW})
    assert sum(row["why"].endswith("not the latest") for row in rows.values()) == 4


# The text


def test_names_in_the_files_cannot_break_out_of_the_drafts(tmp_path):
    """Quotes, line breaks and control characters stay text, and no cell is a spreadsheet's formula."""
    odd = ("=HYPERLINK(1),x", "@SUM", 'say "hi"', "a,b;c")
    files = {
        "gold.csv": GOLD.replace("id,label", '"=id","] slug = ""x"""'),
        **{f"{name}.csv": ANSWERS for name in odd},
    }
    root = write(tmp_path / 'a"\nb = 1 #', files)
    settings = tomllib.loads(draft(root).settings)
    assert set(settings) == {"title", "gold", "submissions"}
    assert settings["gold"]["label"] == '] slug = "x"'
    cells = [cell for row in csv.reader(io.StringIO(draft(root).files)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@" and cell]
    init(root)
    assert sorted(
        each.source.path for each in read_campaign(root, skip_rejected=True).submissions
    ) == sorted(f"{name}.csv" for name in odd)


def test_a_folder_that_is_none_is_refused(tmp_path):
    """As everywhere."""
    with pytest.raises(InputError):
        draft(tmp_path / "nowhere")


JUDGED = {n: f"q{n // 12} 0 d{n % 13} {n % 3}\n" for n in range(120)}
RANKS = {
    n: f"Q{n // 10}\tQ{n // 10}_C{n % 10}\t{n % 10 + 1}\t{1 / (n % 10 + 1):.3f}\t{str(n % 3 == 0).lower()}\n"
    for n in range(80)
}


def changed(rows, old, new, every):
    """The rows, every few of them with another answer."""
    return "".join(
        row.replace(old, new) if number % every == 0 else row for number, row in rows.items()
    )


WAYS = {
    "an id of two columns": (
        {
            "gold/judged.txt": "".join(JUDGED.values()),
            **{
                f"submissions/{team}.txt": changed(JUDGED, " 1\n", " 2\n", n)
                for n, team in ((2, "A"), (5, "B"))
            },
        },
        {"id": [1, 3], "label": 4},
    ),
    "one of several columns of labels": (
        {
            "gold/test.tsv": "".join(RANKS.values()),
            **{
                f"runs/{team}.tsv": changed(RANKS, "true", "false", n)
                for n, team in ((2, "A"), (5, "B"))
            },
        },
        {"label": 5},
    ),
}


@pytest.mark.parametrize("case", WAYS)
def test_of_several_ways_to_read_gold_the_one_that_files_answer_is_drafted(case, tmp_path):
    """As settings, with the reason; a file that repeats a column of gold says nothing of it."""
    files, settings = WAYS[case]
    root = init(write(tmp_path, files))
    written = tomllib.loads((root / "task.toml").read_text(encoding="utf-8"))
    (_, of_a), (_, of_b) = written["submissions"]["layouts"].items()
    assert all(layout.items() >= settings.items() for layout in (written["gold"], of_a, of_b))
    campaign = read_campaign(root)
    assert [each.team for each in campaign.submissions] == ["A", "B"]
    assert all(
        0 < int((each.codes != campaign.gold.codes).sum()) < 40 for each in campaign.submissions
    )


def test_test_sets_whose_gold_is_read_in_different_ways_have_settings_each(tmp_path):
    """One with an id in a column, and one whose id are two."""
    files = {
        "gold/subtask_A.tsv": "".join(RANKS.values()),
        "gold/subtask_B.txt": "".join(JUDGED.values()),
    }
    for n, team in ((2, "X"), (5, "Y")):
        files[f"runs/{team}/subtask_A.tsv"] = changed(RANKS, "true", "false", n)
        files[f"runs/{team}/subtask_B.txt"] = changed(JUDGED, " 1\n", " 2\n", n)
    parts = {each.task.part: each for each in read_campaigns(init(write(tmp_path, files)))}
    assert {part: len(each.submissions) for part, each in parts.items()} == {"A": 2, "B": 2}
    assert parts["B"].gold.item_ids[0] == "q0\td0"


MIXED = {f"runs/{team}_task{part}.csv": ANSWERS for team in "XY" for part in "AB"} | {
    "gold/taskA.csv": GOLD, "gold/taskB.csv": OTHER,
}  # fmt: skip


def test_submissions_that_a_pattern_takes_for_another_test_set_are_asked_about(tmp_path):
    """By their paths they answer another gold file, which no setting names; files.csv decides."""
    toml = '[gold]\npath = "gold/taskA.csv"\n[submissions]\nfiles = "runs/{team}.csv"\n'
    root = write(tmp_path, {**MIXED, "task.toml": toml})
    (issue,) = refusal(root)
    assert (issue.slug, issue.file) == ("ambiguous-reading", "runs/X_taskB.csv")
    assert "2 submissions of “gold/taskA.csv” by a pattern of task.toml" in issue.found
    narrow = write(tmp_path, {"task.toml": toml.replace("{team}", "{team}_taskA")})
    assert [each.team for each in read_campaign(narrow).submissions] == ["X", "Y"]


def test_patterns_that_cross_test_sets_are_asked_about(tmp_path):
    """Each pattern finds the files of both."""
    toml = "".join(
        f'[subtask.{part}]\ngold.path = "gold/task{part}.csv"\nsubmissions.files = "runs/{{team}}_task*.csv"\n'
        for part in "AB"
    )
    assert "ambiguous-reading" in {
        issue.slug for issue in refusal(tmp_path, {**MIXED, "task.toml": toml})
    }
