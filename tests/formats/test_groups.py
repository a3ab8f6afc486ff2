"""Which items of gold belong together: asked and unasked, and what is only suggested."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import Gold, LabelSet
from audit.errors import InputError
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import AnswerKey, check_submission
from audit.formats.settings.layout import GroupFile, Separator
from audit.formats.settings.parsing import parse_settings
from audit.writers.bundle.archive import input_files
from tests.nightly import examples

from .campaigns import refusal, write, zipped
from .tables import parquet_table, rows_of, workbook

DOCUMENTS = [[["O", "B", "I"], ["O"]], [["B", "O", "O", "O"]], [["B", "I"], ["O", "O"], ["B"]]]
"""Three documents of two, one and three sequences."""
SEQUENCES = [tags for document in DOCUMENTS for tags in document]
OF_DOCUMENTS = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2]
OF_SEQUENCES = [0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5]
IN_FILE = '{ path = "docs.txt" }'
MARKED = '{ between = "-DOCSTART-" }'


def as_sequences(documents, marker=""):
    """A sequence of tags per line, a marker above each document but the first."""
    return f"{marker}\n".join(
        "".join(" ".join(tags) + "\n" for tags in document) for document in documents
    )


def as_tokens(documents, marker=None, *, with_column=False):
    """A token and its tag per line, a blank line behind each sequence, a marker above each document."""
    lines = []
    for number, document in enumerate(documents):
        lines += [] if marker is None else [f"{marker}\n\n"]
        for tags in document:
            column = f"d{number}\t" if with_column else ""
            lines += [*(f"{column}w\t{tag}\n" for tag in tags), "\n"]
    return "".join(lines)


def campaign_of(root, gold, group=None, *, form="tokens", **files):
    """The campaign of a gold file and what task.toml says of its groups; gold hands itself in."""
    toml = f'[submissions]\nformat = "{form}"\n[gold]\nformat = "{form}"\n'
    toml += "" if group is None else f"group = {group}\n"
    given = {"gold.txt": gold, "submissions/A.txt": gold, "task.toml": toml}
    return read_campaign(
        write(root, given | {name.replace("_", "."): text for name, text in files.items()})
    )


# Unasked


QUESTIONS = "question,answer,label\n" + "".join(
    f"Q{number // 4},A{number},{'yes' if number % 3 else 'no'}\n" for number in range(24)
)


@pytest.mark.parametrize(
    ("columns", "header", "said"),
    [
        ('["question", "answer"]', True, "column “question” has 6 values for 24 items"),
        ("[1, 2]", False, "column “1” has 6 values for 24 items"),
    ],
)
def test_an_id_of_which_a_column_repeats_is_told(columns, header, said, tmp_path):
    """Answers to one question are seldom independent; nothing is grouped unasked, and what decides is named."""
    text = QUESTIONS if header else QUESTIONS.partition("\n")[2]
    keys = f"id = {columns}\nlabel = 3\nheader = {str(header).lower()}\n"
    toml = f"[submissions]\n{keys}[gold]\n{keys}"
    root = write(
        tmp_path,
        {"gold.csv": text, "submissions/A.csv": text.replace("0,yes", "0,no"), "task.toml": toml},
    )
    campaign = read_campaign(root)
    assert campaign.gold.groups is None
    (told,) = [sentence for sentence in campaign.task.assumptions if "belong together" in sentence]
    assert f"gold.csv: {said} and may say which belong together" in told
    column = '"question"' if header else "1"
    assert told.endswith(f"write under [gold]: group = {column} or group = false.")
    for decision, n_groups in ((column, 6), ("false", None)):
        write(root, {"task.toml": f"{toml}group = {decision}\n"})
        decided = read_campaign(root)
        assert not any("belong together" in sentence for sentence in decided.task.assumptions)
        assert (
            None if decided.gold.groups is None else len(set(decided.gold.groups.tolist()))
        ) == n_groups


def test_an_id_whose_columns_are_each_different_is_not_told(tmp_path):
    """Nothing repeats, so nothing is shared."""
    text = "a,b,label\n" + "".join(
        f"x{number},y{number},{'no' if number % 2 else 'yes'}\n" for number in range(12)
    )
    keys = 'id = ["a", "b"]\nlabel = "label"\n'
    toml = f"[submissions]\n{keys}[gold]\n{keys}"
    root = write(
        tmp_path,
        {"gold.csv": text, "submissions/A.csv": text.replace("y0,yes", "y0,no"), "task.toml": toml},
    )
    assert not any(
        "belong together" in sentence for sentence in read_campaign(root).task.assumptions
    )


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize(("form", "write_as"), [("sequences", as_sequences), ("tokens", as_tokens)])
def test_tokens_are_grouped_by_their_sequence(form, write_as, tmp_path):
    """Recognised or stated, and the assumptions and the journal say so."""
    for number, toml in enumerate(({}, {"task.toml": f'[gold]\nformat = "{form}"\n'})):
        gold = write_as(DOCUMENTS)
        root = write(tmp_path / str(number), {"gold.txt": gold, "submissions/A.txt": gold, **toml})
        campaign = read_campaign(root)
        assert (campaign.gold.groups.tolist(), campaign.gold.unit) == (OF_SEQUENCES, "sequence")
        assert any(
            "tokens of a sequence are taken to belong together" in said
            for said in campaign.task.assumptions
        )
        assert campaign.journal[0].text.endswith("; 6 groups of items, by sequence.")
        assert campaign.submissions[0].codes.tolist() == campaign.gold.codes.tolist()


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize(("form", "write_as"), [("sequences", as_sequences), ("tokens", as_tokens)])
def test_a_setting_says_that_tokens_are_independent(form, write_as, tmp_path):
    """And then nothing of groups is assumed or suggested."""
    campaign = campaign_of(tmp_path, write_as(DOCUMENTS), "false", form=form)
    assert (campaign.gold.groups, campaign.gold.unit) == (None, None)
    assert not [said for said in campaign.task.assumptions if "belong" in said or "between" in said]
    assert "group" not in campaign.journal[0].text


@pytest.mark.usefixtures("copies_accepted")
def test_without_a_blank_line_no_token_is_known_to_belong_to_another(tmp_path):
    """The file does not say where sequences end, and the assumptions do."""
    campaign = campaign_of(tmp_path, as_tokens(DOCUMENTS).replace("\n\n", "\n"))
    assert campaign.gold.groups is None
    assert any(
        "no blank line says where a sequence ends" in said for said in campaign.task.assumptions
    )


@pytest.mark.usefixtures("copies_accepted")
def test_tables_are_never_grouped_unasked(tmp_path):
    """Whatever their columns are called."""
    gold = "id,label,doc_id\n1,a,x\n2,b,x\n3,a,y\n4,b,y\n"
    campaign = read_campaign(write(tmp_path, {"gold.csv": gold, "submissions/A.csv": gold}))
    assert campaign.gold.groups is None


# Documents


WAYS = {
    "blank lines between documents": (as_sequences(DOCUMENTS), '{ between = "" }', "sequences", {}),
    "several blank lines": (
        "\n\n" + as_sequences(DOCUMENTS, "\n \n"),
        '{ between = "" }',
        "sequences",
        {},
    ),
    "lines between sequences": (
        as_sequences(DOCUMENTS, "== document"),
        '{ between = "==" }',
        "sequences",
        {},
    ),
    "CoNLL 2003": (as_tokens(DOCUMENTS, "-DOCSTART-\tO"), MARKED, "tokens", {}),
    "CoNLL 2003 of another width": (
        as_tokens(DOCUMENTS, "-DOCSTART- (1) -X- O O"),
        MARKED,
        "tokens",
        {},
    ),
    "CoNLL-U": (
        as_tokens(DOCUMENTS, "# newdoc id = 7"),
        '{ between = "# newdoc" }\ncomment = "#"',
        "tokens",
        {},
    ),
    "CRLF": (as_tokens(DOCUMENTS, "-DOCSTART-\tO").replace("\n", "\r\n"), MARKED, "tokens", {}),
    "a second file": (
        as_sequences(DOCUMENTS),
        IN_FILE,
        "sequences",
        {"docs_txt": "a\na\nb\nc\nc\nc\n"},
    ),
    "a second file beside tokens": (
        as_tokens(DOCUMENTS),
        IN_FILE,
        "tokens",
        {"docs_txt": " 17\r\n17 \r\n18\r\nx y\r\nx y\r\nx y"},
    ),
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("way", WAYS)
def test_sequences_are_grouped_by_document_as_task_toml_says(way, tmp_path):
    """The same groups however they are written; what stands between documents is no item."""
    gold, group, form, files = WAYS[way]
    campaign = campaign_of(tmp_path, gold, group, form=form, **files)
    assert campaign.gold.groups.tolist() == OF_DOCUMENTS
    assert campaign.gold.unit == "document"
    labels = campaign.task.label_set.labels
    assert [labels[code] for code in campaign.gold.codes] == [
        tag for tags in SEQUENCES for tag in tags
    ]
    assert campaign.submissions[0].codes.tolist() == campaign.gold.codes.tolist()
    assert "3 groups of items, by document" in campaign.journal[0].text
    assert not [
        said
        for said in campaign.task.assumptions
        if "To decide" in said or "belong together" in said
    ]
    assert not campaign.ignored


@pytest.mark.usefixtures("copies_accepted")
def test_a_column_of_tokens_says_the_document(tmp_path):
    """By its number, as in CoNLL 2012; it goes before sequences."""
    campaign = campaign_of(tmp_path, as_tokens(DOCUMENTS, with_column=True), "1")
    assert (campaign.gold.groups.tolist(), campaign.gold.unit) == (OF_DOCUMENTS, "column 1")
    (issue,) = refusal(tmp_path, {"task.toml": '[gold]\nformat = "tokens"\ngroup = "doc"\n'})
    assert (issue.slug, issue.file) == ("no-such-column", "gold.txt")


documents = st.lists(
    st.lists(st.lists(st.sampled_from("OBI"), min_size=1, max_size=4), min_size=1, max_size=4),
    min_size=2,
    max_size=5,
).filter(lambda found: len({tag for document in found for tags in document for tag in tags}) > 1)


@pytest.mark.usefixtures("copies_accepted")
@examples(14)
@given(documents=documents)
def test_every_way_of_saying_it_gives_the_same_gold(documents, tmp_path_factory):
    """Down to the digest, which does not know the file's format; by sequence and by column it is another."""
    n_sequences = [len(document) for document in documents]
    of_sequences = np.repeat(np.arange(len(documents)), n_sequences)
    lengths = [len(tags) for document in documents for tags in document]
    names = "".join(f"doc {number}\n" for number in of_sequences)
    root = tmp_path_factory.mktemp("ways")
    golds = [
        campaign_of(root / "1", as_sequences(documents), '{ between = "" }', form="sequences").gold,
        campaign_of(root / "2", as_tokens(documents, "-DOCSTART-\tO"), MARKED).gold,
        campaign_of(root / "3", as_tokens(documents), IN_FILE, docs_txt=names).gold,
    ]
    assert all(gold.groups.tolist() == np.repeat(of_sequences, lengths).tolist() for gold in golds)
    assert len({gold.digest() for gold in golds}) == 1
    by_sequence = campaign_of(root / "4", as_sequences(documents), form="sequences").gold
    assert by_sequence.groups.tolist() == np.repeat(np.arange(len(lengths)), lengths).tolist()
    assert by_sequence.digest() != golds[0].digest()


