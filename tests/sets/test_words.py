"""A page of sets speaks of labels, or of types of spans, wherever one of single labels speaks of classes."""

import html
import re

import numpy as np
import pytest

from audit.domain import Kind, LabelSet
from audit.domain.sets import NOTHING
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.report.pairs import pair_data
from audit.report.printing import printing
from audit.writers.html import render_html
from audit.writers.latex import paper_files

from .drawn import in_cell, matrices, tag_file, tag_sequences, written

KEYS = re.compile(
    r"\b(?:class-never-predicted|class-without-gold|rare-class|classes:in-gold|tab:[\w-]+)\b"
)
CLASS = re.compile(r"(?<!rest )\b[Cc]lass(?:es)?\b")


def of_labels(folder):
    """Sets in which a label is in no gold set, and another one never said by a team."""
    written(folder, *matrices(7, n_units=40), in_cell(","))
    declared = 'kind = "sets"\nlabels = ["anger", "fear", "joy", "trust"]\n'
    (folder / "task.toml").write_text(declared, encoding="utf-8")
    return folder


def of_spans(folder):
    """Spans of which a team says no type but one."""
    (folder / "submissions").mkdir(parents=True)
    gold, tokens = tag_sequences(1), 'format = "tokens"\n'
    tag_file(folder / "gold.txt", gold)
    rng = np.random.default_rng(5)
    for name, share in (("one", 0.9), ("two", 0.8), ("three", 0.0)):
        tag_file(
            folder / "submissions" / f"{name}.txt",
            [[tag if rng.random() < share else "B-PER" for tag in tags] for tags in gold],
        )
    settings = f'kind = "sets"\n[gold]\n{tokens}[submissions]\n{tokens}'
    (folder / "task.toml").write_text(settings, encoding="utf-8")
    return folder


@pytest.mark.parametrize("campaign", [of_labels, of_spans])
def test_no_page_of_sets_speaks_of_classes(tmp_path, campaign):
    """Nor of the prevalence that alone is there, nor of scores at another one; its tables for a paper do not either."""
    found = evaluate(read_campaign(campaign(tmp_path / "sets")))
    page = re.sub(r"<(script|style|svg)\b.*?</\1>", "", render_html(found), flags=re.DOTALL)
    pointed = re.findall(r'\btitle="([^"]*)"', page)
    bare = html.unescape(" ".join((re.sub(r"<[^>]*>", " ", page), *pointed)))
    assert {flag.slug for flag in found.flags} & {"class-never-predicted", "rare-class"}
    tables = (
        text.decode()
        for name, text in paper_files(found).items()
        if name.endswith(".tex") and "numbers" not in name
    )
    for text in (bare, *(table.partition("\\fi}\n")[2] for table in tables)):
        assert not [
            text[max(0, each.start() - 60) : each.end() + 30]
            for each in CLASS.finditer(KEYS.sub("", text))
        ]
        assert not re.search("(observed|balanced) prevalence", text)
    assert "calibrated score" not in bare
    told, labels = pair_data(printing(found), found.pairs), found.task.label_set
    assert told["nouns"] == [labels.noun, labels.nouns]
    assert told["gold"] == ("spans" if labels.kind is Kind.SPANS else "items")


def test_a_name_in_quotes_keeps_its_words():
    """Whatever it is called."""
    labels = LabelSet(("class", NOTHING), rest=NOTHING, kind=Kind.SPANS)
    assert (
        labels.worded("Rare classes: “class of 1999”, a class’s rest class")
        == "Rare types: “class of 1999”, a type’s rest class"
    )


@pytest.mark.parametrize(
    ("campaign", "counted"),
    [(of_labels, "gold labels in 40 items"), (of_spans, "gold spans in 40 ")],
)
def test_what_was_read_is_counted_by_its_name(tmp_path, campaign, counted):
    """Labels, or spans."""
    (assumed,) = (
        told
        for told in read_campaign(campaign(tmp_path / "sets")).task.assumptions
        if "Sets are" in told
    )
    assert counted in assumed
