"""Checking one file says what loading its campaign says."""

import gzip

import numpy as np
import pytest

from audit.domain import Gold, LabelSet, Policies
from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import AnswerKey, check_submission

from .campaigns import ANSWERS, GOLD, GOOD, tarred, write, zipped
from .test_catalogue import BROKEN

OF_SUBMISSIONS = {
    slug: broken
    for slug, broken in BROKEN.items()
    if broken.file in {"submissions/A.csv", "submissions/A.txt"}
    and isinstance(broken.files[broken.file], str | bytes)
}


def checked_like_a_load(root, files, path):
    """The check of one file beside a campaign that loads, whose own submission stands in another file."""
    good = {name: content for name, content in files.items() if not name.startswith("submissions/")}
    gold = next(name for name in files if name.startswith("gold."))
    good[f"submissions/Good.{gold.partition('.')[2]}"] = files[gold]
    campaign = read_campaign(write(root, good))
    content = files[path]
    settings = None if campaign.settings is None else campaign.settings.content
    return check_submission(
        path,
        content.encode() if isinstance(content, str) else content,
        AnswerKey(campaign.gold, settings),
    )


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize(
    "slug", sorted(set(OF_SUBMISSIONS) - {"duplicate-team", "no-such-column", "contradicted-label"})
)
def test_a_broken_file_has_the_issues_that_a_load_gives_it(slug, tmp_path):
    """To the word, whether it is rejected or accepted with remarks."""
    broken = OF_SUBMISSIONS[slug]
    found = checked_like_a_load(tmp_path / "good", broken.files, broken.file)
    root = write(tmp_path / "broken", broken.files)
    try:
        expected, accepted = tuple(read_campaign(root).issues), True
    except InputError as error:
        expected, accepted = error.issues, False
    assert (found.issues, found.is_accepted) == (expected, accepted)


def test_the_names_of_gold_columns_help_as_they_do_in_a_load(tmp_path):
    """A column is known by the name that it has in the gold file, whichever way gold comes."""
    gold = "message,polarity\n1,no\n2,yes\n3,no\n4,yes\n"
    answers = b"message,other,polarity\n1,no,No\n2,no,no\n3,yes,no\n4,no,yes\n"
    settings = '[gold]\nid = "message"\nlabel = "polarity"\n[submissions]\nlabel = "polarity"\n'
    root = write(tmp_path, {"gold.csv": gold, "submissions/A.csv": answers, "task.toml": settings})
    campaign = read_campaign(root)
    found = check_submission("A.csv", answers, AnswerKey(campaign.gold, campaign.settings.content))
    np.testing.assert_array_equal(found.codes, campaign.submissions[0].codes)
    assert found.unusable_labels == campaign.submissions[0].unusable_labels == (("No", 1),)


def test_a_file_is_checked_beside_the_gold_of_a_wide_file(tmp_path):
    """Whether task.toml names it or it was recognised."""
    files = {"all.csv": "id,gold,A\n1,no,no\n2,yes,no\n"}
    for settings in (None, '[wide]\npath = "all.csv"\n'):
        more = {} if settings is None else {"task.toml": settings}
        campaign = read_campaign(write(tmp_path / str(settings is None), {**files, **more}))
        found = check_submission(
            "B.csv",
            b"id,gold\n2,yes\n1,no\n",
            AnswerKey(campaign.gold, settings and settings.encode()),
        )
        assert found.codes.tolist() == [0, 1]


def test_gold_without_a_file_and_policies_of_its_own_are_enough():
    """As a store may hold them that was filled from arrays."""
    gold = Gold(LabelSet(("no", "yes")), np.array([0, 1, 0, 1], "u1"), ("1", "2", "3", "4"))
    short = ANSWERS.replace("2,no\n", "").encode()
    assert check_submission("A.csv", short, AnswerKey(gold)).is_accepted
    strict = check_submission(
        "A.csv", short, AnswerKey(gold, None, policies=Policies(missing="reject"))
    )
    assert [(issue.slug, issue.fatal) for issue in strict.issues] == [("missing-item", True)]
    assert strict.layout is not None


def test_settings_that_no_longer_fit_gold_do_not_hinder_a_check(tmp_path):
    """What they say of the submissions still holds; a task.toml that is none is an error."""
    campaign = read_campaign(write(tmp_path, {**GOOD, "gold.csv": GOLD}))
    stated = b'[gold]\nid = "nowhere"\n[submissions]\ndelimiter = "semicolon"\n'
    assert check_submission(
        "A.csv", ANSWERS.replace(",", ";").encode(), AnswerKey(campaign.gold, stated)
    ).is_accepted
    with pytest.raises(InputError, match="bad-toml"):
        check_submission("A.csv", b"", AnswerKey(campaign.gold, b"a = \n"))


def test_what_a_team_uploads_is_checked_as_it_is(tmp_path):
    """A zip with its answers, or a compressed file; one with several files is refused, and so is an unsafe one."""
    gold = read_campaign(write(tmp_path, GOOD)).gold
    uploads = {
        "sub.zip": zipped(
            {"sub/answer.txt": ANSWERS, "__MACOSX/sub/._answer.txt": b"\0", "README.md": "x"}
        ),
        "A.csv.gz": gzip.compress(ANSWERS.encode()),
        "several.zip": zipped({"a.csv": ANSWERS, "b.csv": ANSWERS}),
        "unsafe.tar": tarred({"/a.csv": ANSWERS}),
    }
    found = {name: check_submission(name, data, AnswerKey(gold)) for name, data in uploads.items()}
    assert [checked.path for checked in found.values() if checked.is_accepted] == [
        "sub.zip/sub/answer.txt",
        "A.csv.gz",
    ]
    assert [issue.slug for checked in found.values() for issue in checked.issues] == [
        "missing-file",
        "unsafe-archive",
    ]


@pytest.mark.parametrize(
    "settings", ['format = "lines"\nheader = true\n', "id = false\nheader = true\nlabel = 2\n"]
)
def test_a_header_above_nothing_is_too_few_answers(settings):
    """As many as none, where gold is known by position."""
    gold = Gold(LabelSet(("no", "yes")), np.array([0, 1], "u1"))
    content = b"label\n" if "lines" in settings else b"id,label\n"
    (issue,) = check_submission(
        "A.csv", content, AnswerKey(gold, f"[submissions]\n{settings}".encode())
    ).issues
    assert issue.slug == "line-count"
