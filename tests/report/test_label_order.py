"""Whether the order of labels on a scale matters: the section, the verdict's row, and what JSON has of it."""

import audit
from audit.domain import ScoreKey, State
from audit.report import scale
from audit.report.page import document_of
from audit.report.printing import printing
from audit.writers.data.export import evaluation_data
from audit.writers.html import render_html

GOLD = list("1122333") * 30
TEAMS = {"Far": list("1122311") * 30, "Near": list("1223332") * 30}


def evaluated(**settings):
    return audit.evaluate(GOLD, TEAMS, labels=list("123"), **settings)


def test_the_section_says_who_is_first_where_labels_are_names_and_where_they_are_a_scale():
    """Accuracies are 150 and 120 of 210; mean absolute errors 4/7 and 3/7, the other way round."""
    evaluation = evaluated(official_metric="accuracy", scale=True)
    section = scale.section(printing(evaluation))
    assert section.answer[0].startswith("Different winner, each significant under its own metric: ")
    (winners,) = section.blocks
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in winners.rows}
    assert rows["Accuracy"] == ["names", "Far", ".714", "Near", ".571", ".143", "–"]
    assert rows["Mean absolute error"][:6] == ["a scale", "Near", ".429", "Far", ".571", ".143"]
    assert (
        rows["Mean absolute error"][6] == "different winner, each significant under its own metric"
    )
    assert (
        section.answer[1]
        == "On the scale the labels stand in this order, the lowest first: “1”, “2” and “3”."
    )
    assert section.answer[2] == "Far: 0 of 60 wrong answers are one step from gold."
    assert 'id="label-order"' in render_html(evaluation)


def test_the_verdict_has_a_row_of_it_and_data_the_states():
    evaluation = evaluated(official_metric="quadratic_kappa", scale=True)
    (row,) = (row for row in evaluation.verdict.depends_on if row.choice == "scale")
    assert row.title == "Order of the labels"
    assert row.first.startswith(
        "Far wins under each of ten other metrics (nine significantly: accuracy, macro recall, "
    )
    assert row.state is State.OTHER_SHOWN
    (of_scales,) = (row for row in evaluation.verdict.depends_on if row.choice == "metric")
    assert of_scales.first.startswith("of seven other metrics, Near wins under ")
    assert "; Far wins under closeness evaluation measure" in of_scales.first
    assert "winner-depends-on-label-order" in {flag.slug for flag in evaluation.flags}
    data = evaluation_data(evaluation)
    assert data["scale"] == [0, 1, 2]
    kinds = [change.kind for change in evaluation.certainty.changes]
    assert (kinds.count("scale"), kinds.count("metric")) == (10, 8)
    change = next(
        each for each in evaluation.certainty.changes if each.keys[1] == ScoreKey("accuracy")
    )
    assert (change.kind, change.state) == ("scale", State.OTHER_SHOWN)


def test_without_a_scale_there_is_no_such_question():
    evaluation = evaluated(official_metric="accuracy")
    assert scale.section(printing(evaluation)) is None
    assert "label-order" not in {section.id for section in document_of(evaluation).sections}


def test_where_all_scores_have_one_winner_the_order_does_not_matter():
    answers = {"Good": [*GOLD[:-1], "2"], "Bad": list("2312123") * 30}
    evaluation = audit.evaluate(
        GOLD, answers, labels=list("123"), scale=True, official_metric="accuracy"
    )
    section = scale.section(printing(evaluation))
    assert section.answer[0].startswith("Same winner, significant: Good wins under each of ")
    assert section.blocks[0].caption == "1 team ranks first by each of these scores."
