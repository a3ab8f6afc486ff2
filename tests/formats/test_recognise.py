"""Recognising is allowed, guessing is not."""

import json

import pytest

from audit.formats.campaign.campaigns import read_campaign

from .campaigns import ANSWERS, GOLD, GOOD, refusal, write


def json_lines(id_name, label_name, csv):
    """The rows of a small CSV file, as JSON Lines."""
    rows = [line.split(",") for line in csv.split()[1:]]
    return "\n".join(json.dumps({id_name: item, label_name: label}) for item, label in rows)


NO, YES, MISSING, UNUSABLE = range(4)
AS_ANSWERED = [NO, NO, NO, YES]  # what ANSWERS says of items 1 to 4

SAME_ANSWERS = {
    "comma, header": ANSWERS,
    "comma, no header": "1,no\n2,no\n3,no\n4,yes\n",
    "another order": "4,yes\n2,no\n3,no\n1,no\n",
    "semicolon": "id;label\n1;no\n2;no\n3;no\n4;yes\n",
    "tab": "id\tlabel\n1\tno\n2\tno\n3\tno\n4\tyes\n",
    "runs of blanks": "1  no\n2 no\n  3   no \n4\t yes\n",
    "tab in one line and a blank in another": "1\tno\n2\tno\n3 no\n4\tyes\n",
    "no-break space beside the label": "1 no\n2 no\n3 no\n4 yes\n",
    "quotes": '"id","label"\n"1","no"\n"2","no"\n"3","no"\n"4","yes"\n',
    "quoted line breaks": 'id,text,label\n1,"a\nb",no\n2,"c",no\n3,"d\n\n",no\n4,e,yes\n',
    "blank lines between": "id,label\n\n1,no\n2,no\n\n3,no\n4,yes\n\n\n",
    "BOM": "\ufeff" + ANSWERS,
    "UTF-16": ANSWERS.encode("utf-16"),
    "CRLF": ANSWERS.replace("\n", "\r\n"),
    "CR": ANSWERS.replace("\n", "\r"),
    "no final line end": ANSWERS.rstrip("\n"),
    "comments": "# team A\n# run 1\nid,label\n1,no\n2,no\n3,no\n4,yes\n",
    "a commented header": "#id,label\n1,no\n2,no\n3,no\n4,yes\n",
    "an unknown header": "Nr.,Urteil\n1,no\n2,no\n3,no\n4,yes\n",
    "label first": "label,id\nno,1\nno,2\nno,3\nyes,4\n",
    "label first, no header": "no,1\nno,2\nno,3\nyes,4\n",
    "a name that misleads": "no,tweet,class,said\n7,1,x,no\n8,2,x,no\n9,3,y,no\n5,4,y,yes\n",
    "scores between": "1,0.25,no\n2,0.5,no\n3,0.125,no\n4,1.0,yes\n",
    "prediction beside a score": "id,score,prediction\n1,.5,no\n2,.5,no\n3,.5,no\n4,.5,yes\n",
    "JSON Lines": json_lines("id", "label", ANSWERS) + "\n",
    "JSON Lines with numbers": json_lines("id", "label", ANSWERS)
    .replace('"1"', "1")
    .replace('"3"', "3"),
    "JSON Lines with other fields": "\n".join(
        f'{{"scores": [0.5, {{"a": 1}}], "uid": {number}, "pred": "{label}"}}'
        for number, label in enumerate(["no", "no", "no", "yes"], start=1)
    ),
    "one label per line": "no\nno\nno\nyes\n",
    "one label per line, header": "prediction\nno\nno\nno\nyes\n",
    "one label per JSON object": '{"label": "no"}\n{"label": "no"}\n{"label": "no"}\n{"label": "yes"}\n',
}


@pytest.mark.parametrize("how", SAME_ANSWERS)
def test_the_same_answers_are_read_however_they_are_written(how, tmp_path):
    """Each a way in which teams hand in files; none needs a setting."""
    content = SAME_ANSWERS[how]
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, "submissions/A.txt": content}))
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED
    assert not campaign.issues


