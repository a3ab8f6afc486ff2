"""Files of tokens: which tokens a sequence has where blank lines are missing, and how tags are written."""

import pytest
from seqeval.metrics import f1_score

from audit.domain import ScoreKey
from audit.domain.tags import STANDARD, TagScheme, scheme_of
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import check_submission, read_key
from audit.formats.files.tree import Tree

KIND = 'kind = "sets"\n'
GOLD = "Ada B-PER\nran O\n\nBob B-PER\nsat O\nin O\nRome B-LOC\n"
TEAM = "Ada B-PER\nran O\nBob B-LOC\nsat O\nin O\nRome B-LOC\n"


def campaign(folder, gold, team, text=KIND):
    """The campaign of two files of tokens."""
    (folder / "submissions").mkdir(parents=True)
    for name, content in (("gold.txt", gold), ("submissions/x.txt", team), ("task.toml", text)):
        (folder / name).write_text(content, encoding="utf-8")
    return read_campaign(folder)


def micro_f1(read):
    """The only team's micro F1."""
    (score,) = evaluate(read).scores_of(ScoreKey("micro_f1")).tolist()
    return score


def tags_of(text):
    """The tags of each sequence."""
    return [[line.split()[-1] for line in block.splitlines()] for block in text.split("\n\n")]


@pytest.mark.parametrize(
    "team",
    [
        TEAM,
        TEAM.replace("sat O\n", "sat O\n\n"),
        TEAM.replace("\n", "\n\n"),
        TEAM.replace("Bob", " \t\nBob"),
        TEAM.replace("\n", "\r\n"),
        "\n".join(f"{n} {line}" for n, line in enumerate(TEAM.splitlines(), 1)) + "\n",
    ],
    ids=["none", "elsewhere", "everywhere", "of blanks", "none, CRLF", "none, numbered"],
)
def test_blank_lines_of_gold_hold_for_a_team_that_has_gold_tokens(tmp_path, team):
    """Its spans are those that seqeval finds in gold's sequences; that gold's hold is said once."""
    read = campaign(tmp_path, GOLD, team)
    gold, tags = tags_of(GOLD), [line.split()[-1] for line in TEAM.splitlines()]
    assert micro_f1(read) == pytest.approx(f1_score(gold, [tags[:2], tags[2:]]))
    (submission,) = read.submissions
    has_gold_lines = team == TEAM.replace("Bob", " \t\nBob")
    notes = [issue for issue in submission.issues if "gold’s blank lines hold" in issue.found]
    entries = [entry for entry in read.journal if "gold’s blank lines hold" in entry.text]
    assert (len(notes), len(entries)) == ((0, 0) if has_gold_lines else (1, 1))


def test_a_span_ends_where_a_sequence_of_gold_does(tmp_path):
    """Though the team's file goes on."""
    gold = "Ada B-PER\n\nBob I-PER\nsat O\n"
    team = "Ada B-PER\nBob I-PER\nsat O\n"
    assert (
        micro_f1(campaign(tmp_path, gold, team, f'{KIND}[policies]\ngold_copy = "accept"\n')) == 1
    )


@pytest.mark.parametrize(
    "team", [TEAM.replace("Bob", "Bab"), TEAM.replace("sat O\n", "sat O\n\n").replace("Bob", "B")]
)
def test_a_team_of_other_tokens_needs_blank_lines_of_gold(tmp_path, team):
    """Which sequence its spans are in is open."""
    with pytest.raises(InputError) as refused:
        campaign(tmp_path, GOLD, team)
    assert {issue.slug for issue in refused.value.issues} == {"line-count"}


def test_other_tokens_in_the_same_sequences_are_counted(tmp_path):
    """Aligned by position."""
    read = campaign(tmp_path, GOLD, GOLD.replace("Bob B-PER", "BOB B-LOC"))
    (issue,) = read.submissions[0].issues
    assert "1 token of 6 written otherwise than in gold" in issue.found
    assert micro_f1(read) == pytest.approx(2 / 3)


def test_tags_without_tokens_are_read_by_their_number_alone(tmp_path):
    """With no blank line; blank lines elsewhere are refused, as nothing says that the tokens are gold's."""
    tokens = f'{KIND}[gold]\nformat = "tokens"\n[submissions]\nformat = "tokens"\n'
    tags = "".join(f"{line.split()[-1]}\n" for line in TEAM.splitlines())
    assert micro_f1(campaign(tmp_path / "none", GOLD, tags, tokens)) == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="sequence 1 has 5 tags, and 2 in gold"):
        campaign(
            tmp_path / "elsewhere", GOLD, tags[:15] + tags[15:].replace("O\n", "O\n\n", 1), tokens
        )


