"""Evaluations: their documents beside the load that they evaluate, and what SQL sees of them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from audit import workflow
from audit.domain import MARKS, Options, ScoreKey, StatedOptions
from audit.errors import SupersededError, UsageError
from audit.evaluation import evaluate
from audit.writers.bundle.archive import evaluation_document

from .campaigns import HOSTILE, beside, campaign, certain, document, evaluation, keep, submission


@pytest.fixture
def loaded(store):
    """A store with one campaign."""
    store.save_campaigns(campaign())
    return store


OF_KEY = "FROM team_score WHERE metric = ? AND prevalence = ? ORDER BY name"


def test_scores_have_two_coordinates_a_value_and_a_rank(loaded, rows):
    """Undefined is NULL, and has no rank; an entry that does not compete has a score and no rank."""
    made = beside(evaluation(campaign()))
    keep(loaded, made)
    for key, values, ranks in zip(made.keys, made.values, made.rank_values, strict=True):
        taken = [
            entry.competes and value == value  # noqa: PLR0124 - NaN is not itself
            for entry, value in zip(made.entries, values, strict=True)
        ]
        found = rows(f"SELECT name, value, rank {OF_KEY}", key.metric, key.prevalence)
        assert found == [
            (name, None if np.isnan(value) else value, rank if ranked else None)
            for name, value, rank, ranked in zip(
                made.names, values.tolist(), ranks.tolist(), taken, strict=True
            )
        ]


@pytest.mark.parametrize(
    "key",
    [
        ScoreKey("accuracy"),
        ScoreKey("averaged_f1", "balanced"),
        ScoreKey("kappa", "from-2017"),
        ScoreKey('recall["a@b~"]'),
        ScoreKey('recall["a]@b"]', "balanced"),
        ScoreKey('averaged_f1[a@b,"c@d(e"]', "even"),
        ScoreKey("averaged_f1(declared,undefined=1)[a@x]"),
        ScoreKey("mean(2*averaged_f1[a@b],accuracy)", "even"),
        ScoreKey("mean(2*averaged_f1[a],recall[x@y])"),
    ],
    ids=str,
)
def test_the_name_of_a_score_says_its_two_coordinates(loaded, rows, key):
    """Whatever labels stand in it."""
    made = evaluation(campaign())
    keep(loaded, replace(made, keys=(key, made.keys[1])))
    assert rows(
        "SELECT DISTINCT metric, prevalence FROM team_score WHERE score_name = ?", str(key)
    ) == [(key.metric, key.prevalence)]


def test_hostile_names_stand_in_rows_of_their_own(loaded, rows):
    """As text; as a BLOB where a file name that is no UTF-8 made them. SQLite's JSON cuts text at a NUL."""
    names = [*(text for text in HOSTILE if "\x00" not in text), *NO_UTF_8]
    teams = campaign(submissions=tuple(submission(name, [0, 1, 2, 1]) for name in names))
    loaded.save_campaigns(teams)
    made = certain(evaluation(teams))
    keep(loaded, made)
    stored = [name.encode("utf-8", "surrogatepass") if name in NO_UTF_8 else name for name in names]
    values = dict(zip(stored, made.values[0].tolist(), strict=True))
    found = rows(
        "SELECT name, team, value, first_rank FROM team_score WHERE score_name = 'accuracy'"
    )
    assert {name: value for name, _, value, _ in found} == values
    assert len(found) == len(names)
    assert all(name == team for name, team, *_ in found)
    assert [name for name, *_, first in found if first is None] == [stored[-1]]


NO_UTF_8 = ("caf\udce9", "caf\udcea")


def test_scores_come_back_to_the_last_bit(loaded, kept):
    """In the document; SQLite reads its digits, as do other programs."""
    values = np.array([[1 / 3, np.nextafter(0.5, 1), 5e-324], [-1.0, np.nan, 1e-17]])
    keep(loaded, evaluation(campaign(), values=values))
    found = {value for row in kept("signature")["scores"].values() for value in row.values()}
    assert found == {1 / 3, np.nextafter(0.5, 1), 5e-324, -1.0, None, 1e-17}


