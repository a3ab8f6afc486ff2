"""Analyses are made when somebody asks for them, and once; whoever shows an evaluation computes none."""

import ast
import operator
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import audit.evaluation
from audit.domain import ANALYSES, Evaluation, Kind, Options
from audit.domain.analyses import makers_of
from audit.evaluation import evaluate
from audit.findings.handed_in import chance_levels
from audit.formats.campaign.campaigns import read_campaign
from audit.inference import certainty_analysis, comparison
from audit.report.page import question_blocks
from audit.report.short import show_blocks
from audit.resources import samples
from audit.writers.bundle.archive import evaluation_document
from audit.writers.html import render_html
from audit.writers.latex import paper_files
from audit.writers.terminal import write

from .campaigns import campaign

NAMES = ANALYSES
ROOM = Path(audit.evaluation.__file__).parent
MAKERS = frozenset(
    {"audit_macro_f1", "certainty_of", "chance_baselines", "elect", "elections", "find_flags"}
    | {"identify", "intervals_of", "oracle", "pairs_of", "power_of", "resample"}
)
"""What computes an analysis, or a part of one."""
ENGINE = tuple(
    f"audit.{room}" for room in ("evaluation", "inference", "metrics", "ranking", "readings")
)


def counted() -> tuple[Evaluation, Counter[str]]:
    """A sample's evaluation that counts how often each analysis is made."""
    counts: Counter[str] = Counter()
    evaluation = evaluate(read_campaign(samples() / "flood-posts"))

    def counting(name, make):
        def made(of):
            counts[name] += 1
            return make(of)

        return made

    makers = {name: counting(name, make) for name, make in evaluation.analyses.items()}
    return replace(evaluation, analyses=makers), counts


def test_every_analysis_has_a_function_that_makes_it():
    every = {"predictions": (), "compared": (), "score": None, "published": None, "blocks": None}
    assert makers_of(Kind.CLASSES, every).keys() == set(ANALYSES)


def test_an_analysis_is_made_where_all_that_it_takes_is_at_hand():
    """Without predictions there is no power, and without the wish for certainty none."""
    of_scores = makers_of(Kind.CLASSES, {})
    assert {"verdict", "macro_f1", "agreement"} <= of_scores.keys()
    assert not {"power", "pairs", "slices", "certainty"} & of_scores.keys()
    without_certainty = makers_of(Kind.CLASSES, {"predictions": (), "compared": ()})
    assert "power" in without_certainty
    assert not {"certainty", "kept_answers"} & without_certainty.keys()


def test_an_analysis_is_made_where_the_kind_of_task_has_what_it_needs():
    every = {"predictions": (), "compared": (), "score": None, "published": None, "blocks": None}
    lacking = makers_of(Kind.CLASSES, every).keys() - makers_of(Kind.SPANS, every).keys()
    assert lacking == {"baselines", "winner_map", "spans"}


def test_scores_are_there_without_any_analysis():
    """Who asks for scores and ranks waits for nothing else."""
    evaluation, counts = counted()
    assert evaluation.scores.shape[0] == len(evaluation.names)
    assert evaluation.ranks.notna().any(axis=None)
    assert not counts


def test_the_sentence_of_the_verdict_waits_for_one_comparison(monkeypatch):
    """No interval, no baseline and no other comparison; what the first place depends on brings the others."""
    compared = []
    made = certainty_analysis.compare
    monkeypatch.setattr(
        certainty_analysis,
        "compare",
        lambda of, key, *rest: compared.append(key) or made(of, key, *rest),
    )
    evaluation = evaluate(read_campaign(samples() / "flood-posts"), Options())
    whole = evaluate(read_campaign(samples() / "flood-posts"), Options()).settled().verdict
    compared.clear()
    verdict = evaluation.verdict
    assert (verdict.sentence, verdict.more) == (whole.sentence, whole.more)
    assert compared == [evaluation.task.ranking_metric]
    assert callable(vars(evaluation)["baselines"])  # not computed
    assert verdict == whole
    assert len(compared) > 1


def test_no_answer_without_a_look_is_expected_above_the_bound_of_chance():
    """So the verdict need not compute baselines where somebody is above the bound."""
    rng = np.random.default_rng(3)
    for _ in range(4):
        gold = rng.choice(3, 60, p=[0.6, 0.3, 0.1]).tolist()
        found = evaluate(
            campaign(gold, {"A": rng.integers(0, 3, 60).tolist()}, "abc"), Options(certainty=False)
        )
        of_classes = {"recall", "precision", "f1"}
        for key in (key for key in found.keys if key.metric.split("[")[0] not in of_classes):
            bound, row = chance_levels(found, key)[0], found.row(key)
            chance = [each for each in found.baselines if each.slug != "oracle"]
            assert not any(
                each.values[row] > bound + 5 * each.standard_errors[row] + 1e-9 for each in chance
            ), key


def test_comparisons_multiply_in_one_thread_and_leave_the_number_of_threads_as_it_was(monkeypatch):
    def n_threads():
        return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    inside = []
    made = comparison.draw
    monkeypatch.setattr(
        comparison,
        "draw",
        lambda *args, **options: inside.extend(n_threads()) or made(*args, **options),
    )
    with threadpool_limits(2, "blas"):
        assert evaluate(read_campaign(samples() / "flood-posts"), Options()).verdict.sentence
        assert set(n_threads()) == {2}
    assert set(inside) == {1}


def test_every_exit_together_makes_each_analysis_once(capsys):
    """Page, paper, document and terminal of one evaluation."""
    evaluation, counts = counted()
    render_html(evaluation)
    evaluation_document(evaluation)
    paper_files(evaluation)
    write(*show_blocks(evaluation, evaluation.task.ranking_metric), *question_blocks(evaluation))
    assert capsys.readouterr().out
    assert counts == Counter(NAMES) - Counter(["kept_answers"])  # which several tracks ask for


def test_a_settled_evaluation_makes_nothing_again():
    """All its analyses are given."""
    evaluation, counts = counted()
    settled = evaluation.settled()
    assert counts == Counter(NAMES)
    for name in NAMES:
        value, made = getattr(settled, name), getattr(evaluation, name)
        assert value is made or all(map(operator.is_, value, made))
    assert counts == Counter(NAMES)


@pytest.mark.parametrize("room", ["store", "questions", "cli", "writers", "verification"])
def test_no_exit_calls_what_makes_an_analysis(room):
    """They read it off the evaluation."""
    for file in sorted((ROOM / room).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names = {
            name.name
            for node in imports
            if (node.module or "").startswith(ENGINE)
            for name in node.names
        }
        assert not names & MAKERS, file
