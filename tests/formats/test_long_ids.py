"""Long numbers as spreadsheets keep them: joined where nothing is left to guess, with a note; else refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import InputError
from audit.formats.align.changed_ids import restored
from audit.formats.campaign.campaigns import read_campaign
from tests.nightly import examples

from .campaigns import refusal, write
from .tables import workbook

LABELS = ["no", "yes", "no", "yes"]
LONG = [str(10**17 + 1000 * number + 7) for number in range(4)]
CUT = [f"{item_id[:15]}000" for item_id in LONG]


def csv(ids, labels=LABELS):
    """Ids with their labels."""
    return "id,label\n" + "".join(
        f"{item_id},{label}\n" for item_id, label in zip(ids, labels, strict=True)
    )


def excel(ids, labels=LABELS):
    """The same with ids as numbers."""
    return workbook(
        [
            ["id", "label"],
            *([int(item_id), label] for item_id, label in zip(ids, labels, strict=True)),
        ]
    )


@pytest.mark.parametrize("answers", [csv(CUT[::-1], LABELS[::-1]), excel(CUT[::-1], LABELS[::-1])])
def test_the_same_items_are_joined_with_a_note(answers, tmp_path):
    """Where a spreadsheet changed those of a submission; the journal says so."""
    campaign = read_campaign(write(tmp_path, {"gold.csv": csv(LONG), "submissions/A.csv": answers}))
    assert campaign.submissions[0].codes.tolist() == [0, 1, 0, 1]
    (issue,) = campaign.issues
    assert (issue.slug, issue.fatal) == ("doubtful-id", False)
    decided = [
        entry.text
        for entry in campaign.journal
        if entry.action == "decided" and "A.csv" in entry.subject
    ]
    assert len(decided) == 1
    assert "joined by them" in decided[0]


@pytest.mark.parametrize(
    ("gold", "answers", "slug"),
    [
        (csv(CUT), csv(LONG), "unknown-item"),
        (excel(CUT), csv(LONG), "doubtful-id"),
        (excel(CUT), excel(CUT), "doubtful-id"),
    ],
)
def test_gold_that_a_spreadsheet_rounded_is_refused_with_what_happened(
    gold, answers, slug, tmp_path
):
    """Its column of ids has to be text."""
    issue = refusal(tmp_path, {"gold.csv": gold, "submissions/A.csv": answers})[0]
    assert (issue.slug, "digits" in issue.found, "column as text" in issue.remedy) == (
        slug,
        True,
        True,
    )


@pytest.mark.parametrize(
    "answers",
    [
        csv(CUT[:3], LABELS[:3]),
        csv([*CUT[:3], CUT[0]]),
        csv([*CUT[:3], "100000000000009000"]),
        csv([item_id.replace("1", "2", 1) for item_id in CUT]),
    ],
)
def test_where_an_item_is_missing_twice_or_another_nothing_is_joined(answers, tmp_path):
    """The file is refused as before."""
    with pytest.raises(InputError, match=r"unknown-item|duplicate-item"):
        read_campaign(write(tmp_path, {"gold.csv": csv(LONG), "submissions/A.csv": answers}))


def test_gold_whose_ids_became_one_is_refused(tmp_path):
    """Its items cannot be told apart."""
    gold = excel([CUT[0], CUT[0], *CUT[2:]])
    with pytest.raises(InputError, match="doubtful-id"):
        read_campaign(write(tmp_path, {"gold.xlsx": gold, "submissions/A.csv": csv(LONG)}))


@examples(35)
@given(
    ids=st.lists(
        st.integers(0, 10**18).map(str) | st.sampled_from(["a", "007", "1.0"]),
        min_size=1,
        unique=True,
    ),
    order=st.randoms(use_true_random=False),
)
def test_what_is_restored_is_gold_in_the_order_of_the_file(ids, order):
    """Each id once; short numbers and words stay as they are."""
    given_ids = [
        f"{item_id[:15]}{'0' * (len(item_id) - 15)}" if len(item_id) > 15 else item_id
        for item_id in ids
    ]
    places = list(range(len(ids)))
    order.shuffle(places)
    found = restored([given_ids[place] for place in places], ids)
    if found is None:
        assert (
            len(set(given_ids)) < len(ids)
            or set(given_ids) == set(ids)
            or any(i[0] == "0" for i in ids)
        )
    else:
        assert found[0] == [ids[place] for place in places]


@pytest.mark.parametrize("toml", ["", '[policies]\nextra = "ignore"\n'])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("shift", [-1, 1, 5])
@pytest.mark.parametrize("before", ["", "q"])
@pytest.mark.parametrize("n_missing", [0, 1, 10])
def test_ids_that_count_from_another_number_are_refused(  # noqa: PLR0913
    *, n_missing, before, shift, in_order, toml, tmp_path
):
    """Nearly all are ids of gold, and each is another item's: no policy may take that."""
    if n_missing and abs(shift) > 1:
        return
    labels = ["no" if number % 3 else "yes" for number in range(1, 31)]
    numbers = range(1, 31) if in_order else range(30, 0, -1)
    gold = "id,label\n" + "".join(
        f"{before}{number},{labels[number - 1]}\n" for number in range(1, 31)
    )
    left = [number for number in numbers if not 5 <= number < 5 + n_missing]
    rows = "id,label\n" + "".join(
        f"{before}{number + shift},{labels[number - 1]}\n" for number in left
    )
    (issue,) = refusal(tmp_path, {"gold.csv": gold, "submissions/A.csv": rows, "task.toml": toml})
    assert f"{'plus' if shift < 0 else 'less'} {abs(shift):,}" in issue.found


def test_some_strange_numbers_behind_golds_are_left_out_by_policy(tmp_path):
    """They say nothing of the others, of which gold has most."""
    gold = "id,label\n" + "".join(f"{number},{'ab'[number % 2]}\n" for number in range(1, 21))
    answers = "id,label\n" + "".join(f"{number},{'ab'[number % 2]}\n" for number in range(6, 24))
    files = {
        "gold.csv": gold,
        "submissions/A.csv": answers,
        "task.toml": '[policies]\nextra = "ignore"\n',
    }
    codes = read_campaign(write(tmp_path, files)).submissions[0].codes
    assert (codes[5:] < 2).all()