@pytest.mark.usefixtures("copies_accepted")
def test_a_submission_may_have_the_lines_between_documents_or_not(tmp_path):
    """In either format; loaded and checked alike."""
    gold = as_tokens(DOCUMENTS, "-DOCSTART-\tO")
    handed_in = {
        "tokens": as_tokens(DOCUMENTS),
        "marked": gold,
        "blanks": gold.replace("\t", " "),
        "sequences": as_sequences(DOCUMENTS),
        "sequences marked": as_sequences(DOCUMENTS, "-DOCSTART-"),
    }
    toml = f'[gold]\nformat = "tokens"\ngroup = {MARKED}\n'
    files = {f"submissions/{name}.txt": text for name, text in handed_in.items()}
    campaign = read_campaign(write(tmp_path, {"gold.txt": gold, "task.toml": toml, **files}))
    assert len(campaign.submissions) == len(handed_in)
    assert all(np.array_equal(each.codes, campaign.gold.codes) for each in campaign.submissions)
    for text in handed_in.values():
        checked = check_submission("A.txt", text.encode(), AnswerKey(campaign.gold, toml.encode()))
        assert np.array_equal(checked.codes, campaign.gold.codes)


@pytest.mark.usefixtures("copies_accepted")
def test_a_second_file_may_say_another_unit_and_be_in_an_archive(tmp_path):
    """It is claimed, kept with its bytes, and named in the journal."""
    names = "x\nx\ny\nz\nx\nx\n"
    files = {"groups.zip": lambda path: path.write_bytes(zipped({"by.txt": names}))}
    write(tmp_path, files)
    group = '{ path = "groups.zip", unit = "speaker" }'
    campaign = campaign_of(tmp_path, as_sequences(DOCUMENTS), group, form="sequences")
    assert campaign.gold.unit == "speaker"
    assert campaign.gold.groups.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 0, 0]
    assert (campaign.gold.group_file.path, campaign.gold.group_file.content) == (
        "groups.zip/by.txt",
        names.encode(),
    )
    assert [(entry.subject, entry.text) for entry in campaign.journal][1] == (
        "groups.zip/by.txt",
        "The groups of items, by speaker.",
    )
    assert not campaign.ignored
    assert input_files(campaign)["groups.zip/by.txt"].content == names.encode()


