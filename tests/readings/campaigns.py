"""Campaigns in memory: a few teams, few classes, with everything that can be undefined."""

import numpy as np
from hypothesis import strategies as st

from audit.domain import Campaign, Gold, LabelSet, Prevalence, Submission, Task, code_dtype


def campaign(gold, predictions, labels=("a", "b", "c"), **task):
    """A campaign from label codes: C is a missing answer, C + 1 one with a label outside the label set."""
    label_set = LabelSet(tuple(labels))
    dtype = code_dtype(len(label_set))
    return Campaign(
        Task(task.pop("slug", "task"), "A task", label_set, **task),
        Gold(label_set, np.array(gold, dtype=dtype)),
        tuple(
            Submission(
                team,
                np.array(given, dtype=dtype),
                unusable_labels=_strays(team, given, len(label_set)),
            )
            for team, given in predictions.items()
        ),
    )


def _strays(team, given, n_classes):
    """Labels outside the label set: one that all share, and from two such items on one of the team's own."""
    n_items = sum(code > n_classes for code in given)
    shared = (("stray", 1),) if n_items else ()
    return shared if n_items < 2 else (*shared, (f"stray of {team}", n_items - 1))


@st.composite
def campaigns(draw, fewest_teams=1):
    """Two to four classes of which gold has two or more, one to four teams, a named prevalence."""
    n_classes = draw(st.integers(2, 4))
    in_gold = draw(
        st.lists(st.integers(0, n_classes - 1), min_size=2, max_size=n_classes, unique=True)
    )
    gold = in_gold + draw(st.lists(st.sampled_from(in_gold), max_size=12))
    answers = st.lists(st.integers(0, n_classes + 1), min_size=len(gold), max_size=len(gold))
    given = draw(st.lists(answers, min_size=fewest_teams, max_size=4))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(in_gold), max_size=len(in_gold)))
    labels = "abcd"[:n_classes]
    shares = tuple(
        (labels[code], weight / sum(weights)) for code, weight in zip(in_gold, weights, strict=True)
    )
    predictions = {f"T{number}": team for number, team in enumerate(given)}
    return campaign(gold, predictions, labels, prevalences=(Prevalence("named", shares),))
