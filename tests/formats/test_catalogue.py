"""The input catalogue: one broken campaign for every entry that concerns files."""

import gzip
import os
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from audit.errors import ISSUE_KINDS, InputError
from audit.findings.catalogue import FLAG_KINDS
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, GOLD, GOOD, File, encrypted, link_to, refusal, write, zipped
from .tables import workbook

NOT_FILES = {
    "bad-table",  # a published table is no part of a campaign: tests/readings/test_published.py
    "too-many-labels",  # said by the evaluation: tests/evaluation/test_evaluate.py
    "bad-confusion",  # nor is a confusion matrix: tests/formats/test_confusions.py has these two
    "confusion-orientation",
    "unsettable-name",
    "store-corrupt",
    "store-version",
    "store-read-only",
    "disk-full",
    "store-busy",
    "cannot-write",
    "bad-bundle",
    "missing-library",  # of what is installed, not of the file: tests/test_extras.py
    "input-differs",
}


BY_POLICY = (
    *("missing-item", "missing-label", "unusable-label"),
    "missing-score",
)
"""What rejects a file where a policy says so."""


@dataclass(frozen=True)
class Broken:
    """A campaign with one thing wrong: its files, and the file and lines that the issue must name."""

    files: Mapping[str, File]
    file: str
    lines: tuple[int, ...] = ()


def _good(**changed: File) -> dict[str, File]:
    return {**GOOD, **changed}


def _settings(text: str, lines: tuple[int, ...], file: str = "task.toml") -> Broken:
    return Broken({**GOOD, "task.toml": text}, file, lines)


def _gold(content: File, *lines: int) -> Broken:
    return Broken({**GOOD, "gold.csv": content}, "gold.csv", lines)


def _answers(content: File, *lines: int) -> Broken:
    return Broken({**GOOD, "submissions/A.csv": content}, "submissions/A.csv", lines)


def _by_position(content: File, *lines: int) -> Broken:
    files: dict[str, File] = {"gold.txt": "no\nyes\nno\nyes\n", "submissions/A.txt": content}
    return Broken(files, "submissions/A.txt", lines)


def _scored(content: File, *lines: int) -> Broken:
    settings = '[submissions]\nlabel = "label"\nscore = "p"\nabove = "yes"\n'
    return Broken(
        {**GOOD, "submissions/A.csv": content, "task.toml": settings}, "submissions/A.csv", lines
    )


