"""Published scores of spans whose broken tags were read by another rule than the campaign's."""

import shutil

import numpy as np
import pytest
from seqeval.metrics import f1_score
from seqeval.scheme import BILOU, IOB2, IOBES, Entities

from audit.domain import Kind, LabelSet, ScoreKey
from audit.domain.sets import NOTHING
from audit.domain.tags import mark_ends, spans_of
from audit.errors import MetricNameError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.set_files import by_other_repairs
from audit.metrics import parse_reading, parse_score_key
from audit.store import open_store, repository
from audit.verification.verifying import verify_bundle
from audit.workflow import export_task, identify_scores, load, read_evaluation
from tests.sets.drawn import in_cell, matrices, tag_file, tag_sequences, written

SPANS = LabelSet(("PER", NOTHING), rest=NOTHING, kind=Kind.SPANS)


@pytest.fixture
def spans(tmp_path):
    """A function that writes a campaign of tags and a table by seqeval, and gives the paths of both."""

    def written_by(repair, strictly):
        folder, gold = tmp_path / "tags", tag_sequences(1)
        rng = np.random.default_rng(5)
        teams = {
            f"t{number}": [
                [tag if rng.random() < share else "I-PER" for tag in tags] for tags in gold
            ]
            for number, share in enumerate((0.9, 0.8, 0.7, 0.6))
        }
        (folder / "submissions").mkdir(parents=True)
        tag_file(folder / "gold.txt", gold)
        for name, tags in teams.items():
            tag_file(folder / "submissions" / f"{name}.txt", tags)
        tokens = 'format = "tokens"\n'
        settings = (
            f'kind = "sets"\n[gold]\n{tokens}[submissions]\n{tokens}[sets]\nrepair = "{repair}"\n'
        )
        (folder / "task.toml").write_text(settings, encoding="utf-8")
        scores = {
            name: f1_score(gold, tags, average="micro", **strictly) for name, tags in teams.items()
        }
        rows = "".join(f"{name},{score:.5f}\n" for name, score in scores.items())
        (tmp_path / "published.csv").write_text(f"team,micro F1\n{rows}", encoding="utf-8")
        return folder, tmp_path / "published.csv"

    return written_by


@pytest.mark.parametrize(
    ("repair", "strictly"), [("conll", {"mode": "strict", "scheme": IOB2}), ("strict", {})]
)
def test_the_other_rule_for_broken_tags_is_identified(tmp_path, spans, repair, strictly):
    """A column that seqeval computed the other way, by a task's files as the store keeps them."""
    folder, published = spans(repair, strictly)
    load(folder, tmp_path / "s.db")
    (column,) = identify_scores("tags", [published], tmp_path / "s.db").columns
    other = "strict" if repair == "conll" else "conll"
    assert (column.is_exact, str(column.matches[0].reading)) == (True, f"micro_f1(repair={other})")


@pytest.mark.usefixtures("computed_once")
def test_the_report_tries_the_other_rule_as_identify_does(tmp_path, spans):
    """Whether the campaign comes from the store, from a past load, from a bundle's folder, or is mapped."""
    folder, published = spans("conll", {"mode": "strict", "scheme": IOB2})
    settings = folder / "task.toml"
    with settings.open("a", encoding="utf-8") as file:
        file.write('[published]\npath = "published.csv"\n')
    shutil.copy(published, folder)
    store = tmp_path / "s.db"
    load(folder, store)
    evaluation = read_evaluation("tags", store)
    assert evaluation.published == identify_scores("tags", [published], store)
    assert evaluation.published.columns[0].is_exact
    assert "published-not-computed" not in {found.slug for found in evaluation.flags}
    written = export_task("tags", tmp_path / "paper", store)
    assert "repair=strict" in (written / "evaluation.json").read_text(encoding="utf-8")
    assert "broken tags" in (written / "report.html").read_text(encoding="utf-8")
    assert verify_bundle(written / "bundle.zip", folder).same
    with open_store(store) as opened:
        assert set(by_other_repairs(opened.past_campaign("tags", 1))) == {"strict"}


