"""The sources of the registry, held against the texts of the papers: each leads to where its metric is defined."""

import re
from pathlib import Path

import pytest

from audit.metrics import METRICS

PAPERS = Path(__file__).resolve().parents[3] / "shared" / "papers"
OPITZ, BURST = (
    "opitz-2024-a-closer-look-at-classification-metrics.txt",
    "opitz-burst-2019-macro-f1-and-macro-f1.txt",
)

# What the section is headed with, or, for variants of macro recall, what it goes on to call the metric.
IN_SECTION = {
    "accuracy": r"Accuracy \(aka Micro F1\)",
    "macro_recall": r"^Macro Recall:",
    "geometric_macro_recall": r"yields the geometric mean[\s\S]*GmacR",
    "harmonic_macro_recall": r"[Hh]armonic mean",
    "macro_precision": r"^Macro Precision:",
    "averaged_f1": r"^Macro F1: Metric of choice",
    "f1_of_averages": r"^Macro F1: A doppelganger",
    "weighted_f1": r"^Weighted F1$",
    "kappa": r"^Birds of a feather: Kappa",
    "mcc": r"^Birds of a feather: .* MCC$",
    **{slug: r"generalized mean" for slug in METRICS if slug.startswith("macro_recall_p")},
}
IN_EQUATION = {
    "averaged_f1": r"\mathcal{F}_1 = \frac{1}{n} \sum_x F1_x",
    "f1_of_averages": r"\mathbb{F}_1 = H(\bar{P}, \bar{R})",
    "recall": r"R_i = ",
    "precision": r"P_i = ",
    "f1": r"F1_i = ",
}


def paper(name):
    """A paper's text; the test is skipped where it is not."""
    path = PAPERS / name
    if not path.is_file():
        pytest.skip("the papers stand beside the checkout, not in it")
    return path.read_text(encoding="utf-8")


def section(number):
    """A section of Opitz 2024: from behind its number to the next number."""
    found = re.search(
        rf"^{re.escape(number)} (.*?)^\d+(\.\d+)? [A-Z]", paper(OPITZ), re.MULTILINE | re.DOTALL
    )
    assert found, number
    return found[1]


@pytest.mark.parametrize("slug", METRICS)
def test_the_section_that_a_source_names_is_about_the_metric(slug):
    """By its heading, or by the word for the mean that it takes."""
    numbers = re.findall(r"Opitz 2024, section ([\d.]+)", METRICS[slug].source)
    assert bool(numbers) == (slug in IN_SECTION)
    for number in numbers:
        assert re.search(IN_SECTION[slug], section(number), re.MULTILINE), number


@pytest.mark.parametrize("slug", METRICS)
def test_the_equation_that_a_source_names_defines_the_metric(slug):
    """The formula that bears the number in Opitz & Burst 2019."""
    numbers = re.findall(r"Opitz & Burst 2019, equation (\d)", METRICS[slug].source)
    assert bool(numbers) == (slug in IN_EQUATION)
    for number in numbers:
        (formula,) = re.findall(rf"^\$\$(.*)\({number}\)\$\$$", paper(BURST), re.MULTILINE)
        assert IN_EQUATION[slug] in formula