TABLE = "id,label,by\n1,no,x\n2,yes,x\n3,no,y\n4,yes,y\n"


@pytest.mark.usefixtures("copies_accepted")
def test_in_other_formats_a_second_file_has_a_line_for_each_item(tmp_path):
    """In gold's order; a wide file too."""
    toml = 'group = { path = "docs.txt" }\n'
    files = {"gold.csv": TABLE, "submissions/A.csv": TABLE, "docs.txt": "a\nb\nb\na\n"}
    campaign = read_campaign(write(tmp_path / "1", {**files, "task.toml": f"[gold]\n{toml}"}))
    assert (campaign.gold.groups.tolist(), campaign.gold.unit) == ([0, 1, 1, 0], "document")
    assert not campaign.ignored
    wide = {
        "all.csv": TABLE.replace("label,by", "gold,A").replace("x", "no").replace("y\n", "no\n")
    }
    toml = f'[wide]\npath = "all.csv"\n{toml}stratified = true\n'
    campaign = read_campaign(
        write(tmp_path / "2", {**wide, "docs.txt": "a\nb\nb\na\n", "task.toml": toml})
    )
    assert (campaign.gold.groups.tolist(), campaign.gold.stratified) == ([0, 1, 1, 0], True)
    assert not campaign.ignored


