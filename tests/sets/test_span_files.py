"""Spans in JSON: where the label of a triple is, what text stands beside offsets; and files without a known label."""

import json

import pytest

from audit.domain import ScoreKey
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.align.things import SetReader
from audit.formats.campaign.campaigns import read_campaign

SPANS = 'kind = "sets"\n[gold]\nlabel = "spans"\n[submissions]\nlabel = "spans"\n[sets]\nform = "spans"\n'
COPY = '[policies]\ngold_copy = "accept"\n'


def of_units(*units):
    """JSON Lines of spans."""
    return "".join(
        json.dumps({"id": str(number), "spans": spans}) + "\n" for number, spans in enumerate(units)
    )


def campaign(folder, gold, team, text=SPANS, ending="jsonl"):
    """The campaign of two files."""
    (folder / "submissions").mkdir(parents=True)
    for name, content in (
        (f"gold.{ending}", gold),
        (f"submissions/x.{ending}", team),
        ("task.toml", text),
    ):
        (folder / name).write_text(content, encoding="utf-8")
    return read_campaign(folder)


def labels_of(read):
    return read.task.label_set.labels[:-1]


def test_a_number_is_a_label_where_starts_and_ends_tell_it(tmp_path):
    """25 is no start of a span that ends at 0."""
    gold, team = (
        of_units([[25, 0, 5], [30, 2, 9]], [[25, 3, 6]]),
        of_units([[25, 0, 5]], [[30, 3, 6]]),
    )
    read = campaign(tmp_path, gold, team)
    assert labels_of(read) == ("25", "30")
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [2 * 1 / (3 + 2)]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
def test_a_label_in_quotes_beside_numbers_is_told(tmp_path, order):
    """By the kinds of JSON, first or last."""
    gold = [[["2", 3, 5], ["3", 4, 9]], [["2", 3, 6]]]
    spans = [[[triple[at] for at in order] for triple in unit] for unit in gold]
    read = campaign(tmp_path, of_units(*spans), of_units(*spans), f"{SPANS}{COPY}")
    assert labels_of(read) == ("2", "3")
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [1]


def test_the_place_of_the_label_is_asked_where_nothing_tells_it(tmp_path):
    """Each setting that is offered reads the file in its way."""
    gold, team = of_units([[2, 3, 5], [3, 4, 9]], [[2, 3, 6]]), of_units([[2, 3, 5]], [[2, 3, 5]])
    with pytest.raises(InputError, match="which of the three is the label") as asked:
        campaign(tmp_path / "asked", gold, team)
    (issue,) = asked.value.issues
    assert (issue.slug, issue.found[:9]) == ("ambiguous-reading", "[2, 3, 5]")
    assert issue.remedy.endswith('triples = "label-start-end" or triples = "start-end-label"')
    first = campaign(tmp_path / "first", gold, team, f'{SPANS}triples = "label-start-end"\n')
    last = campaign(tmp_path / "last", gold, team, f'{SPANS}triples = "start-end-label"\n')
    assert (labels_of(first), labels_of(last)) == (("2", "3"), ("5", "6", "9"))


def test_a_team_tells_the_place_by_labels_of_gold(tmp_path):
    """Where its own numbers do not."""
    gold, team = (
        of_units([[125, 0, 5], [130, 2, 9]], [[125, 3, 6]]),
        of_units([[0, 5, 125]], [[3, 6, 130]]),
    )
    read = campaign(tmp_path, gold, team)
    assert labels_of(read) == ("125", "130")
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [2 * 1 / (3 + 2)]


def test_one_place_holds_for_a_whole_file():
    """A triple whose label stands elsewhere is no span."""
    reader = SetReader("spans")
    assert reader.of_cell('[[0, 5, "PER"], [7, 9, "25"]]') == [("PER", (0, 5)), ("25", (7, 9))]
    assert reader.of_cell('[["PER", 0, 5], [25, 7, 9]]') == [("PER", (0, 5)), ("25", (7, 9))]
    with pytest.raises(ValueError, match="is no span"):
        reader.of_cell('[[0, 5, "PER"], ["LOC", 7, 9]]')


@pytest.mark.parametrize(
    "cell", ["7", "[7]", '[["PER", 0]]', '[["PER", "\u00b2", 5]]', '[["", 0, 5]]', '[{"start": 1}]']
)
def test_what_is_no_span_is_refused(cell):
    """With what it is."""
    with pytest.raises(ValueError, match="is no span"):
        SetReader("spans").of_cell(cell)


