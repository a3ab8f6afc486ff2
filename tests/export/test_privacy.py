"""No item id, and no item's gold label, leaves the house unless it is asked for."""

import io
import json
import zipfile

import numpy as np
import pytest

import audit
from audit import workflow
from audit.domain.privacy import CUT, WITHHELD, ItemIds, without_item_ids
from audit.report.classes import MOST_ITEMS
from audit.store import open_store
from audit.text import quoted, visible
from audit.writers.bundle.folder import ExportOptions
from tests.report.document import grid, read

pytestmark = pytest.mark.usefixtures("computed_once")  # what stays as it is, is analysed once

N = 211
"""Items: a number that no other count of the campaign is."""

MARK = "XYZZY"
IDS = [f"{MARK}-{number:04}" for number in range(N)]
LABELS = ["yes" if number % 3 else "no" for number in range(N)]
ANSWERS = [f"{item_id},{label}" for item_id, label in zip(IDS, LABELS, strict=True)]


def lines(rows, head="id,label"):
    return "\n".join([head, *rows]) + "\n"


FILES = {
    "task.toml": '[policies]\ngold_copy = "accept"\n',
    "gold.csv": lines(ANSWERS),
    "submissions/right.csv": lines(ANSWERS),
    "submissions/guess.csv": lines([f"{item_id},yes" for item_id in IDS]),
    # accepted, with issues
    "submissions/missing.csv": lines(ANSWERS[:-20]),
    "submissions/pasted.csv": lines(
        ANSWERS[:-3] + [f"{item_id},{item_id}" for item_id in IDS[-3:]]
    ),
    # rejected
    "submissions/twice.csv": lines(ANSWERS + ANSWERS[:3]),
    "submissions/unknown.csv": lines([*ANSWERS[:-1], f"{MARK}-OTHER,no"]),
    "submissions/extra.csv": lines([*ANSWERS, f"{MARK}-MORE,no"]),
    "submissions/foreign.csv": lines([f"{MARK}-X{number},no" for number in range(N)]),
    "submissions/swapped.csv": lines(
        [f"{label},{item_id}" for item_id, label in zip(IDS, LABELS, strict=True)]
    ),
    "submissions/ids.csv": lines([f"{item_id},{item_id}" for item_id in IDS]),
    "submissions/ragged.csv": lines([*ANSWERS[:5], f"{IDS[5]},no,more,{IDS[6]}", *ANSWERS[6:]]),
    "submissions/quote.csv": lines([*ANSWERS[:5], f'"{IDS[5]},no', *ANSWERS[6:]]),
    "submissions/header.csv": lines(ANSWERS, head=f"{IDS[1]},no"),
    "submissions/cut.jsonl": f'{{"id": "{IDS[1]}", "label": "no"}}\n{{"id": "{IDS[2]}", "label"\n',
    "submissions/deep.jsonl": "\n".join(
        f'{{"id": "{item_id}", "label": {{"{item_id}": 1}}}}' for item_id in IDS
    ),
    "submissions/lines.txt": "\n".join(IDS) + "\n",
    "submissions/longer.txt": "\n".join([IDS[1], *LABELS]) + "\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with the campaign, whose every id carries a mark; one team has copied gold, and may."""
    root = tmp_path_factory.mktemp("campaign")
    for name, content in FILES.items():
        path = root / "secret" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (loaded,) = workflow.load(root / "secret", root / "audit.db", skip_rejected=True)
    assert list(loaded.summary.added) == ["guess", "missing", "pasted", "right"]
    said = "".join(map(str, loaded.issues))
    assert said.count(MARK) > len(FILES)  # whoever loads the files is told which items
    workflow.evaluate_task("secret", root / "audit.db")
    return root / "audit.db"


def contents(folder):
    """Every file below a folder, archives by their entries too."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.name, path.read_bytes()
            if path.suffix == ".zip":
                with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
                    yield from (
                        (f"{path.name}/{name}", archive.read(name)) for name in archive.namelist()
                    )


def lists_in(value):
    """Every list of a document."""
    if isinstance(value, list):
        yield value
    for child in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from lists_in(child)


def test_no_byte_of_an_export_is_of_an_item_id(store, tmp_path, monkeypatch):
    """Not in the report, a figure, a table, the archive, or a message about a file; and nothing has a row per item.

    A PDF is the figure of its SVG, compressed: nothing can be found in it.
    """
    monkeypatch.setattr("audit.writers.bundle.folder.pdf_bytes", lambda _: b"%PDF-")
    workflow.export_task("secret", tmp_path / "out", store, ExportOptions())
    found = dict(contents(tmp_path / "out"))
    assert {"report.html", "evaluation.json", "bundle.zip/journal.json"} <= set(found)
    for name, content in found.items():
        assert MARK.encode() not in content, name
        assert MARK.encode("utf-16-be") not in content, name
        if name.endswith(".csv"):
            assert content.count(b"\n") != N + 1
        if name.endswith(".json"):
            assert all(len(each) != N for each in lists_in(json.loads(content)))


def test_no_report_holds_an_item_id(store, tmp_path):
    """Neither the page nor what the terminal prints of an evaluation."""
    evaluation = workflow.read_evaluation("secret", store)
    html = workflow.write_report(evaluation, tmp_path / "report.html").read_text(encoding="utf-8")
    assert MARK not in html
    assert html.count(WITHHELD) > 1
    assert not any(MARK in str(flag) for flag in evaluation.flags)


def test_a_report_shows_the_hardest_items_where_they_are_asked_for(store, tmp_path):
    """Id, gold label and who is right, the hardest first, up to the cut that its note states; sizes counted anew."""
    evaluation = workflow.read_evaluation("secret", store)
    items = workflow.read_items(evaluation, store)
    html = workflow.write_report(evaluation, tmp_path / "report.html", items).read_text(
        encoding="utf-8"
    )
    rows = grid(read(html), "table-items").rows
    teams = {"guess": 3, "missing": N - 20, "pasted": N - 3}
    hardest = sorted(
        range(N),
        key=lambda number: (
            (number % teams["guess"] > 0) + (number < teams["missing"]) + (number < teams["pasted"])
        ),
    )
    assert [row[1] for row in rows] == [IDS[number] for number in hardest[:MOST_ITEMS]]
    assert rows[0] == [str(hardest[0] + 1), IDS[hardest[0]], LABELS[hardest[0]], "1", "right"]
    assert html.count(MARK) == MOST_ITEMS
    assert f"The {MOST_ITEMS} of {N} items that fewest of 4 entries get right" in html


def test_items_are_written_where_they_are_asked_for(store, tmp_path):
    """Every id with its gold label, and who is right, wrong or silent, recounted from the files."""
    workflow.export_task(
        "secret", tmp_path / "out", store, ExportOptions(figures=(), with_items=True)
    )
    rows = [
        line.split(",")
        for line in (tmp_path / "out" / "items.csv").read_text(encoding="utf-8").splitlines()
    ]
    teams = {
        "guess": [label == "yes" for label in LABELS],
        "missing": [number < N - 20 for number in range(N)],
        "pasted": [number < N - 3 for number in range(N)],
        "right": [True] * N,
    }
    assert rows[0] == ["item", "id", "gold", "entries_right", *teams]
    assert [row[1:3] for row in rows[1:]] == [[*pair] for pair in zip(IDS, LABELS, strict=True)]
    assert [int(row[3]) for row in rows[1:]] == np.sum([*teams.values()], axis=0).tolist()
    by_team = dict(zip(teams, zip(*(row[4:] for row in rows[1:]), strict=True), strict=True))
    assert by_team["guess"] == tuple("1" if hit else "0" for hit in teams["guess"])
    assert by_team["missing"] == ("1",) * (N - 20) + ("",) * 20
    document = json.loads((tmp_path / "out" / "evaluation.json").read_text(encoding="utf-8"))
    assert document["per_item"] == {
        "ids": IDS,
        "gold": LABELS,
        "entries_right": [sum(hits[number] for hits in teams.values()) for number in range(N)],
    }


def test_the_report_has_no_item_id_even_where_the_export_has(store, tmp_path):
    workflow.export_task(
        "secret", tmp_path / "out", store, ExportOptions(figures=(), with_items=True)
    )
    assert MARK.encode() not in (tmp_path / "out" / "report.html").read_bytes()


def campaign_with(item_ids, label):
    """A campaign whose only submission has this label once, quoted in a message."""
    from audit.domain import Campaign, Gold, LabelSet, Submission, Task  # noqa: PLC0415 - beside what it is for
    from audit.errors import Issue  # noqa: PLC0415 - likewise

    labels = LabelSet(("a", "b"))
    issue = Issue.of(
        "unusable-label", "A.csv", f"the label {quoted(label)} is not in the label set"
    )
    codes = np.array([0, 1, 3], dtype=np.uint8)
    submission = Submission("A", codes, unusable_labels=((label, 1),), issues=(issue,))
    gold = Gold(labels, np.array([0, 1, 1], dtype=np.uint8), item_ids=item_ids)
    return Campaign(Task("t", "T", labels), gold, (submission,))


@pytest.mark.parametrize(
    "item_id",
    ["tweet 17", "with “quotes” in it", "a\x00b", "tab\there", "1000", "…", "\u202eright"],
)
def test_an_id_is_withheld_however_it_is_shown(item_id):
    """Control characters are escaped, quotes nested."""
    made = without_item_ids(campaign_with(("other 1", item_id, "other 2"), item_id)).submissions[0]
    assert made.unusable_labels == ((WITHHELD, 1),)
    assert made.issues[0].found == f"the label {quoted(WITHHELD)} is not in the label set"


@pytest.mark.parametrize("item_id", ["x" * 90, "tweet 17"])
def test_a_text_that_is_cut_is_not_quoted(item_id):
    """The cut may go through an id."""
    made = without_item_ids(campaign_with(("other 1", item_id, "other 2"), "x" * 90)).submissions[0]
    assert made.issues[0].found == f"the label {quoted(CUT)} is not in the label set"
    assert made.unusable_labels == ((WITHHELD if item_id == "x" * 90 else "x" * 90, 1),)


LONG = "a long sentence of many words that stands in the file where a label should stand, "


@pytest.mark.parametrize(
    "label",
    [
        *(
            "tweet-1234 ",
            " tweet-1234",
            "TWEET-1234",
            "tweet-1234,positive",
            "id=tweet-1234;",
            "xtweet-1234x",
        ),
        *(f"{LONG}tweet-1234", f"tweet-1234{LONG}", f"{LONG}{'tweet-1234 '}{LONG}"),
        *(LONG[: 60 // 2 - 8] + "tweet-1234" + LONG, LONG + "tweet-1234" + LONG[: 60 // 2 - 8]),
        *("1000 positive", "no, it is 1000", "“tweet-1234” in quotes", "of Ostwald"),
    ],
)
def test_an_id_is_withheld_inside_a_longer_text(label):
    """With a blank, in another case, in a line of a file, and where the middle of the text is cut, through it too."""
    campaign = campaign_with(("tweet-1234", "1000", "Ostwald"), label)
    made = without_item_ids(campaign).submissions[0]
    assert made.unusable_labels == ((WITHHELD, 1),)
    assert not any(
        part in made.issues[0].found.casefold() for part in ("tweet-1", "t-1234", "1000", "ostwald")
    )


LOOKALIKES = [
    *(
        "tw\u20119021\u2011k",
        "tw\u22129021\u2212k",
        "tw\u00ad-9021-k",
        "tw-\u200b9021-k",
        "tw-9021-k\ufeff",
    ),
    *(
        "TW-9021-\u212a",
        "\uff54\uff57-\uff19\uff10\uff12\uff11-k",
        "tw-\u0669\u0660\u0662\u0661-k",
        "t\u202ew-9021-k",
    ),
]
"""One id as a reader takes it, in other characters."""


@pytest.mark.parametrize("written", LOOKALIKES)
@pytest.mark.parametrize("around", ["{}", "see {}!", f"{LONG}{{}}", f"{{}}{LONG}"])
def test_an_id_is_withheld_in_characters_that_look_the_same(written, around):
    """Hyphens, widths, and what is not seen; in the counts of unusable labels, in quotes, and beside them."""
    label = around.format(written)
    campaign = campaign_with(("tw-9021-k", "tw-9022-k"), label)
    made = without_item_ids(campaign).submissions[0]
    assert made.unusable_labels == ((WITHHELD, 1),)
    assert made.issues[0].found == f"the label {quoted(WITHHELD)} is not in the label set"
    for shown in (written, visible(written)):
        assert (
            ItemIds.of(("tw-9021-k",), ()).withheld(f"line 3: {shown}, twice")
            == f"line 3: {WITHHELD}, twice"
        )


@pytest.mark.parametrize(
    "written", ["tw-9 021-k", "tw - 9021 - k", "t w-9021-k", "tw-9021\u00a0-k", "see tw-9\t021-k"]
)
def test_an_id_is_withheld_with_blanks_in_it(written):
    """Between quotes, where the words are those of a file."""
    made = without_item_ids(campaign_with(("tw-9021-k", "9021-k"), written)).submissions[0]
    assert made.unusable_labels == ((WITHHELD, 1),)
    assert made.issues[0].found == f"the label {quoted(WITHHELD)} is not in the label set"


@pytest.mark.parametrize(
    "written", ["cafe\u0301-17", "caf\u00e9-17", "CAFE\u0301-17", "\u0441af\u00e9-17"]
)
@pytest.mark.parametrize(
    "item_id", ["cafe\u0301-17", "caf\u00e9-17", "ca f\u00e9-17", "c\u200baf\u00e9\u201117"]
)
def test_an_id_that_is_itself_in_such_characters_is_withheld(item_id, written):
    """Whichever of the two spellings gold has; letters composed or not, and one of another script."""
    made = without_item_ids(campaign_with((item_id, "cafe-18"), written)).submissions[0]
    assert made.unusable_labels == ((WITHHELD, 1),)
    assert WITHHELD in made.issues[0].found


@pytest.mark.parametrize(
    "label", ["tw-9021", "cafe 17 x", "no te", "9 02", "tw_9021_k", "tw--9021-k"]
)
def test_what_only_resembles_an_id_stays(label):
    """A part of one, words that are one only together with others, and other signs."""
    campaign = campaign_with(("tw-9021-k", "caf\u00e9 17", "note that"), label)
    assert without_item_ids(campaign).submissions[0].unusable_labels == ((label, 1),)


def test_an_id_is_withheld_outside_of_quotes():
    """Where it cannot be a word or a number of the message."""
    ids = ItemIds.of(("tweet-1234", "label", "17", "123456", "a_b-c_d-e"), ("yes", "no"))
    said = "the label of tweet-1234, a_b-c_d-e and 123456 on 17 lines: 1234567"
    assert (
        ids.withheld(said)
        == "the label of an item id, an item id and an item id on 17 lines: 1234567"
    )
    assert ids.withheld("tweet-12345") == "tweet-12345"
    assert ids.withheld("İ tweet-1234") == "İ an item id"
    assert ids.withheld("“label” and “labels”") == "“an item id” and “labels”"


def test_an_id_between_marks_is_withheld_inside_a_word_and_one_between_letters_is_not():
    """A letter ends where a mark begins: what an id begins and ends with says whether it is a part of a word."""
    ids = ItemIds.of(("~question~", "q~uestio~n"), ("yes", "no"))
    assert ids.withheld("a~question~b") == "aan item idb"
    assert ids.withheld("aq~uestio~n") == "aq~uestio~n"
    assert ids.withheld("q~uestio~nb") == "q~uestio~nb"


def test_the_search_takes_time_by_the_length_of_the_text():
    """As many looks at the known ids as there are places: of 20,000 ids of one kind none is compared by itself."""

    class Counting(frozenset):
        looks = 0

        def __contains__(self, item):
            Counting.looks += 1
            return super().__contains__(item)

    ids = ItemIds.of([f"tweet-{number}" for number in range(20_000)], ())
    object.__setattr__(ids._shown, "texts", Counting(ids._shown.texts))
    assert ids.withheld("tw" * 5000) == "tw" * 5000
    assert Counting.looks < 6 * 10_000


def test_a_history_holds_no_item_id(store):
    """Though the journal of a load quotes them."""
    with open_store(store) as opened:
        (event,) = opened.history("secret")
    assert len(event.journal) > 5
    assert MARK not in str(event)


@pytest.mark.parametrize(
    "label", ["positive", "a", "2", "x" * 50, "10001", "tweet-12345", "tweetX-1234", "ostwalde"]
)
def test_what_is_no_secret_stays(label):
    """A label that is no id, one of the label set, and a number that only counts the items."""
    campaign = campaign_with(
        ("1", "2", "a") if len(label) < 3 else ("1000", "tweet-1234", "Ostwald"), label
    )
    assert without_item_ids(campaign).submissions[0].issues == campaign.submissions[0].issues
    assert without_item_ids(campaign).submissions[0].unusable_labels == ((label, 1),)


def test_nothing_is_withheld_where_items_are_known_by_position():
    """The campaign is the same value."""
    campaign = campaign_with(None, "tweet 17")
    assert without_item_ids(campaign) is campaign
    assert audit.evaluate(["a", "b"] * 20, {"X": ["a", "?"] * 20}).entries[0].unusable_labels == (
        ("?", 20),
    )