SAME_GOLD = {
    "header": GOLD,
    "no header": "1,no\n2,yes\n3,no\n4,yes\n",
    "label first": "no\t1\nyes\t2\nno\t3\nyes\t4\n",
    "texts beside": "id,text,label\n1,a,no\n2,b,yes\n3,c,no\n4,d,yes\n",
    "an unknown header": "Nr.;Klasse\n1;no\n2;yes\n3;no\n4;yes\n",
    "comments": "# gold\n#\n#id,label\n1,no\n2,yes\n3,no\n4,yes\n",
    "many comments": "".join(f"# line {n} of the licence\n" for n in range(1500)) + GOLD,
    "JSON Lines": json_lines("id", "label", GOLD).replace("\n", "\n\n"),
    "JSON Lines, unknown fields": json_lines("k", "v", GOLD),
}


@pytest.mark.parametrize("how", SAME_GOLD)
def test_gold_is_recognised_by_names_or_by_ids_that_differ_and_labels_that_repeat(how, tmp_path):
    """Likewise for gold, of which nothing is known beforehand."""
    campaign = read_campaign(
        write(tmp_path, {"gold.txt": SAME_GOLD[how], "submissions/A.csv": ANSWERS})
    )
    assert campaign.gold.item_ids == ("1", "2", "3", "4")
    assert campaign.gold.codes.tolist() == [NO, YES, NO, YES]


