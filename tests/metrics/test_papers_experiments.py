"""A small version of benchmarks/papers.py: the papers' experiments come out within their sampling error."""

import csv
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as peer

from audit.metrics import AGGREGATES

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "semeval2017-task4a-table"
N_EXPERIMENTS = 40
SIZES = [4, 13]


@pytest.fixture(scope="module")
def papers():
    """The benchmark as a module."""
    script = BENCHMARKS / "papers.py"
    if not script.is_file():
        pytest.skip("the benchmarks are in the checkout, not in the wheel")
    spec = importlib.util.spec_from_file_location("papers_benchmark", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(5)


def within_error(published, values):
    """Whether a printed value may be one of a distribution: half a unit of its last digit, and three deviations."""
    half = 10.0 ** -len(published.partition(".")[2]) / 2
    return abs(float(published) - values.mean()) <= half + 3 * values.std(ddof=1)


def figure_1a(papers, rng, reading):
    confusions = papers.FIGURE_1A[reading](papers.N_SETS * N_EXPERIMENTS, rng)
    return dict(zip(papers.STATISTICS, papers.figure_1a(confusions, papers.N_SETS).T, strict=True))


def test_figure_1a_comes_out_when_taken_literally(papers, rng):
    """Deviation .13, maxima .56 and .41, Pearson .72 and Spearman .69, each within its sampling error."""
    found = figure_1a(papers, rng, "gold and answers drawn")
    for statistic, published in papers.STATISTICS.items():
        assert within_error(published, found[statistic]), statistic


@pytest.mark.parametrize(
    "reading",
    [
        "gold exactly 950 and 50",
        "exactly 500 answers of each class",
        "a random rate for each classifier",
    ],
)
def test_the_other_readings_of_figure_1a_are_ruled_out(papers, rng, reading):
    """Their correlations lie beyond any sampling error."""
    found = figure_1a(papers, rng, reading)
    assert not within_error("0.72", found["Pearson"])
    assert not within_error("0.69", found["Spearman"])


def test_the_statistics_of_figure_1a_are_those_of_scikit_learn_and_scipy(papers, rng):
    """The same five numbers of thirty test sets, item by item and without this program."""
    confusions = papers.gold_and_answers_drawn(30, rng)
    gold, predicted = np.indices((2, 2))
    items = [
        (np.repeat(gold, cells[:, :2].ravel()), np.repeat(predicted, cells[:, :2].ravel()))
        for cells in confusions
    ]
    averaged = np.array([peer.f1_score(*pair, average="macro") for pair in items])
    parts = [peer.precision_recall_fscore_support(*pair, average="macro")[:2] for pair in items]
    of_averages = stats.hmean(parts, axis=1)
    deviation = np.sqrt(((of_averages - averaged) ** 2).mean())
    pearson, spearman = (f(of_averages, averaged)[0] for f in (stats.pearsonr, stats.spearmanr))
    expected = [deviation, of_averages.max(), averaged.max(), pearson, spearman]
    np.testing.assert_allclose(papers.figure_1a(confusions, 30), [expected], rtol=0, atol=1e-12)


@pytest.mark.parametrize("exact_gold", [False, True])
def test_drawn_confusions_are_on_average_the_expected_one(papers, rng, exact_gold):
    """Every cell within five standard errors of items × share × conditional, and every test set of its size."""
    shares, conditional = (
        np.array([0.6, 0.3, 0.1]),
        np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0, 0.5, 0.5]]),
    )
    n_sets, n_items = 4000, 200
    stack = np.broadcast_to(shares, (n_sets, 3)), np.broadcast_to(conditional, (n_sets, 3, 3))
    confusions = papers.drawn(*stack, n_items, rng, exact_gold=exact_gold)
    expected = n_items * shares[:, None] * conditional
    assert (confusions.sum(axis=(1, 2)) == n_items).all()
    assert (
        np.abs(confusions[..., :3].mean(axis=0) - expected) <= 5 * np.sqrt(expected / n_sets)
    ).all()
    assert not confusions[..., 3].any()
    spread = confusions.sum(axis=2).std(axis=0)
    np.testing.assert_allclose(
        spread, 0 if exact_gold else np.sqrt(n_items * shares * (1 - shares)), rtol=0.1
    )


@pytest.mark.parametrize("n", SIZES)
def test_the_populations_of_figures_2_and_3_are_the_papers(papers, n):
    """At both ends of the skew the shares and error probabilities that the paper writes down, class by class."""
    accuracy = np.array([0.4, 0.4])
    numbers = range(1, n + 1)
    gold, errors_of_2 = papers.skewed_gold(n, accuracy, np.array([0.0, 1.0]))
    even, errors_of_3 = papers.skewed_errors(n, accuracy, np.array([0.0, 1.0]))
    np.testing.assert_allclose(gold, [[1 / n] * n, [i / sum(numbers) for i in numbers]])
    np.testing.assert_allclose(even, 1 / n)

    def probabilities(error):
        return [[0.4 if i == j else error(i, j) for j in numbers] for i in numbers]

    evenly = probabilities(lambda i, j: 0.6 / (n - 1))  # noqa: ARG005 - the same for each pair
    by_number = probabilities(lambda i, j: j * 0.6 / (sum(numbers) - i))
    np.testing.assert_allclose(errors_of_2, [evenly, evenly])
    np.testing.assert_allclose(errors_of_3, [evenly, by_number])