def test_a_mapped_campaign_is_read_again(tmp_path, spans, monkeypatch):
    """Its codes are then no longer those of the file that they were mapped from."""
    folder, published = spans("strict", {})
    load(folder, tmp_path / "s.db")
    in_memory = identify_scores("tags", [published], tmp_path / "s.db")
    monkeypatch.setattr(repository, "spans", lambda *_: [(0, 1), (1, 2)])
    assert identify_scores("tags", [published], tmp_path / "s.db") == in_memory


def test_only_tags_can_be_broken(tmp_path):
    """Labels in a cell are read in one way, and a score is of what was read."""
    written(tmp_path, *matrices(7), in_cell(","))
    (tmp_path / "task.toml").write_text('kind = "sets"\n', encoding="utf-8")
    assert by_other_repairs(read_campaign(tmp_path)) == {}
    assert str(parse_reading("micro_f1(repair=strict)", SPANS)) == "micro_f1(repair=strict)"
    with pytest.raises(MetricNameError, match="into \\[sets\\]"):
        parse_score_key("micro_f1(repair=strict)", SPANS)
    with pytest.raises(MetricNameError, match="no tag is broken"):
        parse_reading("micro_f1(repair=strict)", LabelSet(("a", "b")))


@pytest.mark.parametrize(("scheme", "prefixes"), [(IOB2, "BI"), (IOBES, "BIES"), (BILOU, "BILU")])
def test_strict_spans_of_random_tags_are_those_of_seqeval(scheme, prefixes):
    """Also of a sequence in which nothing but the scheme says that its span lacks an end."""
    tags = ["O", *(f"{prefix}-{label}" for prefix in prefixes for label in ("PER", "LOC"))]
    rng = np.random.default_rng(43)
    sequences = [
        rng.choice(tags, length).tolist() for length in rng.integers(1, 7, 40_000 // 3 + 1)
    ]
    closed = mark_ends(tag for sequence in sequences for tag in sequence)
    assert closed == (scheme is not IOB2)
    for sequence, of_sequence in zip(sequences, Entities(sequences, scheme).entities, strict=True):
        expected = [(span.tag, (span.start, span.end - 1)) for span in of_sequence]
        assert spans_of(sequence, "strict", closed=closed) == expected


def test_the_scheme_is_that_of_gold_and_dropped_spans_are_told(tmp_path):
    """A sequence without any E- or S-: its span without an end is none, where gold marks ends."""
    files = {
        "gold": [["B-PER", "E-PER", "O"], ["S-LOC", "O", "B-PER", "E-PER"]],
        "submissions/t": [["B-PER", "I-PER", "O"], ["S-LOC", "O", "B-PER", "E-PER"]],
        "submissions/u": [["B-PER", "E-PER", "O"], ["S-PER", "O", "B-PER", "E-PER"]],
    }
    (tmp_path / "submissions").mkdir()
    for name, sequences in files.items():
        tag_file(tmp_path / f"{name}.txt", sequences)
    tokens = 'format = "tokens"\n'
    settings = f'kind = "sets"\n[gold]\n{tokens}[submissions]\n{tokens}[sets]\nrepair = "strict"\n'
    (tmp_path / "task.toml").write_text(settings, encoding="utf-8")
    campaign = read_campaign(tmp_path)
    gold = files["gold"]
    expected = [
        f1_score(gold, files[name], mode="strict", scheme=IOBES) for name in list(files)[1:]
    ]
    assert evaluate(campaign).scores_of(ScoreKey("micro_f1")).tolist() == pytest.approx(expected)
    told = [entry.text for entry in campaign.journal if "broken" in entry.text]
    assert told == ["Dropped by repair = “strict”: 1 span of broken tags."]
