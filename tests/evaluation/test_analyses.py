"""Analyses are made when somebody asks for them, and once; whoever shows an evaluation computes none."""

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import audit.evaluation
from audit.domain import ANALYSES, Evaluation, Options
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.questions.report import question_blocks
from audit.questions.short import show_blocks
from audit.resources import samples
from audit.writers.bundle.archive import evaluation_document
from audit.writers.html import render_html
from audit.writers.latex import paper_files
from audit.writers.terminal import write
from tests.nightly import untraced

NAMES = ANALYSES
ROOM = Path(audit.evaluation.__file__).parent
MAKERS = frozenset(
    {"audit_macro_f1", "certainty_of", "chance_baselines", "elect", "elections", "find_flags"}
    | {"identify", "intervals_of", "oracle", "pairs_of", "power_of", "resample"}
)
"""What computes an analysis, or a part of one."""
ENGINE = tuple(f"audit.{room}" for room in ("evaluation", "inference", "metrics", "ranking", "readings"))


def counted() -> tuple[Evaluation, Counter[str]]:
    """A sample's evaluation that counts how often each analysis is made."""
    counts: Counter[str] = Counter()
    evaluation = evaluate(read_campaign(samples() / "flood-posts"), Options(replicates=200))

    def counting(name, make):
        def made(of):
            counts[name] += 1
            return make(of)

        return made

    makers = {name: counting(name, make) for name, make in evaluation.analyses.items()}
    return replace(evaluation, analyses=makers), counts


def test_scores_are_there_without_any_analysis():
    """Who asks for scores and ranks waits for nothing else."""
    evaluation, counts = counted()
    assert evaluation.scores.shape[0] == len(evaluation.names)
    assert evaluation.ranks.notna().any(axis=None)
    assert not counts


def test_every_exit_together_makes_each_analysis_once(capsys):
    """Page, paper, document and terminal of one evaluation."""
    evaluation, counts = counted()
    render_html(evaluation)
    evaluation_document(evaluation)
    paper_files(evaluation)
    write(*show_blocks(evaluation, evaluation.task.ranking_metric, in_full=True), *question_blocks(evaluation))
    assert capsys.readouterr().out
    assert counts == Counter(NAMES) - Counter(["added_by_items"])  # which several test sets with common items ask for


@untraced
def test_a_settled_evaluation_makes_nothing_again():
    """All its analyses are given."""
    evaluation, counts = counted()
    settled = evaluation.settled()
    assert counts == Counter(NAMES)
    for name in NAMES:
        assert getattr(settled, name) is getattr(evaluation, name)
    assert counts == Counter(NAMES)


@pytest.mark.parametrize("room", ["store", "report", "cli", "flags", "verification", "documents.py"])
def test_no_exit_calls_what_makes_an_analysis(room):
    """They read it off the evaluation."""
    place = ROOM / room
    files = [place] if place.suffix else sorted(place.rglob("*.py"))
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names = {name.name for node in imports if (node.module or "").startswith(ENGINE) for name in node.names}
        assert not names & MAKERS, file
