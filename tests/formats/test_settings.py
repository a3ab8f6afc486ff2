"""task.toml: everything that is wrong with it at once, each with its line."""

import time
from dataclasses import replace

import pytest

from audit.domain import DEFAULT_POLICIES, POLICY_KINDS, STRICT_POLICIES, ScoreKey
from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.settings.parsing import parse_settings, settings_of
from audit.formats.settings.values import Pattern

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write

BAD = {
    "slug": ['slug = "a b"', 'slug = "../x"', "slug = 3", 'slug = ""'],
    "title": ["title = 2031", 'title = " "'],
    "labels": [
        "labels = [1, 2]",
        'labels = "a"',
        'labels = ["a"]',
        'labels = ["a", "a"]',
        'labels = ["a", ""]',
        "labels = []",
    ],
    "scale": [
        "scale = [0, 1]",
        *(
            f'labels = ["1", "2", "3"]\n{line}'
            for line in (
                "scale = 3",
                "scale = [1, 2]",
                "scale = [1, 1, 2]",
                "scale = [3, 2, 1]",
                'scale = ["1", "2", "3"]',
            )
        ),
        'labels = ["1", "2"]\nscale = true\nrest_label = "1"',
        'labels = ["1", "2"]\nscale = true\nkind = "sets"',
    ],
    "official_decimals": [
        "official_decimals = true",
        "official_decimals = -1",
        "official_decimals = 3.0",
    ],
    "strict": ['strict = "yes"', "strict = 1"],
    "policies": [
        '[policies]\nmissing = "skip"',
        "[policies]\nruns = 1",
        'strict = true\n[policies]\nmissing = "drop"',
    ],
    "format": ['[gold]\nformat = "csv"', "[gold]\nformat = true"],
    "delimiter": [
        '[gold]\ndelimiter = "tabs"',
        '[gold]\ndelimiter = "\\n"',
        "[gold]\ndelimiter = 1",
        '[gold]\ndelimiter = ""',
    ],
    "header": ["[gold]\nheader = 1"],
    "comment": ['[gold]\ncomment = "//"', '[gold]\nquote = "\\r"'],
    "encoding": [
        f'[gold]\nencoding = "{name}"'
        for name in ["utf-9", "rot13", "hex", "punycode", "unicode_escape", "a\\u0000", "os"]
    ],
    "columns": [
        "[gold]\nid = 0",
        "[gold]\nid = true",
        "[gold]\nlabel = false",
        "[gold]\nlabel = 1.5",
    ],
    "files": [
        f'[submissions]\nfiles = "{text}"'
        for text in ["a.txt", "{run}.txt", "{team}/{team}", "{team}/{teem}", "a//{team}"]
    ],
    "ignore": ['[submissions]\nignore = "*.log"', "[submissions]\nignore = [1]"],
    "wide": [
        "[wide]\nheader = false",
        '[wide]\nformat = "lines"',
        '[wide]\nsystems = "A"',
        "[wide]\n[gold]\n",
    ],
    "tables": ["gold = 3", "teams = []", "[prevalence]\na = 1", "[teams]\nA = 3"],
    "latex": [
        f"[latex_names]\nA = '{text}'"
        for text in ["{", "}{", "a % b", "a & b", "#1", "a\\", "a\tb", " ", r"{\}"]
    ],
    "prevalence": ["[prevalence.observed]\nno = 1\nyes = 1", '[prevalence."a b"]\nno = 1\nyes = 1'],
}


@pytest.mark.parametrize("text", [text for texts in BAD.values() for text in texts])
def test_an_unusable_value_is_a_bad_setting(text, tmp_path):
    """With its line, and what is allowed."""
    issues = refusal(tmp_path, {**GOOD, "task.toml": f"# a comment\n{text}\n"})
    assert {issue.slug for issue in issues} == {"bad-setting"}
    assert all(issue.lines and issue.expected for issue in issues)


@pytest.mark.parametrize(
    ("slug", "value"),
    [(kind.slug, value) for kind in POLICY_KINDS.values() for value in kind.values],
)
def test_every_policy_can_be_set_to_each_of_its_values(slug, value):
    """And nothing else about the policies changes."""
    kind = {"worst": 'kind = "scores"\n', "mean": 'kind = "ratings"\n'}.get(value, "")
    policies = parse_settings(f'{kind}[policies]\n{slug} = "{value}"'.encode()).policies
    assert policies == replace(DEFAULT_POLICIES, **{slug: value})
    assert policies.differences == ((slug,) if value != POLICY_KINDS[slug].default else ())