def span(start, end, text=None, label="PER"):
    """An object of a span."""
    return {"start": start, "end": end, "label": label, **({} if text is None else {"text": text})}


def test_another_text_at_the_offsets_of_gold_is_an_issue(tmp_path):
    """With both texts; blanks and the form of letters aside, and only where both give one."""
    gold = of_units([span(0, 3, "Ann"), span(8, 12, "Caf\u00e9")], [span(0, 3, "Bob"), span(5, 9)])
    team = of_units(
        [span(0, 3, "Ann"), span(8, 12, "Cafe\u0301 ")], [span(0, 3, "Rob"), span(5, 9, "Rome")]
    )
    read = campaign(tmp_path, gold, team, f"{SPANS}{COPY}")
    (issue,) = read.submissions[0].issues
    assert (issue.slug, issue.fatal, issue.count) == ("bad-set", False, 1)
    assert issue.found == "“Rob” at 0 to 3, where gold has “Bob”: 1 span of 3 with another text"


def test_a_file_whose_texts_are_mostly_others_is_refused(tmp_path):
    """Unless task.toml states that it is the team's error."""
    gold, team = (
        of_units([span(0, 3, "Ann")], [span(0, 3, "Bob")]),
        of_units([span(0, 3, "he")], [span(0, 3, "she")]),
    )
    with pytest.raises(InputError, match="2 spans of 2 with another text"):
        campaign(tmp_path / "refused", gold, team, f"{SPANS}{COPY}")
    stated = campaign(tmp_path / "stated", gold, team, f'{SPANS}{COPY}unusable = "wrong"\n')
    assert evaluate(stated).scores_of(ScoreKey("micro_f1")).tolist() == [1]


def of_labels(*cells):
    """A table of cells."""
    return "id\tlabels\n" + "".join(f"m{number}\t{cell}\n" for number, cell in enumerate(cells))


@pytest.mark.parametrize(
    "team", [("1.0", "2.0", "1.0"), ("1_", "2_", ""), ("'\"1\"'", "'\"2\"'", "")]
)
def test_a_team_without_a_label_of_gold_has_no_usable_answer(tmp_path, team):
    """It is refused as single labels are, and never 0."""
    with pytest.raises(InputError) as refused:
        campaign(tmp_path, of_labels("1, 2", "2", "1"), of_labels(*team), 'kind = "sets"\n', "tsv")
    (issue,) = refused.value.issues
    assert (issue.slug, issue.file) == ("no-usable-answer", "submissions/x.tsv")
    assert "“1” or “2”" in issue.expected


def test_a_team_of_empty_sets_has_answered(tmp_path):
    """With precision and recall 0."""
    read = campaign(
        tmp_path, of_labels("1, 2", "2", "1"), of_labels("", "", ""), 'kind = "sets"\n', "tsv"
    )
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [0]


def test_blanks_around_the_label_of_a_span_are_no_part_of_it(tmp_path):
    """As around one in a cell."""
    gold, team = of_units([span(0, 3)], [span(0, 3)]), of_units([span(0, 3, label=" PER")], [])
    read = campaign(tmp_path, gold, team)
    assert labels_of(read) == ("PER",)
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [2 / 3]


def test_spans_of_other_types_are_no_usable_answer(tmp_path):
    """Whatever their offsets."""
    gold, team = of_units([span(0, 3)], [span(0, 3)]), of_units([span(0, 3, label="B_PER")], [])
    with pytest.raises(InputError, match="no label of gold in 1 thing: “B_PER”"):
        campaign(tmp_path, gold, team)


def test_objects_with_other_fields_than_those_of_gold_are_no_usable_answer(tmp_path):
    """An open set has one label, which every team has: its fields are what is compared."""
    text = 'kind = "sets"\n[gold]\nlabel = "found"\n[submissions]\nlabel = "found"\n'

    def of_objects(*cells):
        return "".join(
            json.dumps({"id": str(number), "found": cell}) + "\n"
            for number, cell in enumerate(cells)
        )

    gold = of_objects([{"doc": 1, "part": "a"}], [{"doc": 2}], [])
    with pytest.raises(
        InputError, match="no object has the fields of one of gold; one has “doc_id”"
    ) as refused:
        campaign(tmp_path / "other", gold, of_objects([{"doc_id": 1}], [], []), text)
    assert [issue.slug for issue in refused.value.issues] == ["no-usable-answer"]
    read = campaign(tmp_path / "same", gold, of_objects([{"doc": 7}], [], []), text)
    assert evaluate(read).scores_of(ScoreKey("micro_f1")).tolist() == [0]
