"""Tag sequences: gold per line, submissions per token, or the other way round."""

import pytest

from audit.domain import Feature
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import refusal, write

GOLD = [["O", "B-PER", "I-PER"], ["O"], ["B-LOC", "O", "O", "O"]]
TAGS = [["O", "B-PER", "O"], ["B-LOC"], ["B-LOC", "O", "O", "I-PER"]]
WORDS = [["by", "Ada", "Lovelace"], ["yes"], ["Paris", "is", "a", "is"]]
LABELS = ("B-LOC", "B-PER", "I-PER", "O")
CODES = [LABELS.index(tag) for sequence in TAGS for tag in sequence]
TOKENS = 'kind = "classes"\n'


def per_line(sequences):
    """A sequence of tags per line."""
    return "".join(" ".join(tags) + "\n" for tags in sequences)


def per_token(sequences, between="\t", end="\n"):
    """A token and its tag per line, a blank line behind each sequence."""
    pairs = [zip(words, tags, strict=False) for words, tags in zip(WORDS, sequences, strict=True)]
    return "".join("".join(f"{word}{between}{tag}\n" for word, tag in rows) + end for rows in pairs)


SUBMISSIONS = {
    "sequences": per_line(TAGS),
    "sequences with blank lines": per_line(TAGS).replace("\n", "\n\n"),
    "tokens by tabs": per_token(TAGS),
    "tokens by blanks": per_token(TAGS, "  "),
    "tokens with further columns": per_token(TAGS, " NN x "),
    "tokens without boundaries": per_token(TAGS, end=""),
    "tags alone": "\n".join("".join(f"{tag}\n" for tag in tags) for tags in TAGS),
    "CRLF": per_token(TAGS).replace("\n", "\r\n"),
}
GOLDS = {
    "sequences": per_line(GOLD),
    "tokens": per_token(GOLD),
    "tokens by blanks": per_token(GOLD, " "),
}


@pytest.mark.parametrize("gold", GOLDS)
@pytest.mark.parametrize("how", SUBMISSIONS)
def test_every_token_is_an_item_however_the_tags_are_written(gold, how, tmp_path):
    """On both sides, and recognised on both."""
    files = {
        "gold.txt": GOLDS[gold],
        "submissions/A.txt": SUBMISSIONS[how],
        "task.toml": TOKENS,
    }
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.labels == LABELS
    assert campaign.gold.codes.tolist() == [LABELS.index(tag) for tags in GOLD for tag in tags]
    assert campaign.submissions[0].codes.tolist() == CODES
    assert not campaign.issues


@pytest.mark.parametrize("gold", GOLDS)
@pytest.mark.parametrize("how", SUBMISSIONS)
def test_the_formats_can_be_stated(gold, how, tmp_path):
    """And then nothing is left to assume but the label set."""
    name = "tokens" if "to" in gold else "sequences"
    of_gold = f'[gold]\nformat = "{gold.split()[0]}"\n'
    name = "sequences" if how.startswith("sequences") else "tokens"
    files = {
        "gold.txt": GOLDS[gold],
        "submissions/A.txt": SUBMISSIONS[how],
        "task.toml": f'{TOKENS}{of_gold}[submissions]\nformat = "{name}"\n',
    }
    assert read_campaign(write(tmp_path, files)).submissions[0].codes.tolist() == CODES


def test_the_column_of_the_tags_can_be_stated(tmp_path):
    """By its number, where the last is another."""
    tokens = per_token(TAGS).replace("\n", "\t.5\n").replace("\n\t.5\n", "\n\n")
    toml = '[gold]\nformat = "sequences"\n[submissions]\nformat = "tokens"\ndelimiter = "tab"\nlabel = 2\n'
    files = {"gold.txt": per_line(GOLD), "submissions/A.txt": tokens, "task.toml": TOKENS + toml}
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.submissions[0].codes.tolist() == CODES
    assert not [sentence for sentence in campaign.task.assumptions if "submission" in sentence]