BROKEN: Mapping[str, Broken] = {
    "no-folder": Broken({}, "nowhere"),
    "missing-score": _scored("id,label,p\n1,no,.1\n2,no,.2\n3,no,\n4,yes,.9\n", 4),
    "score-outside": _scored("id,label,p\n1,no,.1\n2,no,.2\n3,no,.3\n4,yes,9\n", 5),
    "no-number": Broken(
        {
            "task.toml": 'kind = "ratings"\n',
            "gold.csv": "id,level\n1,0.5\n2,1.5\n3,2.5\n",
            "submissions/A.csv": "id,level\n1,0.5\n2,high\n3,2.0\n",
        },
        "A.csv",
        (3,),
    ),
    "outside-range": Broken(
        {
            "task.toml": 'kind = "scores"\n[columns.BLEU]\nrange = [0, 100]\n',
            "submissions/A.csv": "id,BLEU\n1,20\n2,101\n",
        },
        "A.csv",
    ),
    "gold-bad-weights": Broken(
        {
            "task.toml": 'kind = "scores"\n[gold]\npath = "items.csv"\nweight = "w"\n',
            "items.csv": "id,w\n1,1\n2,0\n",
            "submissions/A.csv": "id,BLEU\n1,20\n2,30\n",
        },
        "items.csv",
        (3,),
    ),
    "no-gold": Broken({"submissions/A.csv": ANSWERS}, "."),
    "several-golds": Broken({**GOOD, "gold.tsv": GOLD}, "."),
    "no-submissions": Broken({"gold.csv": GOLD}, "submissions/"),
    "missing-file": _settings('[gold]\npath = "golden.csv"\n', (), "golden.csv"),
    "path-outside": _settings('[gold]\npath = "../gold.csv"\n', (2,)),
    "bad-toml": _settings('title = "A"\nslug = b\n', (2,)),
    "bad-setting": _settings('title = "A"\nofficial_decimals = "3"\n', (2,)),
    "bad-metric": _settings('title = "A"\nofficial_metric = "macro_f1"\n', (2,)),
    "bad-set": Broken(
        {**GOOD, "task.toml": 'kind = "sets"\n', "gold.csv": "id,label\n1,no\n2,[a\n"},
        "gold.csv",
        (3,),
    ),
    "bad-manifest": Broken(
        {**GOOD, "files.csv": "file,kind,role\nsubmissions/A.csv,submission,winner\n"},
        "files.csv",
        (2,),
    ),
    "unreadable-file": _answers(os.mkfifo),
    "empty-file": _answers("\n  \n"),
    "binary-file": _answers(b"PK\x03\x04\x14\x00"),
    "too-large": Broken(
        {**GOOD, "submissions/B.csv.gz": gzip.compress(b"1" * 2**20) * 70}, "submissions/B.csv.gz"
    ),
    "unsafe-archive": Broken(
        {**GOOD, "submissions/B.zip": zipped({"../answer.txt": ANSWERS})}, "submissions/B.zip"
    ),
    "damaged-file": Broken(
        {**GOOD, "submissions/B.zip": encrypted(zipped({"a.txt": ANSWERS}))}, "submissions/B.zip"
    ),
    "formula-without-value": _answers(
        workbook([["id", "label"], [1, "no"], [2, '="no"'], [3, "no"], [4, "yes"]])
    ),
    "doubtful-id": Broken(
        {
            "gold.csv": GOLD.replace("3,", f"{10**17 + 1},").replace("4,", f"{10**17 + 2},"),
            "submissions/A.csv": workbook(
                [["id", "label"], [1, "no"], [2, "no"], *[[10**17, "yes"]] * 2]
            ),
        },
        "submissions/A.csv",
    ),
    "wrong-encoding": _answers("id,label\n1,no\n2,naïve\n".encode("latin-1"), 3),
    "wrong-columns": _answers("id,label\n1,no\n2\n3,no,no\n4,yes\n", 3),
    "open-quote": _answers('id,label\n1,no\n2,"yes\n3,no\n4,yes\n', 3),
    "bad-json": _answers('{"id": 1, "label": "no"}\n{"id": 2, "label": \n', 2),
    "no-such-column": Broken(
        {**GOOD, "task.toml": '[submissions]\nlabel = "answer"\n'}, "submissions/A.csv"
    ),
    "ambiguous-reading": Broken(
        {"gold.csv": GOLD, "submissions/A.csv": "1,no,no\n2,no,yes\n3,no,no\n4,yes,no\n"},
        "submissions/A.csv",
        (2,),
    ),
    "unrecognised": _answers("Dear organisers,\nplease find our answers in the other mail.\n"),
    "header-as-answer": _gold("id,label\n1,no\n2,yes\nid,label\n3,no\n4,yes\n", 4),
    "gold-one-class": _gold("id,label\n1,no\n2,no\n3,no\n4,no\n"),
    "gold-missing-label": _gold("id,label\n1,no\n2,\n3,no\n4,yes\n", 3),
    "gold-bad-slices": Broken(
        {
            **GOOD,
            "gold.csv": "id,label,by\n1,no,x\n2,yes,y\n3,no,Y\n4,yes,x\n",
            "task.toml": '[gold]\nslices = "by"\n',
        },
        "gold.csv",
        (3,),
    ),
    "gold-bad-groups": Broken(
        {
            "gold.txt": "A B A\nB A\nA A B B\n",
            "submissions/A.txt": "A B A\nB A\nB A A B\n",
            "task.toml": '[gold]\ngroup = { path = "docs.txt" }\n',
            "docs.txt": "x\nx\n",
        },
        "docs.txt",
    ),
    "bad-label-names": Broken(
        {
            **GOOD,
            "task.toml": 'label_names_file = "names.csv"\n',
            "names.csv": "no,against\nyse,in favour\n",
        },
        "names.csv",
    ),
    "gold-unknown-label": Broken(
        {
            **GOOD,
            "task.toml": 'labels = ["no", "yes"]\n',
            "gold.csv": GOLD.replace("4,yes", "4,yse"),
        },
        "gold.csv",
        (5,),
    ),
    "duplicate-team": Broken({**GOOD, "submissions/a.txt": ANSWERS}, "submissions/A.csv"),
    "gold-copy": _answers(GOLD),
    "duplicate-item": _answers(ANSWERS + "2,yes\n", 3, 6),
    "unknown-item": _answers(ANSWERS.replace("3,no", "33,no"), 4),
    "extra-item": _answers(ANSWERS + "5,no\n", 6),
    "line-count": _by_position("no\nyes\nno\n"),
    "no-usable-answer": _answers("id,label\n1,No\n2,YES\n3,no \n4,\n", 2, 3, 4, 5),
    "missing-item": _answers("id,label\n1,no\n2,no\n4,yes\n"),
    "missing-label": _answers("id,label\n1,no\n2,\n3,no\n4,yes\n", 3),
    "contradicted-label": Broken(
        {
            "gold.csv": GOLD,
            "submissions/A.csv": "id,no,yes,label\n1,1,0,no\n2,0,1,no\n3,1,0,no\n4,0,1,yes\n",
            "task.toml": '[submissions]\nlabel = { greatest = ["no", "yes"] }\n',
        },
        "submissions/A.csv",
        (3,),
    ),
    "unusable-label": _answers("id,label\n1,no\n2,yse\n3,no\n4,yse\n", 3, 5),
}