def test_each_test_set_has_groups_of_its_own():
    """And inherits what is said for all."""
    toml = (
        '[gold]\nformat = "sequences"\nstratified = true\n'
        '[subtask.en]\ngold.path = "en/gold.txt"\ngold.group = { between = "" }\nsubmissions.files = "en/{team}.tags"\n'
        '[subtask.de]\ngold.path = "de/gold.txt"\ngold.stratified = false\nsubmissions.files = "de/{team}.tags"\n'
    )
    english, german = (parse_settings(toml.encode(), part) for part in ("en", "de"))
    assert (english.gold_layout.group, english.toml.gold.stratified) == (Separator(""), True)
    assert (german.gold_layout.group, german.toml.gold.stratified) == (None, False)


# What cannot be


BAD_GROUPS = {
    "a line too few": (
        IN_FILE,
        "a\nb\nc\nd\ne\n",
        "docs.txt",
        "5 lines for 6 sequences of gold.txt",
    ),
    "a line for each token": (IN_FILE, "a\n" * 13, "docs.txt", "13 lines for 6 sequences"),
    "a blank line at the end": (IN_FILE, "a\n" * 6 + "\n", "docs.txt", "The last line is empty"),
    "no such line": (
        '{ between = "%%" }',
        "",
        "gold.txt",
        "no line between two sequences begins with “%%”",
    ),
    "no blank line": ('{ between = "" }', "", "gold.txt", "no line between two sequences is blank"),
}