@pytest.mark.parametrize("path", ["/etc/passwd", "../gold.csv", "a/../../gold.csv", "C:/gold.csv"])
def test_paths_stay_inside_the_folder(path):
    """Written so that every system sees it."""
    for setting in (
        f'[gold]\npath = "{path}"',
        f'[wide]\npath = "{path}"',
        f'[submissions]\nfiles = "{path}/{{team}}"',
    ):
        with pytest.raises(InputError) as caught:
            parse_settings(setting.encode())
        assert [(issue.slug, issue.lines) for issue in caught.value.issues] == [
            ("path-outside", (2,))
        ]


def test_everything_that_is_wrong_comes_at_once_in_the_order_of_lines():
    """Misspelt, mistyped, out of range: one issue each."""
    gold = '[gold]\n"pth" = "a"\ndelimiter = "tabs"\n'
    text = f'titel = "A"\nstrict = 1\n\n{gold}[submission]\nfiles = 1\n[prevalence.a]\nno = -1\n'
    with pytest.raises(InputError) as caught:
        parse_settings(text.encode())
    assert [(issue.slug, issue.lines) for issue in caught.value.issues] == [
        ("bad-setting", (1,)),
        ("bad-setting", (2,)),
        ("bad-setting", (5,)),
        ("bad-setting", (6,)),
        ("bad-setting", (7,)),
        ("bad-setting", (10,)),
    ]
    assert "“title”" in caught.value.issues[0].found
    assert "“submissions”" in caught.value.issues[4].found


LINES = {
    'note = """\nslug = 3\n"""\nslug = 3\n': (4,),
    "labels = [\n  'a',\n  'a',\n]\n[gold]\nskip = -1\n": (1, 6),
    "labels = [\n" + "".join(f"  'label {place}',\n" for place in range(500)) + "]\nslug = 3\n": (
        503,
    ),
    "gold.skip = -1\nwide.skip = -1\n": (1, 2, 2),
    "[submissions]\nformat = 'tokens'\nscore = { A = 'p', B = 'q' }\n": (3, 3),
    "[[chosen]]\nteam = 'a'\n\n[[chosen]]\nteam = 3\nrun = 'b'\nreason = 'c'\n": (1, 1, 5),
    '"\\u0073lug" = 3\n': (1,),
    "[prevalence.n]\n'[key]' = 0\n[teams]\n'[key]' = 3\n[prevalence.'[key]']\n": (2, 4, 5),
    "[policies]\n[gold]\npath = '..'\n[policies.runs]\n": (3, 4),
}
"""The lines of what is wrong: values of several lines, dotted keys, inline tables, double brackets, escapes, tables."""


@pytest.mark.parametrize("text", LINES, ids=range(len(LINES)))
def test_the_line_is_that_of_the_key_however_it_is_written(text):
    """As TOML reads it, and not as a line looks."""
    with pytest.raises(InputError) as caught:
        parse_settings(text.encode())
    assert tuple(line for issue in caught.value.issues for line in issue.lines) == LINES[text]


def test_a_file_is_searched_for_lines_in_bounded_time():
    """A value of ten thousand lines that each might end it."""
    text = 'slug = 3\nnote = """\n' + "]\n" * 10_000 + '"""\nlabels = 3\n'
    start = time.perf_counter()
    with pytest.raises(InputError) as caught:
        parse_settings(text.encode())
    assert {issue.slug for issue in caught.value.issues} == {"bad-setting"}
    assert caught.value.issues[-1].lines == (1,)
    assert time.perf_counter() - start < 5


BAD_TOML = {
    "a = \n": (1,),
    "a = 1\n\nb = 1 2\n": (3,),
    "a = 1\na = 2\n": (2,),
    'a = """\n': (2,),
    "a = [\n": (2,),
}


@pytest.mark.parametrize("text", BAD_TOML)
def test_what_is_no_toml_is_said_with_its_line(text):
    """As the TOML reader gives it."""
    with pytest.raises(InputError) as caught:
        parse_settings(text.encode())
    assert [(issue.slug, issue.lines) for issue in caught.value.issues] == [
        ("bad-toml", BAD_TOML[text])
    ]


