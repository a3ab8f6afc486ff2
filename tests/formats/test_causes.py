"""One cause is one message, however many files and lines have it; no message is long, and none tells a label."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import ISSUE_KINDS, InputError, Issue, causes_of, told
from audit.formats.campaign.campaigns import read_campaigns

LABELS = ["no", "yes", "unsure", "no", "yes", "no"]


def table(ids, labels):
    """A file of ids and labels."""
    return "id,label\n" + "".join(
        f"{item_id},{label}\n" for item_id, label in zip(ids, labels, strict=True)
    )


def refused(root, gold, submissions):
    """The error of a folder."""
    (root / "submissions").mkdir()
    (root / "gold.csv").write_text(gold, encoding="utf-8")
    for name, text in submissions.items():
        (root / "submissions" / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_campaigns(root)
    return caught.value


@pytest.mark.usefixtures("copies_accepted")
def test_twenty_seven_files_with_names_in_place_of_paths_are_one_message(tmp_path):
    """What they have, what gold has, and a remedy that was tried: no column is named that was looked at."""
    paths = [f"data/img/{number}.jpg" for number in range(6)]
    names = [path.rpartition("/")[2] for path in paths]
    files = {f"team{number}.csv": table(names, LABELS) for number in range(27)}
    error = refused(tmp_path, table(paths, LABELS), files)
    assert len(error.issues) == 27
    (cause,) = causes_of(error.issues)
    assert len(cause.files) == 27
    assert str(error).startswith("27 files, the first submissions/team0.csv:2: unknown-item: ")
    assert "the file's ids are gold's except for folders before them: the file has “0.jpg”" in str(
        error
    )
    assert "id = …" not in str(error)
    assert cause.data()["files"] == [issue.file for issue in error.issues]
    assert 'id_pattern = "([^/]+)$"' in error.issues[0].remedy
    (tmp_path / "task.toml").write_text('id_pattern = "([^/]+)$"\n', encoding="utf-8")
    (campaign,) = read_campaigns(tmp_path)
    assert campaign.gold.item_ids == tuple(names)


def test_a_file_of_thousands_of_defects_is_one_message_of_its_kind(tmp_path):
    """With how many lines have it, and the first of them; a small rest is counted with it."""
    ids = list(map(str, range(400)))
    error = refused(
        tmp_path,
        table(ids, LABELS * 66 + LABELS[:4]),
        {"A.csv": table([*ids, *ids], LABELS[:4] * 200)},
    )
    assert str(error).startswith(
        "submissions/A.csv:2: duplicate-item: for example: an id is on lines 2, 402: “0” (400 "
    )
    assert len(str(error)) <= 300


def test_ids_that_name_their_label_are_told_to_nobody(tmp_path):
    """Nor is any of them in what was found, expected, or to be done."""
    ids = [f"test/{label}/{number}.jpg" for number, label in enumerate(LABELS)]
    files = {
        "A.csv": table([*ids, ids[0]], [*LABELS, "no"]),
        "B.csv": table([f"{each}x" for each in ids], LABELS),
    }
    error = refused(tmp_path, table(ids, LABELS), files)
    said = "".join(str(issue.data()) for issue in error.issues) + str(error)
    assert {issue.slug for issue in error.issues} >= {"duplicate-item", "unknown-item"}
    assert not [item_id for item_id in ids if item_id in said]


def test_a_tag_of_another_place_in_a_span_is_not_taken_for_one_of_gold(tmp_path):
    """To read S- as I- or B- would move the ends of spans."""

    def tokens(tags):
        return "".join(f"w{place}\t{tag}\n" for place, tag in enumerate(tags)) + "\n"

    (tmp_path / "submissions").mkdir()
    (tmp_path / "task.toml").write_text('kind = "classes"\n', encoding="utf-8")
    (tmp_path / "gold.conll").write_text(tokens(["B-per", "I-per", "O"]) * 9, encoding="utf-8")
    (tmp_path / "submissions" / "A.conll").write_text(
        tokens(["B-per", "I-per", "O"]) * 5 + tokens(["B-per", "E-per", "S-per"]) * 4,
        encoding="utf-8",
    )
    (campaign,) = read_campaigns(tmp_path)
    said = [issue.found for issue in campaign.issues]
    assert len(said) == 2
    assert not [found for found in said if "Did you mean" in found]


texts = st.text("ab “”;.,0123456789…\n", max_size=400)
issues = st.builds(
    Issue.of,
    st.sampled_from(sorted(ISSUE_KINDS)),
    st.sampled_from([f"submissions/{'x' * 90}{number}.csv" for number in range(40)]),
    texts,
    lines=st.lists(st.integers(1, 10**6), max_size=7),
    expected=st.none() | texts,
    remedy=st.none() | texts,
    items=texts,
)


@given(st.lists(issues, max_size=60))
def test_no_message_has_more_than_300_characters_and_at_most_twelve_are_told(found):
    """Every issue is of one cause, what rejects a file comes first, and nothing is of two kinds."""
    causes = causes_of(found)
    assert max((len(str(cause)) for cause in causes), default=0) <= 300
    assert sorted(map(repr, found)) == sorted(
        repr(issue) for cause in causes for issue in cause.issues
    )
    assert all(len({(issue.slug, issue.fatal) for issue in cause.issues}) == 1 for cause in causes)
    rejects = [cause.first.fatal for cause in causes]
    assert rejects == sorted(rejects, reverse=True)
    assert told(found).count("\n    to do: ") >= min(len(causes), 12)
    assert len(told(found)) <= 12 * 301 + 40


def test_what_the_catalogue_says_is_to_be_done_fits_a_message():
    """Whole, beside a place and a defect of eighty characters."""
    assert not [kind.slug for kind in ISSUE_KINDS.values() if len(kind.remedy) > 190]


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("n_tokens", [1, 400])
def test_labels_in_another_case_are_said_to_be_and_the_remedy_reads_the_file(tmp_path, n_tokens):
    """Whether or not a layout is found."""
    tags = (
        "".join(f"w{place}\t{tag}\n" for place, tag in enumerate(["B-per", "I-per"] * 5 * n_tokens))
        + "\n"
    )
    (tmp_path / "submissions").mkdir()
    (tmp_path / "gold.conll").write_text(tags, encoding="utf-8")
    (tmp_path / "submissions" / "A.conll").write_text(tags.lower(), encoding="utf-8")
    with pytest.raises(InputError, match="fold_case = true"):
        read_campaigns(tmp_path)
    (tmp_path / "task.toml").write_text("fold_case = true\n", encoding="utf-8")
    (campaign,) = read_campaigns(tmp_path)
    assert campaign.submissions[0].codes.tolist() == campaign.gold.codes.tolist()


def test_labels_outside_the_label_set_stand_in_one_message():
    """The first with its hint, the others by their names; one label in two files has no others."""
    found = [
        Issue.of("unusable-label", f"{file}.csv", f"the label “{label}” is none.")
        for file, label in ("ax", "by")
    ]
    (message,) = map(str, causes_of(found))
    assert "the label “x” is none. (also “y”)" in message
    (message,) = map(
        str, causes_of([found[0], Issue.of("unusable-label", "c.csv", found[0].found)])
    )
    assert "also" not in message
