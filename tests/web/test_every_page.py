"""Every page, as everybody who may come, over campaigns of many kinds: each answers, and no log has an exception."""

import random

import pytest

from tests.web.walking import hold, read, walk

ITEMS = range(30)


def labelled(seed, labels=("no", "yes")):
    """A file of predictions, or of gold."""
    draw = random.Random(seed)  # noqa: S311 - data of a test
    return "id,label\n" + "".join(f"{item},{draw.choice(labels)}\n" for item in ITEMS)


TWO_RUNS = {
    "gold.csv": labelled(0),
    "submissions/Ann/run1.csv": labelled(1),
    "submissions/Ann/run2.csv": labelled(2),
    "submissions/Ben.csv": labelled(3),
}
CAMPAIGNS = {"a team of two runs": TWO_RUNS}


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_every_page_of_a_campaign_answers_whoever_may_come(house, name):
    campaign = hold(house, CAMPAIGNS[name])
    assert read(house, campaign)
    for role in ("owner", "organiser", "reader"):
        assert walk(house, campaign, role).opened