@pytest.mark.parametrize("case", BAD_GROUPS)
def test_groups_that_do_not_fit_are_refused(case, tmp_path):
    """With the file, and both numbers."""
    group, names, file, found = BAD_GROUPS[case]
    with pytest.raises(InputError) as caught:
        campaign_of(
            tmp_path, as_sequences([SEQUENCES]), group, form="sequences", docs_txt=names or "x\n"
        )
    (issue,) = caught.value.issues
    assert (issue.slug, issue.file, issue.fatal) == ("gold-bad-groups", file, True)
    assert found in issue.found


def test_a_marker_above_the_first_sequence_alone_parts_nothing(tmp_path):
    """All would be one group, from which nothing can be inferred."""
    with pytest.raises(InputError, match="no line between two sequences begins with"):
        campaign_of(tmp_path, as_tokens([SEQUENCES], "-DOCSTART-\tO"), MARKED)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gold.csv", TABLE),
        ("gold.json", json.dumps({"1": "no", "2": "yes", "3": "no", "4": "yes"})),
        ("gold.xlsx", workbook(rows_of(TABLE))),
        ("gold.parquet", parquet_table(id=["1", "2", "3", "4"], label=["no", "yes", "no", "yes"])),
    ],
)
def test_lines_between_groups_are_of_tag_sequences_only(name, content, tmp_path):
    """In a table a column says it, or a second file."""
    toml = '[gold]\ngroup = { between = "x" }\n'
    issues = refusal(tmp_path, {name: content, "submissions/A.csv": TABLE, "task.toml": toml})
    assert [(issue.slug, issue.file) for issue in issues] == [("gold-bad-groups", name)]
    assert "a column of groups, or a second file" in issues[0].expected


def test_a_group_that_is_missing_in_the_second_file_is_named_with_its_line(tmp_path):
    """In that file."""
    names = "a\n\n \nb\nb\nc\n"
    with pytest.raises(InputError) as caught:
        campaign_of(tmp_path, as_sequences(DOCUMENTS), IN_FILE, form="sequences", docs_txt=names)
    assert [
        (issue.slug, issue.file, issue.lines, issue.count) for issue in caught.value.issues
    ] == [("gold-bad-groups", "docs.txt", (2, 3), 2)]


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("nowhere.txt", "missing-file"),
        ("../docs.txt", "path-outside"),
        ("submissions", "missing-file"),
    ],
)
def test_a_second_file_that_is_none_is_refused(path, slug, tmp_path):
    """Missing, outside of the folder, a folder."""
    with pytest.raises(InputError) as caught:
        campaign_of(tmp_path, as_sequences(DOCUMENTS), f'{{ path = "{path}" }}', form="sequences")
    assert [issue.slug for issue in caught.value.issues] == [slug]


def test_what_is_wrong_with_gold_is_said_once(tmp_path):
    """Where a line of gold is broken, that the second file has another number of lines is no further defect."""
    gold = as_tokens(DOCUMENTS).replace("w\tO\n", "w\n", 1)
    with pytest.raises(InputError) as caught:
        campaign_of(tmp_path, gold, IN_FILE, docs_txt="a\n")
    assert {issue.slug for issue in caught.value.issues} == {"wrong-columns"}


def test_a_line_between_documents_that_is_no_token_comes_with_the_setting(tmp_path):
    """Where it has another width than tokens, gold is refused."""
    with pytest.raises(InputError) as caught:
        campaign_of(tmp_path, as_tokens(DOCUMENTS, "-DOCSTART- -X- O"))
    assert {(issue.slug, issue.remedy) for issue in caught.value.issues} == {
        (
            "wrong-columns",
            f"if such lines stand between documents, write under [gold]: group = {MARKED}",
        )
    }


