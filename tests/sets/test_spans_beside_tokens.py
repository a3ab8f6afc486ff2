"""A task of tags of tokens offers the spans that they mark, beside its tokens."""

import numpy as np
import pytest
from seqeval.metrics import f1_score

from audit.domain import ScoreKey, Severity
from audit.evaluation import evaluate
from audit.findings.spans_beside_tokens import tokens_are_scored
from audit.formats.campaign.campaigns import read_campaign
from audit.readings import token_tags
from audit.report.printing import printing
from audit.report.spans_beside_tokens import section
from tests.sets.drawn import TAGS, tag_file

FORMATS = '[gold]\nformat = "tokens"\n[submissions]\nformat = "tokens"\n[policies]\ngold_copy = "accept"\n'
KEYS = f'kind = "classes"\n{FORMATS}'


@pytest.fixture(scope="module")
def files():
    """Gold with every tag, a team that is right of most tokens, and one that finds spans."""
    rng = np.random.default_rng(3)
    gold = [rng.choice(TAGS, 6, p=(0.5, 0.15, 0.05, 0.15, 0.05, 0.1)).tolist() for _ in range(40)]
    cautious = [["O" if rng.random() < 0.7 else tag for tag in tags] for tags in gold]
    bold = [[tag if rng.random() < 0.9 else "B-PER" for tag in tags] for tags in gold]
    return {"gold": gold, "submissions/bold": bold, "submissions/cautious": cautious}


def scored(folder, files, text=KEYS):
    """The evaluation of a folder that is written anew."""
    (folder / "submissions").mkdir(parents=True)
    for name, sequences in files.items():
        tag_file(folder / f"{name}.txt", sequences)
    (folder / "task.toml").write_text(text, encoding="utf-8")
    return evaluate(read_campaign(folder))


def test_both_views_stand_beside_each_other_and_spans_are_those_of_seqeval_and_of_sets(
    tmp_path, files
):
    """Spans first; said on the first screen, with the share of tokens in no span."""
    tokens = scored(tmp_path / "tokens", files)
    gold, *teams = files.values()
    expected = [f1_score(gold, team, average="micro") for team in teams]
    assert tokens.spans.values[0] == pytest.approx(expected, abs=1e-12)
    sets = scored(
        tmp_path / "sets", files, f'kind = "sets"\nofficial_metric = "micro_f1"\n{FORMATS}'
    )
    for row, slug in zip(tokens.spans.values, ("micro_f1", "averaged_f1"), strict=True):
        assert row == pytest.approx(sets.scores_of(ScoreKey(slug)), abs=1e-12)
    assert sets.spans is None
    assert section(printing(sets)) is None
    shown = section(printing(tokens))
    assert shown.question == "Are spans scored, or tokens?"
    outside = sum(tag == "O" for tags in gold for tag in tags) / 240
    assert tokens.spans.outside == pytest.approx(outside)
    assert f"{outside:.0%} of them are in no span" in shown.answer[0]
    heads = [column.label for column in shown.blocks[0].blocks[0].columns]
    assert heads.index("Spans: micro F1") < heads.index("Tokens: macro-averaged F1")
    assert any('kind = "sets"' in request.text for request in tokens.verdict.to_do)


def test_another_first_by_spans_changes_the_winner(tmp_path, files):
    """A team that is first by its tokens alone."""
    gold = files["gold"]
    moved = [["O", *tags[:-1]] if n % 2 else tags for n, tags in enumerate(gold)]
    split = [
        [f"I{tag[1:]}" if tag.startswith("B") and n % 2 else tag for n, tag in enumerate(tags)]
        for tags in gold
    ]
    evaluation = scored(
        tmp_path, {"gold": gold, "submissions/moved": moved, "submissions/split": split}
    )
    by_spans, by_tokens = (
        int(evaluation.spans.values[0].argmax()),
        evaluation.leader(evaluation.task.ranking_metric),
    )
    flag = tokens_are_scored(evaluation)
    assert (flag.severity is Severity.WINNER) == (by_spans != by_tokens)
    assert evaluation.names[by_spans] in flag.sentence


def test_of_too_many_tokens_spans_are_not_scored_and_said_so(tmp_path, files, monkeypatch):
    """A report does not wait for them."""
    monkeypatch.setattr(token_tags, "_MOST_TAGS", 100)
    evaluation = scored(tmp_path, files)
    assert evaluation.spans.values is None
    shown = section(printing(evaluation))
    assert shown.answer[0].startswith("Tags of tokens mark spans: tokens are what is ranked here")
    assert not shown.blocks
    assert tokens_are_scored(evaluation).severity is Severity.NOTE


def test_where_nobody_can_be_first_nobody_is_named(tmp_path, files):
    """Baselines alone."""
    evaluation = scored(tmp_path, files, f'{KEYS}[roles]\n"*" = "baseline"\n')
    assert tokens_are_scored(evaluation).sentence.startswith("Tags of tokens mark spans: ")