def test_settings_that_do_not_fit_the_files_are_named_with_their_lines(tmp_path):
    """Teams, shares and metrics can only be checked when gold and submissions are known."""
    text = """official_metric = "kappa@newsrom"
[teams]
a = "X"
[latex_names]
a = "X"
[prevalence.newsroom]
no = 1
maybe = 2
[prevalence.tiny]
no = 1e308
yes = 1e308
[prevalence.fine]
no = 1
yes = 3
"""
    issues = refusal(tmp_path, {**GOOD, "task.toml": text})
    assert {(issue.slug, issue.lines) for issue in issues} == {
        ("bad-setting", (3,)),
        ("bad-setting", (5,)),
        ("bad-setting", (6,)),
        ("bad-setting", (9,)),
        ("bad-metric", (1,)),
    }
    assert all("Did you mean" in issue.found or "share" in issue.found for issue in issues)


def test_names_in_latex_are_given_by_the_names_for_readers(tmp_path):
    """As they stand; by the name in the path, where the report shows another, they are refused with the other."""
    text = '[teams]\nA = "名"\n[latex_names]\n"名" = \'{\\em Na} 50\\% \\#\\{ $x_1$\'\n'
    campaign = read_campaign(write(tmp_path, {**GOOD, "task.toml": text}))
    assert settings_of(campaign).toml.latex_names == {"名": r"{\em Na} 50\% \#\{ $x_1$"}
    assert settings_of(replace(campaign, settings=None)).toml.latex_names == {}
    issues = refusal(tmp_path, {**GOOD, "task.toml": text.replace('"名" =', "A =")})
    assert [(issue.lines, issue.found) for issue in issues] == [
        ((4,), "no submission is by the team “A”. The report shows “名”.")
    ]


def test_a_role_of_a_file_that_the_pattern_leaves_out_leads_to_the_pattern(tmp_path):
    """The file is there, and is no submission: the line to correct may be the pattern's."""
    files = {**GOOD, "submissions/A_1.csv": ANSWERS, "submissions/baseline.csv": ANSWERS}
    text = '[submissions]\nfiles = "submissions/{team}_{run}.csv"\n[roles]\nbaseline = "baseline"\n'
    (issue,) = refusal(tmp_path, {**files, "task.toml": text})
    assert issue.found.endswith(
        '“baseline”. Submissions are what files = "submissions/{team}_{run}.csv" fits.'
    )


def test_every_setting_of_the_task_arrives(tmp_path):
    """Shares are scaled to sum to 1, in the order of the labels."""
    text = """slug = "x.1"
title = "X <1>"
labels = ["yes", "no", "none"]
official_metric = "f1[yes]~"
official_decimals = 3
strict = true
[prevalence.even]
no = 1
yes = 3
[teams]
A = "Team Ä"
"""
    campaign = read_campaign(
        write(tmp_path, {**GOOD, "task.toml": "\ufeff" + text.replace("\n", "\r\n")})
    )
    task = campaign.task
    assert (task.slug, task.title, task.label_set.labels, task.label_set.declared) == (
        "x.1",
        "X <1>",
        ("yes", "no", "none"),
        True,
    )
    assert (task.official_metric, task.official_decimals, task.policies) == (
        ScoreKey("f1[yes]", "balanced"),
        3,
        STRICT_POLICIES,
    )
    assert [(prevalence.name, prevalence.shares) for prevalence in task.prevalences] == [
        ("even", (("yes", 0.75), ("no", 0.25)))
    ]
    assert [submission.team for submission in campaign.submissions] == ["Team Ä"]
    assert campaign.settings is not None
    assert campaign.settings.content.decode("utf-8-sig").startswith("slug")
    assert not [
        sentence
        for sentence in task.assumptions
        if not sentence.startswith(("gold.csv", "1 submission"))
    ]