BAD_SETTINGS = [
    "group = true",
    "group = 0",
    "group = []",
    "group = {}",
    "group = { path = 3 }",
    "group = { path = '' }",
    "group = { between = 3 }",
    "group = { between = ' ' }",
    'group = { between = "a\\nb" }',
    "group = { path = 'a', between = 'b' }",
    "group = { path = 'a', unit = '' }",
    "group = { unit = 'document' }",
    "group = { beteen = '' }",
    "group = { path = { a = 1 } }",
    "group = 1\nformat = 'sequences'",
    "group = 'a'\nformat = 'lines'",
    "group = { between = '' }\nformat = 'tokens'",
    "group = { between = 'x' }\nformat = 'delimited'",
    "group = { between = 'x' }\nformat = 'lines'",
    "stratified = 1",
    "stratified = 'yes'",
]


@pytest.mark.parametrize("toml", BAD_SETTINGS)
def test_a_setting_that_cannot_be_is_refused_with_its_line(toml):
    """Also where it contradicts the format."""
    with pytest.raises(InputError) as caught:
        parse_settings(f"[gold]\n{toml}\n".encode())
    assert [(issue.slug, issue.lines) for issue in caught.value.issues] == [("bad-setting", (2,))]


def test_the_settings_of_groups():
    """Each form of it, in both tables; submissions have none."""
    for toml, expected in (
        ("false", False),
        ('"author"', ("author",)),
        ("[1, 'b']", (1, "b")),
        ("{ path = 'a/b.txt' }", GroupFile("a/b.txt")),
        ("{ path = 'b.txt', unit = 'thread' }", GroupFile("b.txt", "thread")),
    ):
        assert parse_settings(f"[gold]\ngroup = {toml}\n".encode()).gold_layout.group == expected
        assert parse_settings(f"[wide]\ngroup = {toml}\n".encode()).gold_layout.group == expected
    for name, toml in (("sequences", "''"), ("tokens", "'# newdoc'")):
        found = parse_settings(
            f"[gold]\nformat = '{name}'\ngroup = {{ between = {toml} }}\n".encode()
        )
        assert found.gold_layout.group == Separator(toml[1:-1])
    for key in ("group = 1", "stratified = true"):
        with pytest.raises(InputError, match="bad-setting"):
            parse_settings(f"[submissions]\n{key}\n".encode())


# What is suggested


def suggested(root, gold, toml="", name="gold.csv"):
    """What looks like groups, by the assumptions."""
    files = {name: gold, "submissions/A.csv": "id,label\n1,no\n2,yes\n3,no\n4,yes\n"}
    campaign = read_campaign(
        write(root, {**files, "task.toml": f'[gold]\npath = "{name}"\n{toml}'})
    )
    return [said for said in campaign.task.assumptions if "To decide" in said]


def column(name, cells="xxyy"):
    """Gold with a further column."""
    rows = zip("1234", ("no", "yes", "no", "yes"), cells, strict=True)
    return f"id,label,{name}\n" + "".join(f"{','.join(row)}\n" for row in rows)


@pytest.mark.parametrize(
    "name",
    [
        "doc",
        "doc_id",
        "Document",
        "thread-id",
        "author",
        "User ID",
        "question_id",
        "topic",
        "article",
    ],
)
def test_a_column_that_is_called_like_groups_is_suggested_and_not_taken(name, tmp_path):
    """With the setting that would take it, and the one that would not."""
    (sentence,) = suggested(tmp_path, column(name))
    assert sentence == (
        f"gold.csv: column “{name}” has 2 values for 4 items and may say which belong together; items are taken as "
        f'independent. To decide, write under [gold]: group = "{name}" or group = false.'
    )
    for setting in (f'group = "{name}"\n', "group = false\n"):
        assert suggested(tmp_path, column(name), setting) == []


@pytest.mark.parametrize(
    ("name", "cells"),
    [("author", "abcd"), ("doc_id", "aaaa"), ("doc_id", ["a", "a", "", "b"]), ("length", "xxyy")],
)
def test_a_column_that_can_be_no_groups_is_not_suggested(name, cells, tmp_path):
    """All different, all one, one of them empty, or called otherwise."""
    assert suggested(tmp_path, column(name, cells)) == []