def test_figures_2_and_3_come_out_on_a_coarse_grid(papers, rng):
    """Up to 2, 0.8 and 1.7 points, each within the sampling error of a maximum over 11 × 11 test sets."""
    coarse = papers.Reading("", 11)
    maxima = {panel: coarse.maxima(panel, 20, rng) for panel in papers.PANELS}
    assert within_error("2", np.maximum(maxima["2, n = 4"], maxima["2, n = 13"]))
    assert within_error("0.8", maxima["3, n = 4"])
    assert within_error("1.7", maxima["3, n = 13"])


def test_figure_3_contains_sampling_noise(papers, rng):
    """Without it no classifier of thirteen balanced classes reaches the published 1.7 points, rounded or not."""
    expected = papers.Reading("", 101, n_draws=0)
    assert expected.maxima("3, n = 13", 1, rng) < 1.65
    assert expected.maxima("3, n = 4", 1, rng) < 0.8


@pytest.mark.parametrize("panel", ["2, n = 4", "2, n = 13", "3, n = 4", "3, n = 13"])
def test_without_errors_or_without_skew_there_is_no_gap(papers, rng, panel):
    """Δ is exactly 0 at accuracy 1, whatever the distribution, and vanishes in expectation where all is even."""
    accuracy, _, sampled = papers.Reading("", 6).gaps(panel, rng)
    assert not sampled[accuracy == 1].any()
    _, skew, expected = papers.Reading("", 6, n_draws=0).gaps(panel, rng)
    assert expected[skew == 0].max() < 1e-12
    assert (expected[(skew > 0) & (accuracy < 1)] > 1e-4).all()


def test_every_worked_table_prints_as_published_but_one(papers):
    """F1 of averages of Opitz & Burst's table 2 is cut off; everything else is rounded."""
    rows = [
        row
        for entries in (papers.WORKED_2019, papers.WORKED_2024)
        for row in papers.worked_block(entries).splitlines()[2:]
    ]
    differing = [row for row in rows if not row.endswith("| yes |")]
    assert len(rows) == len(papers.WORKED_2019) + len(papers.WORKED_2024)
    assert [row.endswith("| cut off, not rounded |") for row in differing] == [True]
    assert differing[0].startswith(
        "| table 2 | `[[1, 1], [9, 19]]` | F1 of averages | 0.55 | 0.55529"
    )


def test_the_verdict_can_be_no(papers):
    """A value that prints otherwise is said to."""
    assert papers.verdict(0.5553, "0.56") == papers.verdict(5 / 8, "5/8") == "yes"
    assert papers.verdict(0.5553, "0.54") == papers.verdict(0.626, "5/8") == "**no**"


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="the published tables stand beside the checkout, not in it"
)
def test_table_6_is_typed_as_published(papers):
    """Every value and every column, in order."""
    with (SHARED / "published_scores.tsv").open(encoding="utf-8", newline="") as file:
        rows = {row.pop("system"): row for row in csv.DictReader(file, delimiter="\t")}
    columns = [column for column in rows["A"] if column != "official_rank"]
    assert list(papers.TABLE_6_COLUMNS) == columns
    assert {
        system: [row[column] for column in columns] for system, row in rows.items()
    } == papers.TABLE_6


def test_table_6_agrees_with_itself_and_a_typing_error_in_it_would_show(papers, monkeypatch):
    """Six columns follow from others; with two recalls exchanged they do not."""
    assert papers.consistency_block().startswith("48 of 48 ")
    wrong = papers.TABLE_6["C"].copy()
    wrong[10], wrong[1] = wrong[1], wrong[10]
    monkeypatch.setitem(papers.TABLE_6, "C", wrong)
    assert not papers.consistency_block().startswith("48 of 48 ")


def test_the_registry_differs_from_table_5_in_one_mark(papers):
    """Kappa decomposes after calibration; the search in test_properties.py finds the same. The registry has both."""
    differing = [
        (metric.slug, name, printed)
        for metric in AGGREGATES
        for printed, (name, mark) in zip(
            papers.TABLE_5[metric.slug], vars(metric.properties).items(), strict=True
        )
        if mark.value != printed
    ]
    assert differing == [("kappa", "decomposable", "✗")]
    beside = [
        (metric.slug, name, mark.value) for metric in AGGREGATES for name, mark in metric.printed
    ]
    assert beside == differing


def test_the_page_holds_what_the_script_computes(papers):
    """Every block without sampling stands in the committed page as the script makes it today."""
    page = (BENCHMARKS / "papers.md").read_text(encoding="utf-8")
    for block in papers.COMPUTED.values():
        assert block() in page