def test_the_call_overrides_strict(tmp_path):
    """As a command's option does."""
    files = {
        **GOOD,
        "task.toml": "strict = true\n",
        "submissions/A.csv": ANSWERS.replace("2,no\n", ""),
    }
    root = write(tmp_path, files)
    assert read_campaign(root, strict=False).task.policies == DEFAULT_POLICIES
    with pytest.raises(InputError):
        read_campaign(root)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Task 4 (A)", "task-4-a"),
        ("Æther_1", "æther-1"),
        ("<script>", "script"),
        ("...", "campaign"),
    ],
)
def test_the_folders_name_becomes_a_slug(name, slug, tmp_path):
    """That is fit for a command line, whatever the folder is called."""
    folder = tmp_path / name if name != "..." else tmp_path / "… "
    campaign = read_campaign(write(folder, GOOD))
    assert campaign.task.slug == slug
    assert campaign.task.title == folder.name


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("{team}.txt", "a.b.txt", ("a.b", None, None)),
        ("r/{team}-{run}.txt", "r/a-b-c.txt", ("a-b", "c", None)),
        ("r/{run}/{team}_*.txt", "r/1/a_x.txt", ("a", "1", None)),
        ("r/{team}_{role}.txt", "r/a_late.txt", ("a", "late", "late")),
        ("{role}/{team}_{run}.txt", "late/a_2.txt", ("a", "2", "late")),
        ("r.s/{team}.txt", "rXs/a.txt", None),
        ("{team}.txt", "r/a.txt", None),
        ("{team}/{run}", "a/\n", ("a", "\n", None)),
    ],
)
def test_a_placeholder_is_a_path_component_or_a_part_of_one(pattern, path, found):
    """And everything else stands for itself."""
    assert Pattern(pattern).splits(path)[:1] == [found] * (found is not None)


@pytest.mark.usefixtures("copies_accepted")
def test_a_stated_encoding_is_used(tmp_path):
    """With a byte order mark or without; where it does not fit, the line is named."""
    latin = "id,label\n1,no\n2,naïve\n3,no\n4,naïve\n".encode("latin-1")
    toml = '[gold]\nencoding = "latin-1"\n[submissions]\nencoding = "{}"\n'
    files = {"gold.csv": latin, "submissions/A.csv": latin, "task.toml": toml.format("cp1252")}
    assert read_campaign(write(tmp_path, files)).task.label_set.labels == ("naïve", "no")
    for encoding in ("ascii", "utf-16", "utf-8"):
        write(tmp_path, {"task.toml": toml.format(encoding)})
        assert [issue.slug for issue in refusal(tmp_path)] == ["wrong-encoding"]
    write(
        tmp_path,
        {"task.toml": toml.format("utf-7"), "submissions/A.csv": b"id,label\n1,no\n2,+2AA-\n"},
    )
    assert [issue.slug for issue in refusal(tmp_path)] == ["wrong-encoding"]


COLUMNS = {
    'label = "lable"': "Did you mean “label”?",
    "label = 7": "2 columns",
    'header = false\nlabel = "label"': "no header",
}


@pytest.mark.parametrize("text", COLUMNS)
def test_a_column_that_is_not_there_is_named_with_those_that_are(text, tmp_path):
    """By name or by number."""
    root = write(tmp_path, {**GOOD, "task.toml": f'[submissions]\ndelimiter = "comma"\n{text}\n'})
    issues = refusal(root)
    assert [issue.slug for issue in issues] == ["no-such-column"]
    assert COLUMNS[text] in issues[0].found


def test_a_name_above_two_columns_names_neither(tmp_path):
    """A number does."""
    twice = "id,label,label\n1,no,no\n2,no,yes\n3,no,no\n4,yes,yes\n"
    root = write(
        tmp_path,
        {
            "gold.csv": GOLD,
            "submissions/A.csv": twice,
            "task.toml": '[submissions]\nlabel = "label"\n',
        },
    )
    assert "2 columns have this name" in refusal(root)[0].found
    write(root, {"task.toml": "[submissions]\nlabel = 3\n"})
    assert read_campaign(root).submissions[0].codes.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("name", ["observed", "a b"])
def test_a_prevalence_that_cannot_be_called_so_is_said_by_its_name(name):
    """Not by the table that it stands in."""
    with pytest.raises(InputError) as caught:
        parse_settings(f'[prevalence."{name}"]\nno = 1\nyes = 1\n'.encode())
    (issue,) = caught.value.issues
    assert f"the prevalence “{name}”" in issue.found