def test_columns_of_every_format_are_suggested(tmp_path):
    """Also fields of several levels, and those beside the systems of a wide file."""
    rows = rows_of(column("author"))
    cells = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    lines = [
        {"id": item_id, "label": label, "meta": {"author": author}}
        for item_id, label, author in rows[1:]
    ]
    golds = {
        "gold.xlsx": workbook(rows),
        "gold.parquet": parquet_table(**{name: list(column) for name, column in cells.items()}),
        "gold.json": json.dumps([dict(zip(rows[0], row, strict=True)) for row in rows[1:]]),
        "gold.jsonl": "\n".join(map(json.dumps, lines)),
    }
    for name, gold in golds.items():
        (sentence,) = suggested(tmp_path / name, gold, name=name)
        assert "author” has 2 values for 4 items" in sentence
    wide = (
        column("author")
        .replace("label", "gold")
        .replace("\n", ",no\n")
        .replace("author,no", "author,A")
    )
    root = write(tmp_path / "wide", {"all.csv": wide, "task.toml": '[wide]\nsystems = ["A"]\n'})
    assert any(
        '[wide]: group = "author" or' in said for said in read_campaign(root).task.assumptions
    )
    root = write(tmp_path / "wide", {"task.toml": '[wide]\nsystems = ["A"]\ngroup = false\n'})
    assert not any("To decide" in said for said in read_campaign(root).task.assumptions)
    system = wide.replace("author,A", "user,A").replace(",x,", ",no,").replace(",y,", ",yes,")
    root = write(tmp_path / "system", {"all.csv": system})
    assert [submission.team for submission in read_campaign(root).submissions] == ["A", "user"]
    assert not any("To decide" in said for said in read_campaign(root).task.assumptions)


def test_a_column_that_cannot_be_read_is_not_suggested(tmp_path):
    """Nobody asked for it, so it is no defect that a field of it is nested."""
    lines = [
        {"id": str(number), "label": label}
        for number, label in enumerate(("no", "yes", "no", "yes"), start=1)
    ]
    gold = "\n".join(
        json.dumps({**line, "author": ["x"] if line["id"] == "2" else "x"}) for line in lines
    )
    assert suggested(tmp_path, gold, name="gold.jsonl") == []