def issues_of(broken: Broken, root, **options):
    """Every issue that reading the campaign brings up, whether it is read or not."""
    write(root, broken.files)
    try:
        return list(
            read_campaign(root / "nowhere" if broken.file == "nowhere" else root, **options).issues
        )
    except InputError as error:
        return list(error.issues)


def test_every_entry_that_concerns_files_has_a_broken_sample():
    """A new kind of issue comes with a sample of it."""
    assert set(BROKEN) == set(ISSUE_KINDS) - NOT_FILES


@pytest.mark.parametrize("slug", BROKEN)
def test_a_broken_sample_is_named_with_its_file_and_lines(slug, tmp_path):
    """The issue says what, where and on which lines."""
    broken = BROKEN[slug]
    found = [issue for issue in issues_of(broken, tmp_path) if issue.slug == slug]
    assert found, f"no {slug} among {issues_of(broken, tmp_path)}"
    assert found[0].file.endswith(broken.file)
    assert found[0].lines == broken.lines
    assert found[0].fatal == ISSUE_KINDS[slug].fatal


@pytest.mark.parametrize(
    "slug", sorted(set(BROKEN) - {*BY_POLICY, "score-outside", "contradicted-label"})
)
def test_a_broken_sample_is_rejected_with_that_issue_alone(slug, tmp_path):
    """One defect gives one kind of issue; nothing else is blamed."""
    write(tmp_path, BROKEN[slug].files)
    root = tmp_path / "nowhere" if slug == "no-folder" else tmp_path
    issues = refusal(root)
    allowed = {slug} | ({"missing-item"} if slug in {"unknown-item", "doubtful-id"} else set())
    assert {issue.slug for issue in issues} <= allowed


@pytest.mark.parametrize("slug", BY_POLICY)
def test_unanswered_items_are_loaded_unless_strict(slug, tmp_path):
    """The policy decides whether the file is rejected; the issue is there either way."""
    root = write(tmp_path, BROKEN[slug].files)
    assert [issue.slug for issue in read_campaign(root).issues] == [slug]
    with pytest.raises(InputError) as caught:
        read_campaign(root, strict=True)
    assert [(issue.slug, issue.fatal) for issue in caught.value.issues] == [(slug, True)]
    assert "the policy rejects it" in caught.value.issues[0].remedy
    assert '= "wrong"' in caught.value.issues[0].remedy


def test_links_that_lead_outside_are_not_followed(tmp_path):
    """Neither for a file nor for a folder."""
    write(tmp_path, {"secret/A.csv": ANSWERS})
    root = write(
        tmp_path / "campaign", {**GOOD, "submissions/B.csv": link_to("../../secret/A.csv")}
    )
    (root / "submissions" / "C").symlink_to("../../secret")
    issues = refusal(root)
    assert [(issue.slug, issue.file) for issue in issues] == [
        ("path-outside", "submissions/C/"),
        ("path-outside", "submissions/B.csv"),
    ]


MOST = {"title": 60, "explanation": 120, "expected": 120, "remedy": 120}
"""Characters of the parts of a message: what is wrong, what was expected, and what to do."""


@pytest.mark.parametrize("slug", ISSUE_KINDS)
def test_every_message_is_short_enough_to_be_read_at_once(slug):
    """Its parts have a line or so each, and no part is empty."""
    kind = ISSUE_KINDS[slug]
    lengths = {part: len(getattr(kind, part)) for part in MOST}
    assert all(0 < lengths[part] <= most for part, most in MOST.items()), lengths


@pytest.mark.parametrize("slug", FLAG_KINDS)
def test_every_finding_has_a_short_title(slug):
    """What it finds, in one line of a page."""
    assert 0 < len(FLAG_KINDS[slug].title) <= 120
