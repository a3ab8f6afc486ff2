"""Files of tags whose tokens are gold's but for quotes, or but for a few that they lack."""

import pytest

from audit.formats.align.tokens import unquoted
from audit.formats.campaign.campaigns import read_campaign

from .campaigns import write

TOKENS = ["Ada", "met", "#", '"', "Ben", '"', "in", "Paris", "."] * 10
TAGS = ["B-per", "O", "O", "O", "B-per", "O", "O", "B-loc", "O"] * 10
SPANS = 'kind = "sets"\n'


def lines_of(tokens, tags):
    return "".join(
        f"{word}\t{tag}\n" + "\n" * (word == ".") for word, tag in zip(tokens, tags, strict=True)
    )


def submission(tmp_path, tokens, tags, settings=SPANS):
    """The one submission of a campaign whose gold has these tokens, and the words of its issues."""
    files = {
        "gold.txt": lines_of(TOKENS, TAGS),
        "task.toml": settings + '[policies]\ngold_copy = "accept"\n',
    }
    campaign = read_campaign(
        write(tmp_path, {**files, "submissions/A.txt": lines_of(tokens, tags)})
    )
    (read,) = campaign.submissions
    return campaign, read, [issue.found for issue in read.issues]


def n_right(campaign, read):
    truth = campaign.gold.codes
    return int(((read.codes == truth) & (truth < campaign.task.label_set.n_scored)).sum())


def test_a_token_that_a_file_lacks_is_in_no_span(tmp_path):
    tokens, tags = list(TOKENS), list(TAGS)
    for column in (tokens, tags):
        del column[11]  # the second #
    campaign, read, found = submission(tmp_path, tokens, tags)
    assert n_right(campaign, read) == 30
    assert found == [
        "1 token of gold’s 90 is missing, first “#” behind this line; taken as in no span"
    ]


def test_a_span_whose_token_a_file_lacks_is_missed(tmp_path):
    tokens, tags = list(TOKENS), list(TAGS)
    for column in (tokens, tags):
        del column[13]  # the second Ben
    campaign, read, _ = submission(tmp_path, tokens, tags)
    assert n_right(campaign, read) == 29


def test_where_tokens_are_scored_one_that_is_missing_is_unanswered(tmp_path):
    tokens, tags = list(TOKENS), list(TAGS)
    for column in (tokens, tags):
        del column[11]
    campaign, read, _ = submission(tmp_path, tokens, tags, settings='kind = "classes"\n')
    assert campaign.gold.n_items == 90
    assert int((read.codes == len(campaign.task.label_set)).sum()) == 1


def test_quotes_that_a_program_put_around_tokens_are_no_other_tokens(tmp_path):
    tokens = ['""""' if word == '"' else word for word in TOKENS]
    campaign, read, found = submission(tmp_path, tokens, TAGS)
    assert n_right(campaign, read) == 30
    assert found == ['20 tokens in quotes, like “""""” for gold’s “"”']


def test_many_missing_tokens_are_refused(tmp_path):
    tokens = [word for place, word in enumerate(TOKENS) if place % 9 != 2]
    tags = [tag for place, tag in enumerate(TAGS) if place % 9 != 2]
    with pytest.raises(Exception, match="line-count"):
        submission(tmp_path, tokens, tags)


def test_a_token_that_gold_lacks_is_refused(tmp_path):
    tokens, tags = [*TOKENS[:4], "new", *TOKENS[5:88], *TOKENS[89:]], [*TAGS[:88], *TAGS[89:]]
    with pytest.raises(Exception, match="line-count"):
        submission(tmp_path, tokens, tags)


@pytest.mark.parametrize(
    ("word", "bare"),
    [('""""', '"'), ('"a ""b"""', 'a "b"'), ('"', '"'), ('""', '""'), ('"a"', '"a"'), ("a", "a")],
)
def test_only_doubled_quotes_in_quotes_are_undone(word, bare):
    assert unquoted(word) == bare
