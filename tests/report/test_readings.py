"""The section on readings says what the macro F1 audit found, whatever teams and labels are called."""

from dataclasses import replace

from audit.readings import audit_macro_f1
from audit.readings.macro_f1_wording import definition, shown_groups, statements, team_names
from audit.report.page import document_of
from audit.writers.html import render_html

from .campaigns import random_evaluation, spotless_evaluation
from .document import read
from .parts import fold_of, sentences, table_of


def test_the_section_has_the_audits_rows_and_sentences():
    """Winner by reading with the reading's signature at hand, the statements, and the sentence for the paper."""
    evaluation = random_evaluation(6, 300, 4)
    audit, labels = audit_macro_f1(evaluation), evaluation.task.label_set
    document = document_of(evaluation)
    fold = fold_of(document, "readings")
    table, (_, *said, for_paper) = table_of(document, "table-readings"), sentences(fold)
    shown = shown_groups(audit, 6)
    assert len(shown) == 6
    assert [row[1].text for row in table.rows] == [
        team_names(audit, group.winners, limit=3) for group in shown
    ]
    assert [row[0].title for row in table.rows] == [str(group.reading) for group in shown]
    assert said == list(statements(audit, labels))
    assert for_paper == f"For the paper: {definition(audit.base, labels, 4)}"
    assert bool(table.note) == (len(shown) < len(audit.groups))


def test_other_winners_stand_out():
    """In bold where the winner is another than by the first row; nowhere where there is none."""
    for evaluation in (random_evaluation(8, 120, 3, quality=(0.55, 0.45)), spotless_evaluation()):
        audit = audit_macro_f1(evaluation)
        table = table_of(document_of(evaluation), "table-readings")
        first = table.rows[0][1].text
        assert all((row[1].style == "best") == (row[1].text != first) for row in table.rows)
        said = "Every reading has the same winner" in table.caption
        assert said == (len({group.winners for group in audit.groups}) == 1)


def test_the_section_is_rendered_for_a_hostile_campaign(hostile):
    """Labels and names are text in it, as everywhere."""
    section = read(render_html(hostile)).by_id("readings")
    audit = audit_macro_f1(hostile)
    shown = [" ".join(item.text.split()) for item in section.all("li")]
    assert shown == [" ".join(text.split()) for text in statements(audit, hostile.task.label_set)]
    assert not section.all("script")


def test_without_a_ranked_entry_there_is_no_section():
    evaluation = replace(random_evaluation(3, 60, 2), answers=None)
    assert fold_of(document_of(evaluation), "readings") is None
    assert 'id="readings"' not in render_html(evaluation)