def test_intervals_and_the_reasons_for_none_stand_beside_their_scores(loaded, rows):
    """NULL where there is none, and where none was asked for."""
    made = certain(evaluation(campaign()))
    keep(loaded, evaluation(campaign(), signature="without"))
    assert set(rows("SELECT lower, upper, mark FROM team_score")) == {(None, None, None)}
    keep(loaded, made)
    intervals, compared = made.certainty.intervals, made.certainty.comparisons[0]
    assert intervals.marks.any()
    for row, key in enumerate(made.keys):
        found = rows(f"SELECT lower, upper, mark {OF_KEY}", key.metric, key.prevalence)
        ends = np.stack([intervals.lower[row], intervals.upper[row]], axis=-1)
        if key == compared.key:
            ends[compared.leader] = compared.leader_interval
        np.testing.assert_array_equal(np.array([each[:2] for each in found], dtype=float), ends)
        assert [mark for *_, mark in found] == [
            MARKS[mark].value or None for mark in intervals.marks[row]
        ]


def test_a_rough_interval_stands_without_its_mark(loaded, rows):
    """The mark of a row says why it has no interval."""
    made = certain(evaluation(campaign()))
    intervals = made.certainty.intervals
    rough = replace(intervals, lower=made.values - 1, upper=made.values + 1)
    keep(loaded, made.given(certainty=replace(made.certainty, intervals=rough, comparisons=())))
    assert intervals.marks.any()
    found = rows("SELECT value, lower, upper, mark FROM team_score WHERE value IS NOT NULL")
    assert found == [(value, value - 1, value + 1, None) for value, *_ in found]


def test_standings_are_those_of_the_comparisons(loaded, rows):
    """Of the entries that are in them."""
    made = certain(evaluation(campaign()))
    keep(loaded, made)
    (compared,) = made.certainty.comparisons
    found = rows(
        "SELECT name, could_be_best, first_rank, last_rank FROM team_score WHERE first_rank ORDER BY name"
    )
    assert found == [
        (
            made.names[team],
            int(compared.could_be_best[team]),
            *compared.possible_ranks[team].tolist(),
        )
        for team in np.flatnonzero(compared.possible_ranks[:, 0]).tolist()
    ]
    assert [name for name, *_ in found] == ["Ada", "Bob"]


def test_the_document_comes_back_to_the_last_bit(loaded, kept):
    """Under its signature."""
    numbers = [1 / 3, 5e-324, -0.0, None, "é", "\ud83d", {"deep": [[[]]]}]
    loaded.save_evaluation(evaluation(campaign()), {"numbers": numbers})
    assert kept("signature") == {"numbers": numbers}
    assert str(kept("signature")["numbers"][2]) == "-0.0"


def test_what_was_asked_and_how_many_flags_there_are_stand_beside_the_document(loaded, rows):
    """For those who look for an evaluation, and for the history."""
    made = replace(evaluation(campaign()), options=Options(7, compare=("mcc~",)))
    keep(loaded, made)
    ((options, n_flags),) = rows("SELECT options, n_flags FROM evaluation")
    assert json.loads(options) == {"seed": 7, "certainty": True, "compare": ["mcc~"]}
    assert n_flags == len(made.flags) == 1
    (event,) = loaded.history("task")[0].evaluations
    assert (event.options, event.n_flags, event.signature) == (made.options, 1, made.signature)


def test_the_same_evaluation_again_changes_no_byte(loaded):
    """Also where scores are undefined."""
    keep(loaded, evaluation(campaign()))
    before = loaded.path.read_bytes()
    keep(loaded, evaluation(campaign()))
    assert loaded.path.read_bytes() == before


def test_other_numbers_under_the_same_signature_take_its_place(loaded, counts, rows):
    """So that a signature has one evaluation."""
    keep(loaded, evaluation(campaign()))
    keep(loaded, evaluation(campaign(), values=np.full((2, 3), 0.5), flags=()))
    assert counts()["evaluation"] == 1
    assert rows("SELECT DISTINCT value FROM team_score") == [(0.5,)]


def test_another_signature_stands_beside_it(loaded, counts):
    """Another version of the program, say."""
    for signature in ("one", "two"):
        keep(loaded, evaluation(campaign(), signature=signature))
    assert counts()["evaluation"] == 2