def test_tags_are_spans_where_nobody_says_tokens(tmp_path):
    """As the plain door reads them; what is scored is said among the assumptions."""
    files = {"gold.txt": per_token(GOLD), "submissions/A.txt": per_token(TAGS)}
    campaign = read_campaign(write(tmp_path, files))
    assert campaign.task.label_set.supports(Feature.BOUNDARIES)
    assert campaign.task.label_set.labels[:2] == ("LOC", "PER")
    said = (
        'gold.txt: tags mark spans, which are scored; kind = "classes" in task.toml scores tokens.'
    )
    assert said in campaign.task.assumptions


@pytest.mark.parametrize(
    "line",
    [
        'kind = "classes"',
        'labels = ["O", "B-LOC", "B-PER", "I-PER"]',
        'rest_label = "O"',
        'official_metric = "accuracy"',
    ],
)
def test_what_only_classes_have_says_that_tokens_are_scored(line, tmp_path):
    files = {"gold.txt": per_token(GOLD), "submissions/A.txt": per_token(TAGS)}
    campaign = read_campaign(write(tmp_path, {**files, "task.toml": f"{line}\n"}))
    assert campaign.gold.n_items == len(CODES)
    assert not campaign.task.label_set.supports(Feature.UNITS)


SHORTER = [TAGS[0], TAGS[1], TAGS[2][:-1]]
LONGER = [[*TAGS[0], "O"], *TAGS[1:]]
OF_OTHER_LENGTHS = {
    "a tag too few": (per_line(SHORTER), [(3,)], "sequence 3 has 3 tags, and 4 in gold"),
    "a tag too many": (per_line(LONGER), [(1,)], "sequence 1 has 4 tags, and 3 in gold"),
    "one moved to another sequence": (
        per_line([*LONGER[:2], SHORTER[2]]),
        [(1,), (3,)],
        "sequence 1 has 4 tags",
    ),
    "a token too few": (per_token(SHORTER), [(7,)], "sequence 3 has 3 tags, and 4 in gold"),
}


@pytest.mark.parametrize("case", OF_OTHER_LENGTHS)
def test_a_sequence_of_another_length_is_named_with_its_line(case, tmp_path):
    """Even where the numbers of all tags agree."""
    text, lines, found = OF_OTHER_LENGTHS[case]
    issues = refusal(tmp_path, {"gold.txt": per_line(GOLD), "submissions/A.txt": text})
    assert [(issue.slug, issue.lines) for issue in issues] == [("line-count", at) for at in lines]
    assert found in issues[0].found


def test_a_sequence_too_few_or_too_many_is_one_issue(tmp_path):
    """With the first sequence that differs."""
    for text, slug, lines in (
        (per_line([TAGS[0], TAGS[2]]), "line-count", (2,)),
        (per_line([TAGS[0], TAGS[2], *TAGS[1:]]), "line-count", (2,)),
        (per_line(TAGS[:2]), "line-count", ()),
    ):
        (issue,) = refusal(tmp_path, {"gold.txt": per_line(GOLD), "submissions/A.txt": text})
        assert (issue.slug, issue.lines) == (slug, lines)
        assert "for 3 in gold" in issue.found


def test_without_boundaries_the_number_of_tags_counts(tmp_path):
    """One side alone has sequences then."""
    text = per_token(SHORTER, end="")
    (issue,) = refusal(tmp_path, {"gold.txt": per_line(GOLD), "submissions/A.txt": text})
    assert (issue.slug, issue.found) == ("line-count", "7 tags for 8 gold items")


def test_a_line_of_another_width_is_named(tmp_path):
    """A token without its tag."""
    text = per_token(TAGS).replace("Lovelace\tO", "Lovelace")
    issues = refusal(tmp_path, {"gold.txt": per_line(GOLD), "submissions/A.txt": text})
    assert [(issue.slug, issue.lines) for issue in issues] == [("wrong-columns", (3,))]