AMBIGUOUS = {
    "two label columns": (
        {**GOOD, "submissions/A.csv": "1,no,yes\n2,no,no\n3,no,no\n4,yes,no\n"},
        "submissions/A.csv",
        ["label = 2", "label = 3"],
    ),
    "gold's column beside a prediction": (
        {
            **GOOD,
            "submissions/A.csv": "id,label,prediction\n1,no,no\n2,yes,no\n3,no,no\n4,yes,yes\n",
        },
        "submissions/A.csv",
        ['label = "label"', 'label = "prediction"'],
    ),
    "a repeated gold column beside another name": (
        {**GOOD, "submissions/A.csv": "id,label,my_model\n1,no,no\n2,yes,no\n3,no,no\n4,yes,yes\n"},
        "submissions/A.csv",
        ['label = "label"', 'label = "my_model"'],
    ),
    "a repeated gold field beside another name": (
        {
            **GOOD,
            "submissions/A.csv": "".join(
                f'{{"id": {number}, "label": "{gold}", "system": "no"}}\n'
                for number, gold in enumerate(["no", "yes", "no", "yes"], start=1)
            ),
        },
        "submissions/A.csv",
        ['label = "label"', 'label = "system"'],
    ),
    "gold's column beside a prediction in capitals": (
        {
            **GOOD,
            "submissions/A.csv": "id,label,prediction\n1,no,No\n2,yes,No\n3,no,No\n4,yes,Yes\n",
        },
        "submissions/A.csv",
        ['label = "label"', 'label = "prediction"'],
    ),
    "a column that repeats gold beside a prediction in capitals": (
        {
            **GOOD,
            "submissions/A.csv": "id,truth,pred_label\n1,no,No\n2,yes,No\n3,no,No\n4,yes,Yes\n",
        },
        "submissions/A.csv",
        ['label = "truth"', 'label = "pred_label"'],
    ),
    "a header or a misspelt label, by position": (
        {
            "gold.txt": "no\nyes\nno\nyes\n",
            "task.toml": "[submissions]\nid = false\nlabel = 1\n",
            "submissions/A.txt": "No\nyes\nno\nyes\nno\n",
        },
        "submissions/A.txt",
        ["header = true", "header = false"],
    ),
    "a header or a rare class": (
        {"gold.csv": "one,x\ntwo,y\nthree,z\nfour,y\nfive,z\n", "submissions/A.csv": "one,x\n"},
        "gold.csv",
        ["header = true", "header = false"],
    ),
    "a header or a rare class, by position": (
        {"gold.txt": "one\nno\nyes\nno\nyes\n", "submissions/A.txt": "no\n"},
        "gold.txt",
        ["header = true", "header = false"],
    ),
    "a comment or an item": (
        {"gold.csv": GOLD.replace("1,", "#1,"), "submissions/A.csv": "#1,no\n2,no\n3,no\n4,yes\n"},
        "submissions/A.csv",
        ['comment = "#"', 'comment = ""'],
    ),
    "a comment or a gold item": (
        {"gold.csv": "#0,no\n1,no\n2,yes\n3,no\n4,yes\n", "submissions/A.csv": ANSWERS},
        "gold.csv",
        ['comment = "#"', 'comment = ""'],
    ),
    "ids or labels": (
        {"gold.csv": "1,2\n2,1\n", "submissions/A.csv": "1,2\n2,1\n"},
        "gold.csv",
        ["id = 1, label = 2", "id = 2, label = 1"],
    ),
    "a name that is an item": (
        {
            "gold.csv": "key,label\nid,no\n2,yes\n3,no\n4,yes\n",
            "submissions/A.csv": "id,label\n2,no\n3,no\n4,yes\n",
        },
        "submissions/A.csv",
        ["header = true", "header = false"],
    ),
    "two fields": (
        {"gold.jsonl": '{"a": 1, "b": 2}\n{"a": 2, "b": 1}\n', "submissions/A.csv": ANSWERS},
        "gold.jsonl",
        ['id = "a", label = "b"', 'id = "b", label = "a"'],
    ),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_two_readings_are_both_shown_with_the_settings_that_decide(case, tmp_path):
    """And nothing is loaded."""
    files, file, choices = AMBIGUOUS[case]
    issue = next(issue for issue in refusal(tmp_path, files) if issue.slug == "ambiguous-reading")
    assert issue.file == file
    assert all(choice in issue.remedy for choice in choices)
    assert ("[gold]" if file.startswith("gold") else "[submissions]") in issue.remedy


@pytest.mark.parametrize(
    ("header", "ids"), [("true", "two three four five"), ("false", "one two three four five")]
)
def test_the_line_that_decides_does_decide(header, ids, tmp_path):
    """Written into task.toml as the issue says, it makes the file readable."""
    rows = "two,y\nthree,z\nfour,y\nfive,z\n"
    files = {
        "gold.csv": f"one,x\n{rows}",
        "submissions/A.csv": rows,
        "task.toml": f"[gold]\nheader = {header}\n[submissions]\nheader = false\n",
    }
    assert read_campaign(write(tmp_path, files)).gold.item_ids == tuple(ids.split())


@pytest.mark.parametrize(("delimiter", "first_id"), [("tab", "a,b"), ("comma", "a")])
def test_a_second_delimiter_that_fits_as_well_has_to_be_decided(delimiter, first_id, tmp_path):
    """Both give ids and labels that gold knows, and each line has as many columns by either."""
    files = {
        "task.toml": 'labels = ["no", "b\\tno", "d\\tno"]\n[gold]\nformat = "jsonl"\n',
        "gold.jsonl": "".join(
            f'{{"id": "{item}", "label": "{label}"}}\n'
            for item, label in [("a,b", "no"), ("c,d", "no"), ("a", "b\\tno"), ("c", "d\\tno")]
        ),
        "submissions/A.csv": "a,b\tno\nc,d\tno\n",
    }
    issues = refusal(tmp_path, files)
    assert 'delimiter = "tab"' in issues[0].remedy
    assert 'delimiter = "comma"' in issues[0].remedy
    files["task.toml"] += f'[submissions]\ndelimiter = "{delimiter}"\n'
    campaign = read_campaign(write(tmp_path, files))
    answered = [
        item
        for item, code in zip(campaign.gold.item_ids, campaign.submissions[0].codes, strict=True)
        if code < 3
    ]
    assert answered[0] == first_id


UNREADABLE = {
    "a header of another width": ("id,label,\n1,no\n2,no\n3,no\n4,yes\n", "wrong-columns"),
    "neither ids nor labels": ("w,u\nx,v\ny,w\nz,q\n", "unrecognised"),
    "many strange columns": ("p,q,r\ns,t,u\nv,w,x\n", "unrecognised"),
    "a header without a label column": ("id,b,c\n1,t,u\n2,w,x\n3,y,z\n4,y,z\n", "no-such-column"),
    "only comments": ("# nothing\n# here\n", "empty-file"),
    "a word behind a quote": ('id,label\n1,"no" way\n', "open-quote"),
    "an array per line": (
        '{"id": "1", "label": ["no"]}\n[1, 2]\n{"id": 2, "id": 3}\n{"id": NaN}\n',
        "bad-json",
    ),
    "a .jsonl without any object": ("1,no\n", "bad-json"),
    "JSON without an id": ('{"label": "no"}\n{"id": "2", "label": "no"}\n', "bad-json"),
    "JSON without a label": ('{"id": 1}\n{"id": "2"}\n', "no-such-column"),
    "half a surrogate pair": (
        '{"id": "1", "label": "\\ud800"}\n{"id": "2", "label": "no"}\n',
        "bad-json",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_no_reading_fits_is_refused(case, tmp_path):
    """With the kind of issue that says why."""
    content, slug = UNREADABLE[case]
    name = "submissions/A.jsonl" if slug == "bad-json" else "submissions/A.txt"
    assert slug in {issue.slug for issue in refusal(tmp_path, {"gold.csv": GOLD, name: content})}


def test_gold_without_ids_and_answers_with_ids_cannot_be_aligned_unless_the_order_is_stated(
    tmp_path,
):
    """The issue says what to write."""
    root = write(tmp_path, {"gold.txt": "no\nyes\nno\nyes\n", "submissions/A.csv": ANSWERS})
    assert "id = false" in refusal(root)[0].remedy
    write(root, {"task.toml": "[submissions]\nid = false\n"})
    assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED


def test_gold_may_be_delimited_and_known_by_position(tmp_path):
    """As may be the submissions; a blank line is then a missing answer."""
    files = {
        "task.toml": '[gold]\nid = false\nlabel = "label"\n[submissions]\nid = false\nlabel = 1\n',
        "gold.csv": "text,label\na,no\nb,yes\nb,no\n",
        "submissions/A.csv": "no,0.5\n\nyes,0.9\n",
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.gold.item_ids is None
    assert campaign.submissions[0].codes.tolist() == [NO, MISSING, YES]


def test_alike_readings_are_told_in_one_sentence(tmp_path):
    """Forty-eight files do not make forty-eight sentences."""
    files = {
        "gold.csv": GOLD,
        **{f"submissions/{name}.csv": ANSWERS for name in "ABC"},
        "submissions/D.txt": "no\n" * 4,
    }
    sentences = read_campaign(write(tmp_path, files)).task.assumptions
    assert [sentence for sentence in sentences if "submission" in sentence] == [
        "3 submissions: comma-separated, header; column “id” holds the ids, column “label” the labels.",
        "1 submission: one label per line; aligned with gold by position.",
    ]


@pytest.mark.usefixtures("copies_accepted")
def test_a_reading_that_the_sample_allows_is_dropped_where_the_rest_contradicts_it(tmp_path):
    """Tab and blanks agree on the first lines; a later label has a blank."""
    labels = ["no"] * 1500 + ["not sure"] * 1500
    gold = "".join(f"{number}\t{label}\n" for number, label in enumerate(labels))
    campaign = read_campaign(write(tmp_path, {"gold.tsv": gold, "submissions/A.tsv": gold}))
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


def test_a_line_of_another_width_is_found_beyond_the_sample(tmp_path):
    """Recognition looks at the first lines, checking at all."""
    rows = [f"{number},{'yes' if number % 2 else 'no'}" for number in range(5000)]
    broken = [*rows[:4321], "4321", *rows[4322:]]
    issues = refusal(
        tmp_path, {"gold.csv": "\n".join(rows), "submissions/A.csv": "\n".join(broken)}
    )
    assert [(issue.slug, issue.lines) for issue in issues] == [("wrong-columns", (4322,))]


def test_a_blank_beside_a_label_is_named(tmp_path):
    """Quotes alone hide it."""
    spaced = "id,label\n1, no\n2,no \n3, no \n4,  \n5,no\n"
    issues = read_campaign(
        write(tmp_path, {"gold.csv": GOLD + "5,no\n", "submissions/A.csv": spaced})
    ).issues
    assert [issue.found.partition(".")[2] for issue in issues] == [
        " Did you mean “no”? It begins with a blank.",
        " Did you mean “no”? It ends with a blank.",
        " Did you mean “no”? It begins and ends with a blank.",
        " It consists of blanks.",
    ]


def test_comments_are_left_out_anywhere_where_task_toml_says_so(tmp_path):
    """Even between quoted cells that span lines, and never inside of one."""
    quoted = 'id,text,label\n%\n1,"a\n% b",no\n% c "d\n2,x,no\n3,x,no\n4,x,yes\n'
    files = {"gold.csv": GOLD, "task.toml": '[submissions]\ncomment = "%"\n'}
    for content in (quoted, "%\n1,no\n2,no\n% x\n3,no\n4,yes\n", "no\n% a\nno\nno\nyes\n"):
        campaign = read_campaign(write(tmp_path, {**files, "submissions/A.csv": content}))
        assert campaign.submissions[0].codes.tolist() == AS_ANSWERED


@pytest.mark.usefixtures("copies_accepted")
def test_labels_with_blanks_are_one_label_per_line(tmp_path):
    """Nothing in them is an id."""
    gold = "very good\nvery bad\nvery good\nvery bad\n"
    campaign = read_campaign(write(tmp_path, {"gold.txt": gold, "submissions/A.txt": gold}))
    assert campaign.task.label_set.labels == ("very bad", "very good")


@pytest.mark.usefixtures("copies_accepted")
def test_labels_from_gold_are_sorted_and_numbers_by_value(tmp_path):
    """So that 10 follows 9, and -1 precedes 0."""
    gold = "".join(
        f"i{number},{label}\n"
        for number, label in enumerate(["10", "9", "-1", "1.5", "10", "9", "-1", "1.5"])
    )
    campaign = read_campaign(write(tmp_path, {"gold.csv": gold, "submissions/A.csv": gold}))
    assert campaign.task.label_set.labels == ("-1", "1.5", "9", "10")


def test_long_lists_of_issues_are_cut_with_a_count(tmp_path):
    """Twenty of a kind, and one that counts the rest."""
    many = "id,label\n" + "".join(f"{number},l{number}\n" for number in range(1, 61))
    found = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.csv": many})
    of_kind = {
        slug: [issue for issue in found if issue.slug == slug]
        for slug in ("unusable-label", "extra-item")
    }
    assert [len(issues) for issues in of_kind.values()] == [21, 21]
    assert sum(issue.count for issue in of_kind["unusable-label"]) == 60
    assert sum(issue.count for issue in of_kind["extra-item"]) == 56


def test_unusable_labels_are_listed_by_number_and_counted_once_each(tmp_path):
    """With the text as it stands."""
    labels = ["ja", "nein", "ja", "", "no", "no", "yes", "yes"]
    gold = "".join(f"{number},{'yes' if number % 2 else 'no'}\n" for number in range(8))
    answers = "".join(f"{number},{label}\n" for number, label in enumerate(labels))
    submission = read_campaign(
        write(tmp_path, {"gold.csv": gold, "submissions/A.csv": answers})
    ).submissions[0]
    assert submission.unusable_labels == (("ja", 2), ("nein", 1))
    assert submission.codes.tolist() == [UNUSABLE, UNUSABLE, UNUSABLE, MISSING, NO, NO, YES, YES]


@pytest.mark.usefixtures("copies_accepted")
def test_text_that_begins_like_an_archive_is_text(tmp_path):
    """An id may begin as the signature of some file formats does."""
    gold = "PAR1,no\nBZh1,yes\nRar!2,no\n%P,yes\n"
    campaign = read_campaign(write(tmp_path, {"gold.csv": gold, "submissions/A.csv": gold}))
    assert campaign.gold.item_ids == ("PAR1", "BZh1", "Rar!2", "%P")


def test_a_header_of_another_width_is_said_where_task_toml_states_a_header(tmp_path):
    """Its names would stand above the wrong columns."""
    files = {
        **GOOD,
        "submissions/A.csv": "id,label,\n1,no\n2,no\n",
        "task.toml": "[submissions]\nheader = true\n",
    }
    assert [(issue.slug, issue.lines) for issue in refusal(tmp_path, files)] == [
        ("wrong-columns", (1,))
    ]


def test_a_bad_byte_is_placed_by_the_text_before_it(tmp_path):
    """In an encoding of two bytes too, where a byte may look like a line end and be none."""
    content = "id,label\n1,\u0a0d\n".encode("utf-16") + b"\x00\xdc\x00"
    issues = refusal(tmp_path, {"gold.csv": GOLD, "submissions/A.csv": content})
    assert [(issue.slug, issue.lines) for issue in issues] == [("wrong-encoding", (3,))]


def test_labels_of_another_spelling_are_one_label_per_line_all_the_same(tmp_path):
    """Where gold has no ids, nothing else is possible."""
    gold = "very good\nvery bad\nvery good\nvery bad\n"
    answers = gold.title().replace("Very Good", "very good", 1)
    campaign = read_campaign(write(tmp_path, {"gold.txt": gold, "submissions/A.txt": answers}))
    assert campaign.submissions[0].codes.tolist() == [1, UNUSABLE, UNUSABLE, UNUSABLE]
    assert all("Did you mean" in issue.found for issue in campaign.issues)


def test_gold_without_any_label_has_no_items(tmp_path):
    """Whatever ids it lists."""
    issues = refusal(tmp_path, {"gold.csv": "id,label\n1,\n2,\n", "submissions/A.csv": ANSWERS})
    assert [issue.slug for issue in issues] == ["gold-missing-label", "gold-one-class"]


def test_a_line_of_another_width_is_not_also_a_line_too_few(tmp_path):
    """By position as by id, one defect is one issue."""
    files = {
        "gold.txt": "no\nyes\nno\nyes\n",
        "task.toml": "[submissions]\nid = false\nlabel = 2\n",
    }
    issues = refusal(tmp_path, {**files, "submissions/A.csv": "1,no\n2,no\n3\n4,yes\n"})
    assert [(issue.slug, issue.lines) for issue in issues] == [("wrong-columns", (3,))]


def test_a_sample_may_end_inside_a_quoted_cell(tmp_path):
    """Cells that span lines do not depend on where the sample ends."""
    labels = ["no", "yes"] * 300
    cells = "".join(
        f'{number},"two\n\nlines, or three",{label}\n' for number, label in enumerate(labels)
    )
    files = {
        "gold.csv": "".join(f"{n},{label}\n" for n, label in enumerate(labels)),
        "submissions/A.csv": cells,
    }
    campaign = read_campaign(write(tmp_path, files))
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


@pytest.mark.parametrize("comment", ["", "[submissions]\ncomment = '#'\n"])
def test_only_comments_are_an_empty_file(comment, tmp_path):
    """Stated or recognised."""
    issues = refusal(
        tmp_path, {"gold.csv": GOLD, "submissions/A.csv": "# a, b\n# c\n", "task.toml": comment}
    )
    assert [issue.slug for issue in issues] == ["empty-file"]


def test_columns_that_agree_in_the_sample_and_differ_below_are_two_readings(tmp_path):
    """The line shown is the first on which they do."""
    labels = ["no", "yes"] * 1000
    gold = "".join(f"i{number}\t{label}\n" for number, label in enumerate(labels))
    rows = [
        f"i{number}\t{label}\t{label if number != 1700 else 'yes'}\n"
        for number, label in enumerate(labels)
    ]
    root = write(tmp_path, {"gold.tsv": gold, "submissions/A.tsv": "".join(rows)})
    assert [(issue.slug, issue.lines) for issue in refusal(root)] == [
        ("ambiguous-reading", (1701,))
    ]
    write(root, {"submissions/A.tsv": "".join(rows[:1700])})
    assert (read_campaign(root).submissions[0].codes[:1700] < 2).all()


def test_where_each_line_has_the_same_tabs_a_blank_behind_a_label_is_a_part_of_it(tmp_path):
    """However far down it stands, it is said."""
    rows = [f"i{number}\t{'yes' if number % 2 else 'no'}\n" for number in range(3000)]
    files = {
        "gold.tsv": "".join(rows),
        "submissions/A.tsv": "".join(rows).replace("i2500\tno", "i2500\tno "),
    }
    (submission,) = read_campaign(write(tmp_path, files)).submissions
    assert submission.unusable_labels == (("no ", 1),)
    assert [(issue.slug, issue.lines) for issue in submission.issues] == [
        ("unusable-label", (2501,))
    ]
    assert "It ends with a blank" in submission.issues[0].found


@pytest.mark.parametrize("other", ["run", "confidence", "ids"])
def test_another_column_is_no_rival_where_its_cells_are_no_labels(other, tmp_path):
    """Nor where it holds the ids again: a run's name or a score leaves the label column as it is."""
    cells = {
        "run": ["primary"] * 4,
        "confidence": [".5", "no", ".7", ".9"],
        "ids": ["1", "2", "3", "4"],
    }[other]
    rows = "".join(
        f"{n},{cell},{label}\n"
        for n, cell, label in zip("1234", cells, ["no", "no", "no", "yes"], strict=True)
    )
    campaign = read_campaign(
        write(tmp_path, {**GOOD, "submissions/A.csv": f"id,{other},label\n{rows}"})
    )
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED


def test_a_prediction_that_repeats_the_label_column_is_no_second_reading(tmp_path):
    """Both say the same, so there is nothing to decide."""
    same = "id,label,prediction\n1,no,no\n2,no,no\n3,no,no\n4,yes,yes\n"
    campaign = read_campaign(write(tmp_path, {**GOOD, "submissions/A.csv": same}))
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED


@pytest.mark.parametrize("first", ["Pos", "pos ", "mixed"])
@pytest.mark.parametrize("gold", ["pos\nneg\nneg\npos\n", "id,label\n1,pos\n2,neg\n3,neg\n4,pos\n"])
def test_a_first_line_that_is_no_known_name_is_not_taken_for_a_header(first, gold, tmp_path):
    """It may be a misspelt label, and every answer below it would shift: like one, it is not offered as a header."""
    root = write(
        tmp_path, {"gold.csv": gold, "submissions/A.txt": f"{first}\npos\nneg\nneg\nneg\n"}
    )
    issue = refusal(root)[0]
    assert (issue.slug, issue.lines) == ("line-count", (1,))
    assert first in issue.found
    assert ("header = true" in issue.remedy) == (first == "mixed")
    write(root, {"task.toml": "[submissions]\nheader = true\n"})
    assert not read_campaign(root).issues


TWINS = {
    "a blank": (
        "neu\nneg\nneu \nneg\nneu\n",
        (3,),
        ["“neu ”", "“neu”"],
        'labels = ["neg", "neu", "neu "]',
    ),
    "case": (
        "Pos\nneg\npos\nneg\npos\n",
        (1,),
        ["“Pos”", "“pos”"],
        'labels = ["Pos", "neg", "pos"]',
    ),
    "both": (
        "POS\nneg\npos\n pos\npos\n",
        (1, 4),
        ["“POS”", "“ pos”"],
        'labels = [" pos", "POS", "neg", "pos"]',
    ),
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("case", TWINS)
def test_gold_labels_that_nearly_are_one_have_to_be_corrected_or_declared(case, tmp_path):
    """They are named with the lines of the rarer; as declared labels they are classes."""
    content, lines, names, declared = TWINS[case]
    reading = '[gold]\nformat = "lines"\nheader = false\n'
    root = write(
        tmp_path, {"gold.txt": content, "task.toml": reading, "submissions/A.txt": content}
    )
    (issue,) = refusal(root)
    assert (issue.slug, issue.file, issue.lines, issue.count) == (
        "ambiguous-reading",
        "gold.txt",
        lines,
        len(lines),
    )
    assert all(name in issue.found for name in names)
    assert declared in issue.remedy
    write(root, {"task.toml": f"{declared}\n{reading}"})
    campaign = read_campaign(root)
    assert (campaign.submissions[0].codes == campaign.gold.codes).all()


NO_ANSWERS = {
    "only a header": ("id,label\n", "no line holds an answer"),
    "no labels": ("id,label\n1,\n2,\n3,\n4,\n", "4 lines without a label"),
    "capitals": (
        "id,label\n1,1st\n2,1ST\n3,1ST\n4,1ST\n",
        "“1ST” is on 3 lines and not in the label set.",
    ),
    "floats": ("id,label\n1,1.0\n2,2.0\n3,1.0\n4,2.0\n", "Did you mean “2”?"),
    "blanks": ("id,label\n1,1 \n2,2 \n3,1 \n4,2 \n", "Did you mean “1”? It ends with a blank."),
}


@pytest.mark.parametrize("case", NO_ANSWERS)
def test_a_submission_without_a_usable_answer_is_no_score_of_zero(case, tmp_path):
    """The one issue says what stands there instead, and what may have been meant."""
    content, found = NO_ANSWERS[case]
    files = {"gold.csv": "id,label\n1,1\n2,2\n3,1\n4,2\n", "submissions/A.csv": content}
    issues = refusal(tmp_path, files)
    assert [issue.slug for issue in issues] == ["no-usable-answer"]
    assert found in issues[0].found


def test_one_object_on_one_line_is_json_lines_with_one_item(tmp_path):
    """Where its fields are an id and a label."""
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": GOLD, "submissions/A.json": '{"id": 2, "label": "no"}\n'})
    )
    assert campaign.submissions[0].codes.tolist() == [MISSING, NO, MISSING, MISSING]


def test_ids_that_gold_does_not_know_at_all_are_one_issue(tmp_path):
    """With the first ids of both sides, and without a word on items that none of them can name."""
    (issue,) = refusal(
        tmp_path, {**GOOD, "submissions/A.csv": "id,label\na1,no\na2,no\na3,no\na4,yes\n"}
    )
    assert (issue.slug, issue.count, issue.lines) == ("unknown-item", 4, (2, 3, 4, 5))
    assert "“a1”" in issue.items
    assert "“1”" in issue.items
    assert "“" not in issue.found


@pytest.mark.parametrize("names", ["y_true,y_pred", "gold,prediction"])
def test_a_copy_of_gold_that_is_called_so_is_no_rival_of_a_prediction(names, tmp_path):
    """The names say which is which, and the answers are read."""
    both = f"id,{names}\n1,no,no\n2,yes,no\n3,no,no\n4,yes,yes\n"
    campaign = read_campaign(write(tmp_path, {**GOOD, "submissions/A.csv": both}))
    assert campaign.submissions[0].codes.tolist() == AS_ANSWERED


def test_a_column_of_golds_own_name_is_a_rival_of_a_prediction(tmp_path):
    """Teams copy the column name of the gold file: which of the two holds the answers is not for a program to guess."""
    both = "id,gold,prediction\n1,no,no\n2,yes,no\n3,no,no\n4,yes,yes\n"
    files = {
        **GOOD,
        "gold.csv": GOOD["gold.csv"].replace("id,label", "id,gold"),
        "submissions/A.csv": both,
    }
    assert "ambiguous-reading" in {issue.slug for issue in refusal(tmp_path, files)}


def test_of_very_many_columns_that_fit_none_is_tried(tmp_path):
    """The issue asks for a name instead, and the name does."""
    names = [f"m{number}" for number in range(150)]
    rows = [",".join([item, *["no" if item != "4" else "yes"] * 150]) for item in "1234"]
    root = write(
        tmp_path,
        {"gold.csv": GOLD, "submissions/A.csv": "\n".join([",".join(["id", *names]), *rows])},
    )
    assert "columns “m0”, “m1”, “m2”, “m3” or 146 more can hold labels" in refusal(root)[0].found
    write(root, {"task.toml": '[submissions]\nlabel = "m7"\n'})
    assert read_campaign(root).submissions[0].codes.tolist() == AS_ANSWERED