def test_a_token_too_few_is_refused(tmp_path):
    """Never filled up."""
    with pytest.raises(InputError, match="5 tags for 6 gold items"):
        campaign(tmp_path, GOLD, TEAM.replace("in O\n", ""))


def test_single_labels_of_tokens_are_aligned_as_spans_are(tmp_path):
    """By their order; where no blank line is there at all, nothing depends on it, and nothing is said."""
    elsewhere = campaign(
        tmp_path / "elsewhere",
        GOLD,
        TEAM.replace("sat O\n", "sat O\n\n"),
        'kind = "classes"\n[gold]\nformat = "tokens"\n',
    )
    assert evaluate(elsewhere).scores_of(ScoreKey("accuracy")).tolist() == [5 / 6]
    assert any(
        "gold’s blank lines hold" in issue.found for issue in elsewhere.submissions[0].issues
    )
    none = campaign(tmp_path / "none", GOLD, TEAM, 'kind = "classes"\n[gold]\nformat = "tokens"\n')
    assert evaluate(none).scores_of(ScoreKey("accuracy")).tolist() == [5 / 6]
    assert none.submissions[0].issues == ()


@pytest.mark.parametrize("kind", [KIND, ""])
def test_one_file_is_checked_as_it_is_loaded(tmp_path, kind):
    """Blank lines and all."""
    text = f'{kind}[gold]\nformat = "tokens"\n'
    campaign(tmp_path, GOLD, TEAM, text)
    with Tree(tmp_path) as tree:
        key = read_key(tree)
    checked = check_submission("x.txt", TEAM.replace("sat O\n", "sat O\n\n").encode(), key)
    assert checked.is_accepted
    assert any("gold’s blank lines hold" in issue.found for issue in checked.issues)


BIO = "Ada B-PER\nLo I-PER\nsat O\n\nBob B-LOC\nand O\nCy B-PER\n"
GUESS = "Ada B-PER\nLo O\nsat O\n\nBob B-LOC\nand O\nCy B-PER\n"
WRITTEN = {
    "B_X": lambda tag: tag.replace("-", "_"),
    "B:X": lambda tag: tag.replace("-", ":"),
    "X-B": lambda tag: "-".join(reversed(tag.split("-"))),
    "X_B": lambda tag: "_".join(reversed(tag.split("-"))),
}


def rewritten(text, write):
    """The file with each tag written otherwise."""
    pairs = [line.split() for line in text.split("\n")]
    return "\n".join(f"{pair[0]} {write(pair[1])}" if pair else "" for pair in pairs)


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_tags_that_are_joined_otherwise_on_both_sides_mark_the_same_spans(tmp_path, write):
    """Micro F1 .667 for two of three spans, and not .727 for tags that are taken for types."""
    read = campaign(tmp_path, rewritten(BIO, write), rewritten(GUESS, write))
    assert read.task.label_set.labels == ("LOC", "PER", "nothing")
    assert (
        micro_f1(read)
        == pytest.approx(f1_score(tags_of(BIO), tags_of(GUESS)))
        == pytest.approx(2 / 3)
    )


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_tags_that_a_team_alone_joins_otherwise_are_no_usable_answer(tmp_path, write):
    """Not 0."""
    with pytest.raises(InputError, match="no label of gold in 3 things") as refused:
        campaign(tmp_path, BIO, rewritten(GUESS, write))
    assert [issue.slug for issue in refused.value.issues] == ["no-usable-answer"]
    assert "“LOC” or “PER”" in refused.value.issues[0].expected


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ({"O", "B-PER", "I-PER"}, STANDARD),
        ({"O", "B-PER", "S-LOC", "M-PER"}, STANDARD),
        ({"O", "B_PER", "I_PER"}, TagScheme("_")),
        ({"PER-B", "PER-I"}, TagScheme(is_suffix=True)),
        ({"B_cell", "I_band"}, None),
        ({"O"}, None),
        ({"B_I", "I_I", "B_B"}, None),
        ({"PER", "LOC", "O"}, None),
    ],
)
def test_a_scheme_is_told_by_all_tags(tags, scheme):
    """None where they are none, or could be of two."""
    assert scheme_of(tags) == scheme


def test_words_that_are_no_tags_are_no_spans(tmp_path):
    """Unless task.toml says that each is one."""
    words = "joy and trust\nfear joy\nand fear fear fear\n"
    with pytest.raises(InputError, match="read as sequences of tags"):
        campaign(tmp_path / "asked", words, words.replace("joy", "fear"))
    read = campaign(
        tmp_path / "stated", words, words.replace("joy", "fear"), f'{KIND}[sets]\nform = "tags"\n'
    )
    assert read.task.label_set.labels == ("and", "fear", "joy", "trust", "nothing")
