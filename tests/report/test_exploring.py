"""Class distributions, rules and witnesses of the report against the values that they come from."""

import json
import re
from dataclasses import replace

import pytest

import audit
from audit.document import Listing
from audit.domain import ScoreKey
from audit.metrics import Holds
from audit.metrics.witnesses import demonstrate, holds
from audit.questions.distributions import map_blocks
from audit.ranking.nearest import winner_map
from audit.report.page import document_of
from audit.writers.data.export import evaluation_data, to_json
from audit.writers.html import render_html

from . import campaigns
from .document import grid
from .parts import every, fold_of, section_of, sentences, table_of


def three(official_metric="averaged_f1", **options):
    """Four teams, each good at another class, and one that is good at all."""
    names = [f"class {code}" for code in range(3)]
    return campaigns.random_evaluation(
        5, 600, 3, labels=names, quality=(0.7, 0.6), official_metric=ScoreKey(official_metric), **options
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
    ranked = audit.evaluate(gold, answers, certainty=False, official_metric="mean_rank(accuracy,mcc)")
    scored = audit.evaluate(
        gold, answers, certainty=False, scored_label="b", item_scores={"A": [0.1, 0.2, 0.9, 0.8, 0.3, 0.7]}
    )
    assert unmoved(ranked, "macro_recall") == "Macro recall does not depend on the class distribution."
    assert unmoved(ranked, "mean_rank(accuracy,mcc)").endswith("is not computed for a mean of ranks.")
    assert unmoved(scored, "average_precision").endswith("is not computed for a score of single items.")
    assert unmoved(ranked, "accuracy").startswith("Nobody else could win")


# Sentences and tables


def test_the_answer_has_the_shares_of_the_map(flood):
    """As percentages, of the winner."""
    found, (answer, *_) = flood.winner_map, said(flood)
    assert f"wins under {found.holds_nearby:.0%} of the class distributions close to the test set’s" in answer
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
    """The spotless campaign: one region, no nearest change, one winner by every rule."""
    evaluation = campaigns.spotless_evaluation()
    document = document_of(evaluation)
    assert said(evaluation)[0] == "No: first wins under every class distribution that was drawn"
    elections = table_of(document, "table-elections")
    assert elections.caption == "By every rule that names one winner, first is first, over 10 metrics."
    assert [row[0] for row in table_of(document, "table-held-by-team").texts] == ["first"]


def test_the_rules_on_the_page_are_those_of_the_json(flood, flood_page):
    """Every value of every rule, and who wins is bold."""
    data = evaluation_data(flood)["elections"]
    table = grid(flood_page, "table-elections")
    by_team = {row[0]: dict(zip(table.heads[1:], row[1:], strict=True)) for row in table.rows}
    titles = ["Pareto front", "Condorcet winner", "Copeland", "Borda", "Mean rank", "Meta balance"]
    for rule, title in zip(data["rules"], titles, strict=True):
        for team, value in rule["values"].items():
            printed = by_team[team][title]
            if value is None:
                assert printed == "–"
            elif printed != "yes":
                assert float(printed.replace("−", "-")) == pytest.approx(value, abs=0.006)


def test_metrics_that_vote_alike_are_named():
    """In a balanced gold all answered, accuracy and macro recall are one metric with two votes."""
    evaluation = audit.evaluate(list("aabb"), {"X": list("aaba"), "Y": list("abbb")}, certainty=False)
    assert any("Acc ≡ MacR" in sentence for sentence in sentences(fold_of(document_of(evaluation), "winners")))


def test_nobody_is_crowned_where_nobody_takes_a_rank():
    """A campaign of baselines only."""
    evaluation = campaigns.spotless_evaluation()
    idle = replace(evaluation, entries=tuple(replace(entry, competes=False) for entry in evaluation.entries))
    idle = idle.given(winner_map=winner_map(idle))
    document = document_of(idle)
    assert section_of(document, "class-distributions") is None
    assert table_of(document, "table-elections").caption == "No rule names a winner."
    assert sentences(fold_of(document, "winners"))[0] == "Pareto front: nobody."
    assert all("no case was found here" in sentence for _, sentence in witnesses_of(idle))


def witnesses_of(evaluation):
    """What is said of lacking properties: of each the link and the sentence."""
    listings = every(fold_of(document_of(evaluation), "properties"), Listing)
    return [(metric.href, sentence) for listing in listings for metric, sentence in listing.items]


def test_every_lack_that_shows_is_told(flood):
    """A sentence for each, under the metric's own link, which says where none was found; the table has marks."""
    found = demonstrate(flood)
    lacking = [each for each in found if holds(each) is not Holds.YES]
    told = witnesses_of(flood)
    assert [href for href, _ in told] == [f"#metric-{each.metric}" for each in lacking]
    without = sum(each.witness is None for each in lacking)
    assert sum("no case was found here." in sentence for _, sentence in told) == without
    cells = [cell for row in table_of(document_of(flood), "table-properties").texts for cell in row[1:]]
    assert len(cells) == len(found)
    assert sum(cell.startswith(Holds.YES.value) for cell in cells) == sum(holds(each) is Holds.YES for each in found)


def test_printed_scores_of_a_witness_differ_by_the_printed_change(flood):
    """A reader who subtracts them finds what stands there."""
    for _, sentence in witnesses_of(flood):
        match = re.search(r"would (rise|fall) by (\S+), from (\S+) to (\S+), with", sentence)
        if match:
            by, before, after = (float(number.replace("−", "-")) for number in match.groups()[1:])
            assert abs(after - before) == pytest.approx(by, abs=1e-9)


def test_chance_classifiers_are_described():
    """One that always gives a class, one that gives each alike, one that follows gold."""
    told = []
    for evaluation in (three("accuracy"), campaigns.random_evaluation(2, 100, 2)):
        told += [sentence for _, sentence in witnesses_of(evaluation)]
    assert any("A classifier that always answers “class 0”" in sentence for sentence in told)
    assert any("as often as gold has it" in sentence for sentence in told)


def test_the_json_has_what_the_page_has(flood):
    """The map, the rules, and the witnesses with their confusions, every number exactly."""
    data = json.loads(to_json(evaluation_data(flood)))
    found = flood.winner_map
    assert data["class_distributions"]["uniform"] == dict(zip(flood.names, found.uniform.tolist(), strict=True))
    assert data["class_distributions"]["nearest_change"]["total_variation"] == found.nearest.distance
    assert data["class_distributions"]["holds_uniform"]["share"] == found.holds_uniform
    assert [each["holds"] for each in data["properties"]] == [holds(each).words for each in demonstrate(flood)]
    for each, ours in zip(data["properties"], demonstrate(flood), strict=True):
        assert (each["witness"] is None) == (ours.witness is None)
        if ours.witness is not None:
            assert [one["score"] for one in each["witness"]["compared"]] == ours.witness.scores.tolist()
            assert [one["confusion"] for one in each["witness"]["compared"]] == ours.witness.confusions.tolist()