def test_a_column_that_is_damaged_where_nobody_reads_it_is_not_suggested(tmp_path):
    """Beside the systems of a wide file, which are read without it."""
    n_items = 2000
    labels, authors = (
        ["no", "yes"] * (n_items // 2),
        [b"x", b"y"] * (n_items // 2 - 1) + [b"x", b"\xff"],
    )
    wide = parquet_table(
        id=[str(n) for n in range(n_items)],
        gold=labels,
        A=labels,
        author=pa.array(authors, pa.binary()),
    )
    root = write(tmp_path, {"all.parquet": wide, "task.toml": '[wide]\nsystems = ["A"]\n'})
    campaign = read_campaign(root)
    assert campaign.gold.n_items == n_items
    assert not any("To decide" in said for said in campaign.task.assumptions)


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize(
    ("gold", "form", "setting"),
    [
        (as_tokens(DOCUMENTS, "-DOCSTART-\tO"), "tokens", MARKED),
        (
            as_tokens(DOCUMENTS, "# newdoc").replace("# newdoc", "# newdoc\tO"),
            "tokens",
            '{ between = "# newdoc" }',
        ),
        (as_sequences(DOCUMENTS), "sequences", '{ between = "" }'),
        (as_sequences([[tags] for tags in SEQUENCES]), "sequences", None),
        (as_sequences([SEQUENCES]), "sequences", None),
        (as_tokens(DOCUMENTS), "tokens", None),
    ],
)
def test_lines_that_look_like_boundaries_are_suggested(gold, form, setting, tmp_path):
    """By convention, or because blank lines part the sequences; not where each has a blank line, or none has."""
    found = [
        said
        for said in campaign_of(tmp_path, gold, form=form).task.assumptions
        if "To decide" in said
    ]
    assert [f"group = {setting}" in said for said in found] == ([] if setting is None else [True])


# What gold is


def test_the_digest_knows_ids_groups_their_unit_and_stratified_classes():
    """Each alone makes another gold; none of them leaves the digest as it was before there were any."""
    labels, codes = LabelSet(("a", "b")), np.array([0, 1, 0, 1], np.uint8)
    groups = np.array([0, 0, 1, 1])
    golds = [
        Gold(labels, codes),
        Gold(labels, codes, item_ids=("1", "2", "3", "4")),
        Gold(labels, codes, item_ids=("1", "2", "4", "3")),
        Gold(labels, codes, stratified=True),
        Gold(labels, codes, groups=groups),
        Gold(labels, codes, groups=groups, stratified=True),
        Gold(labels, codes, groups=groups, unit="author"),
        Gold(labels, codes, groups=groups, unit="thread"),
        Gold(labels, codes, groups=np.array([0, 1, 1, 1])),
    ]
    assert len({gold.digest() for gold in golds}) == len(golds)
    assert golds[0].digest() == Gold(labels, codes.astype(np.int64)).digest()


def likely(root, gold, toml=""):
    files = {"gold.csv": gold, "submissions/A.csv": gold.replace(",no", ",yes", 1)}
    return read_campaign(write(root, {**files, "task.toml": f"[gold]\n{toml}"})).task.likely_groups


def rows(ids, further=None):
    """Gold of these ids, and a further column."""
    labels = ("no", "yes")
    head = "id,label" if further is None else "id,label,text"
    cells = (
        ids
        if further is None
        else [f"{item}\t{text}" for item, text in zip(ids, further, strict=True)]
    )
    lines = []
    for place, cell in enumerate(cells):
        item, *more = cell.split("\t")
        lines.append(",".join([item, labels[place % 2], *more]))
    return "\n".join([head, *lines]) + "\n"


STEMS = [f"doc{document}-{item}" for document in range(12) for item in range(4)]


def test_ids_with_a_common_stem_look_like_groups(tmp_path):
    """Each stem in one stretch, and what follows begins anew; a policy ends the question."""
    found = likely(tmp_path, rows(STEMS))
    assert (found.what, found.n_groups, found.n_items, found.option) == (
        "a common stem of ids",
        12,
        48,
        None,
    )
    assert found.setting == 'group = { path = "FILE" } under [gold]'
    assert likely(tmp_path, rows(STEMS), "group = false\n") is None


@pytest.mark.parametrize(
    "ids",
    [
        [f"train-{number}" for number in range(48)],
        [f"{number}" for number in range(48)],
        [f"{part}-{number}" for part in ("en", "de") for number in range(24)],
        [f"{year}-{number}" for number in range(4) for year in range(2000, 2012)],
        [f"doc{number // 4}-{number}" for number in range(48)],
    ],
    ids=["one stem", "no stem", "two parts", "mixed", "numbered through"],
)
def test_other_ids_do_not(ids, tmp_path):
    """One stem, none, few, mixed ones, or numbers that go on."""
    assert likely(tmp_path, rows(ids)) is None


def test_a_column_whose_values_repeat_in_runs_looks_like_groups(tmp_path):
    """Whatever it is called; not where values come again, are few, or are nearly as many as items."""
    plain = [f"{number}" for number in range(48)]
    found = likely(tmp_path, rows(plain, [f"q{number // 4}" for number in range(48)]))
    assert (found.what, found.n_groups, found.setting, found.option) == (
        "column “text”",
        12,
        'group = "text" under [gold]',
        "text",
    )
    for values in (
        [f"q{number % 12}" for number in range(48)],
        [f"q{number // 24}" for number in range(48)],
        [f"q{number}" for number in range(48)],
    ):
        assert likely(tmp_path, rows(plain, values)) is None


def test_the_remedy_for_groups_works_when_followed(tmp_path):
    """Each of the two settings that a request names ends it; the one that takes the groups has them."""
    gold = rows([f"{number}" for number in range(48)], [f"q{number // 4}" for number in range(48)])
    found = likely(tmp_path, gold)
    setting, _, section = found.setting.rpartition(" under ")
    assert section == "[gold]"
    campaign = read_campaign(write(tmp_path, {"task.toml": f"{section}\n{setting}\n"}))
    assert campaign.task.likely_groups is None
    assert len(set(campaign.gold.groups.tolist())) == 12