def test_an_evaluation_stays_with_the_load_it_is_of(loaded, rows):
    """The next load has its own."""
    keep(loaded, evaluation(campaign()))
    changed = campaign(submissions=(submission("Ada", [0, 0, 0, 0]),))
    loaded.save_campaigns(changed)
    keep(loaded, evaluation(changed))
    n_scores = "(SELECT count(*) FROM json_each(document, '$.scores.accuracy'))"
    assert rows(f"SELECT load_id, {n_scores} FROM evaluation ORDER BY 1") == [(1, 3), (2, 1)]  # noqa: S608 - our own words


@pytest.mark.parametrize(
    "other",
    [
        campaign(gold=(0, 0, 0, 1)),
        campaign(submissions=(submission("Zoe", [0, 0, 0, 0]),)),
        campaign(submissions=(submission("Ada", [0, 0, 0, 0], content=b"other"),)),
    ],
    ids=["gold", "team", "file"],
)
def test_an_evaluation_of_something_else_is_refused(loaded, counts, other):
    """Somebody may have loaded another version meanwhile."""
    with pytest.raises(SupersededError, match="not of what the store holds of “task”"):
        keep(loaded, evaluation(other))
    assert counts()["evaluation"] == 0


def test_an_evaluation_of_a_task_that_is_not_there_is_refused(store):
    """Load first."""
    with pytest.raises(UsageError, match="no task “task”"):
        keep(store, evaluation(campaign()))


ASKED = (Options(), Options(seed=2), Options(certainty=False), Options(compare=("mcc",)))


@pytest.fixture(scope="module")
def computed():
    """Evaluations of the engine, each with other options."""
    return [evaluate(campaign(), options) for options in ASKED]


def test_every_score_of_the_document_is_a_row(loaded, rows, kept, computed):
    """With the same rank, interval and reason for none."""
    made = computed[0]
    written = evaluation_document(made)
    loaded.save_evaluation(made, written)
    found = rows("SELECT score_name, name, value, rank, lower, upper, mark FROM team_score")
    assert len(found) == made.values.size
    intervals = written["certainty"]["intervals"]
    corrected = {
        each["metric"]: each["corrected_intervals"] for each in written["certainty"]["comparisons"]
    }
    assert any(corrected.values())
    for score, name, value, rank, lower, upper, mark in found:
        assert (value, rank) == (written["scores"][score][name], written["ranks"][score][name])
        assert [lower, upper] == corrected.get(score, {}).get(
            name, intervals["scores"][score][name]
        )
        assert mark == intervals["marks"].get(score, {}).get(name)
    assert kept(made.signature) == written
    before = loaded.path.read_bytes()
    loaded.save_evaluation(evaluate(loaded.load_campaign("task")), written)
    assert loaded.path.read_bytes() == before


def test_evaluations_with_other_options_stand_beside_each_other(loaded, rows, computed):
    """Under their signatures, of one load; in whichever order they are made."""
    for made in (*computed, *reversed(computed)):
        loaded.save_evaluation(made, evaluation_document(made))
    assert rows("SELECT load_id, signature FROM evaluation ORDER BY id") == [
        (1, made.signature) for made in computed
    ]
    assert len(loaded.history("task")) == 1
    assert len(loaded.history("task")[0].evaluations) == len(ASKED)


def test_an_evaluation_is_stored_as_the_campaign_or_the_user_asks(store, rows, kept):
    """What the user states takes the place of what the campaign's settings file says, for this evaluation alone."""
    store.save_campaigns(campaign(options=Options(seed=5)))
    own = workflow.evaluate_task("task", store.path)
    other = workflow.evaluate_task("task", store.path, StatedOptions(seed=7, certainty=False))
    assert (own.options, other.options) == (Options(seed=5), Options(seed=7, certainty=False))
    assert workflow.read_evaluation("task", store.path).signature == own.signature
    assert rows("SELECT signature FROM evaluation ORDER BY id") == [
        (own.signature,),
        (other.signature,),
    ]
    assert kept(own.signature) == evaluation_document(own)
    assert len(store.history("task")) == 1


def test_another_document_takes_the_place_of_the_former(loaded, counts):
    """Under the same signature; the same one again changes no byte."""
    made = beside(evaluation(campaign()))
    loaded.save_evaluation(made, {**document(made), "more": 1})
    keep(loaded, made)
    before = loaded.path.read_bytes()
    keep(loaded, made)
    assert loaded.path.read_bytes() == before
    assert counts()["evaluation"] == 1
