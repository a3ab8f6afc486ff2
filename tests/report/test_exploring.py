"""Class distributions of the report against the values that they come from."""

import json
from dataclasses import replace

import audit
from audit.document import ShareBars
from audit.domain import ScoreKey
from audit.metrics import AGGREGATES
from audit.ranking.nearest import winner_map
from audit.ranking.rank_aggregation import default_voters
from audit.report.distributions import map_blocks
from audit.report.page import document_of
from audit.report.rules import elections_blocks
from audit.writers.data.export import evaluation_data, to_json
from audit.writers.html import render_html

from . import campaigns
from .parts import every, section_of, sentences


def three(official_metric="averaged_f1", **options):
    """Four teams, each good at another class, and one that is good at all."""
    names = [f"class {code}" for code in range(3)]
    return campaigns.random_evaluation(
        5,
        600,
        3,
        labels=names,
        quality=(0.7, 0.6),
        official_metric=ScoreKey(official_metric),
        **options,
    )


def said(evaluation):
    """The answer of the section, and what else it says."""
    section = section_of(document_of(evaluation), "class-distributions")
    return *section.answer, *sentences(section)


def unmoved(evaluation, metric):
    """What a command says where there is no map of winners."""
    return map_blocks(evaluation, ScoreKey(metric), (), None)[-1].text


def test_why_there_is_no_map_of_winners_is_said():
    """A metric that no class distribution moves, ranks, scores of items, and nobody else who could win."""
    gold, answers = list("aabbab"), {"A": list("aabbab"), "B": list("aabbaa")}
    ranked = audit.evaluate(
        gold, answers, certainty=False, official_metric="mean_rank(accuracy,mcc)"
    )
    scored = audit.evaluate(
        gold,
        answers,
        certainty=False,
        scored_label="b",
        item_scores={"A": [0.1, 0.2, 0.9, 0.8, 0.3, 0.7]},
    )
    assert (
        unmoved(ranked, "macro_recall") == "Macro recall does not depend on the class distribution."
    )
    assert unmoved(ranked, "mean_rank(accuracy,mcc)").endswith(
        "is not computed for a mean of ranks."
    )
    assert unmoved(scored, "average_precision").endswith(
        "is not computed for a score of single items."
    )
    assert unmoved(ranked, "accuracy").startswith("Nobody else could win")


# Sentences and tables


def test_the_answer_has_the_shares_of_the_map(flood):
    """As percentages, of the winner."""
    found, (answer, *_) = flood.winner_map, said(flood)
    assert (
        f"wins under {found.holds_nearby:.0%} of the class distributions close to the test set’s"
        in answer
    )
    assert answer.endswith(f"and under {found.holds_uniform:.0%} of all")
    assert flood.names[flood.winners(ScoreKey("averaged_f1"))[0]] in answer


def test_a_metric_that_no_class_distribution_moves_is_said_to_be_so():
    """In one sentence."""
    answer, *_ = said(three("macro_recall"))
    assert answer == "No: macro recall does not depend on the class distribution"


def test_of_a_metric_that_states_its_prevalence_the_map_is_said_to_be_of_that():
    """Close to the stated distribution, not to the test set's."""
    evaluation = three()
    calibrated = replace(evaluation.task, official_metric=ScoreKey("averaged_f1", "balanced"))
    evaluation = replace(evaluation, task=calibrated)
    evaluation = evaluation.given(winner_map=winner_map(evaluation))
    answer, *_ = said(evaluation)
    assert "close to the stated one" in answer


def test_one_team_has_no_section():
    """Nobody else could win."""
    evaluation = audit.evaluate(list("aabb"), {"X": list("aaba")}, certainty=False)
    assert section_of(document_of(evaluation), "class-distributions") is None
    assert 'id="class-distributions"' not in render_html(evaluation)


def test_where_nothing_changes_the_page_says_so():
    """The spotless campaign: no nearest change, and no bars, both of which would be one team's."""
    evaluation = campaigns.spotless_evaluation()
    document = document_of(evaluation)
    assert said(evaluation)[0] == "No: first wins under every class distribution that was drawn"
    assert not list(every(document, ShareBars))


def test_nobody_is_crowned_where_nobody_takes_a_rank():
    """A campaign of baselines only."""
    evaluation = campaigns.spotless_evaluation()
    idle = replace(
        evaluation, entries=tuple(replace(entry, competes=False) for entry in evaluation.entries)
    )
    idle = idle.given(winner_map=winner_map(idle))
    document = document_of(idle)
    assert section_of(document, "class-distributions") is None
    (_, outcomes, _) = elections_blocks(idle, default_voters(idle.task.label_set))
    assert outcomes.items[0] == "Pareto front: nobody."


def test_the_json_has_what_the_page_has(flood):
    """The map, every number exactly; and the properties that the registry declares."""
    data = json.loads(to_json(evaluation_data(flood)))
    found = flood.winner_map
    assert data["class_distributions"]["uniform"] == dict(
        zip(flood.names, found.uniform.tolist(), strict=True)
    )
    assert (
        data["class_distributions"]["nearest_change"]["total_variation"] == found.nearest.distance
    )
    assert data["class_distributions"]["holds_uniform"]["share"] == found.holds_uniform
    declared = {(each["metric"], each["property"]): each["holds"] for each in data["properties"]}
    assert len(declared) == 5 * len(AGGREGATES)
    for metric in AGGREGATES:
        assert declared[metric.slug, "monotonic"] == metric.properties.monotonic.words
