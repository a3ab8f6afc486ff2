"""The law of campaigns: on random ones no sentence contradicts what is computed of a track, 200 by day, 1,000 at night.

The sentences are read back, and held against the tracks' own comparisons and scores; no page is made.
"""

import re
from functools import lru_cache

import numpy as np
import pytest

from audit.domain import Campaign, Gold, LabelSet, Policies, ScoreKey, Submission, Task
from audit.evaluation import evaluate
from audit.findings.campaign import CampaignFindings
from audit.report.campaign_words import CampaignWords
from tests.nightly import whole_or

N_CAMPAIGNS = whole_or(200, 1000)
AT_ONCE = 50
METRICS = ("accuracy", "averaged_f1", "kappa")
NAMES = ("Ash", "Birch", "Cedar", "Date", "Elm", "Fir")
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def random_tracks(seed):
    """Two to five small tracks: teams better in some, absent in others; items shared, weights, policies and rules."""
    rng = np.random.default_rng([47, seed])
    labels = LabelSet(tuple("abc"[: rng.integers(2, 4)]))
    n_tracks = int(rng.integers(2, 6))
    n_teams = int(rng.integers(2, 7))
    rule = rng.choice(["mean-score", "mean-rank", "borda", ""], p=[0.6, 0.2, 0.1, 0.1])
    metric = ScoreKey(str(rng.choice(METRICS)))
    policies = Policies(skipped=str(rng.choice(["left-out", "last"])))
    spread = rng.choice([0.02, 0.1, 0.3])
    skill = rng.uniform(0.45, 0.9, n_teams) if rng.random() < 0.7 else np.full(n_teams, 0.7)
    n_shared = int(rng.choice([0, 25]))
    shared_gold = rng.integers(0, len(labels), n_shared)
    tracks = []
    for track in range(n_tracks):
        n_own = int(rng.integers(30, 160))
        gold = np.concatenate([shared_gold, rng.integers(0, len(labels), n_own)]).astype(np.uint8)
        right = np.clip(skill + rng.normal(0, spread, n_teams), 0.05, 0.99)
        present = rng.random(n_teams) > 0.07
        present[int(rng.integers(n_teams))] = True
        submissions = []
        for team in np.flatnonzero(present).tolist():
            is_right = rng.random(len(gold)) < right[team]
            codes = np.where(is_right, gold, rng.integers(0, len(labels), len(gold)))
            submissions.append(Submission(NAMES[team], codes.astype(np.uint8)))
        ids = [f"s{item}-x" for item in range(n_shared)]
        ids += [f"t{track}-{item}-x" for item in range(n_own)]
        weight = float(rng.choice([1.0, 1.0, 2.0]))
        task = Task(
            f"t-{track}", f"T: T{track}", labels, metric, policies=policies, family="t", part=f"T{track}",
            overall=rule or None, weight=weight,
        )  # fmt: skip
        evaluation = evaluate(
            Campaign(task, Gold(labels, gold, item_ids=tuple(ids)), tuple(submissions))
        )
        vars(evaluation)["baselines"] = ()  # found at once; their sentence has a test of its own
        tracks.append(evaluation)
    return tracks


class Said:
    """What is said of a campaign, and what its tracks say by themselves, by the names of teams."""

    def __init__(self, tracks):
        self.tracks = tracks
        self.found = CampaignFindings(tracks)
        self.words = CampaignWords(self.found)
        self.sentences = [self.words.verdict(), *self.words.more()]
        self.text = " ".join(self.sentences)

    def entries(self, track):
        return [entry.team for entry in track.entries]

    def confidence_set(self, track):
        comparison = track.certainty.comparison(track.task.ranking_metric)
        return {self.entries(track)[entry] for entry in comparison.contenders}

    def firsts(self, track):
        return {self.entries(track)[entry] for entry in track.winners(track.task.ranking_metric)}

    def is_ahead(self, track, one, other):
        names = self.entries(track)
        if one not in names or other not in names:
            return False
        comparison = track.certainty.comparison(track.task.ranking_metric)
        return bool(comparison.ahead[names.index(one), names.index(other)])

    @property
    def track(self):
        return {track.task.part: track for track in self.tracks}


def check_verdict(said):
    """The first is first by its rule, computed anew from the tracks' scores; all who tie are named."""
    found = said.found
    n_tracks = len(said.tracks)
    everywhere = set(NAMES)
    for track in said.tracks:
        everywhere &= set(said.entries(track))
    if "ranks first over the" not in said.text or found.rule != "mean score":
        return
    weights = np.array([track.task.weight for track in said.tracks])
    means = {}
    for team in everywhere:
        scores = [
            track.scores_of(track.task.ranking_metric)[said.entries(track).index(team)]
            for track in said.tracks
        ]
        means[team] = float(np.average(scores, weights=weights))
    first = re.match(
        r"(\w+) ranks first over the (\w+) tracks with .* of (-?[\d.]+\d)\b", said.sentences[0]
    )
    assert first is not None, said.sentences[0]
    name, counted, printed = first.groups()
    assert NUMBERS[counted] == n_tracks
    assert means[name] == pytest.approx(max(means.values()))
    assert float(printed) == pytest.approx(means[name], abs=6e-4)


def check_tracks(said):
    """What is said of single tracks holds in the comparisons of these tracks, and is said where it holds."""
    found = said.found
    names = {found.tracks.rows[row].name for row in found.winners}
    first_somewhere = any(said.firsts(track) & names for track in said.tracks)
    if found.winners and len(found.ranked) > 1:
        assert ("first in none of the tracks" in said.text) == (not first_somewhere), said.text
    if "but in no single track" in said.text:
        (name,) = names
        assert "significantly ahead of" in said.sentences[0]
        assert not any(said.confidence_set(track) == {name} for track in said.tracks), said.text
    alone = r"(\w+) is significantly ahead of all other teams in (T\d), but"
    for name, part in re.findall(alone, said.text):
        assert said.confidence_set(said.track[part]) == {name}, said.text
        assert not found.is_significant or names != {name}, said.text
    for named in re.findall(
        r"(?:^|\. )([\w, ]+?) (?:is|are) in the confidence set of every track", said.text
    ):
        for name in re.split(r", | and ", named):
            assert all(name in said.confidence_set(track) for track in said.tracks), said.text
    for sentence in said.sentences:
        assert "nan" not in sentence.casefold()


def check_pairs(said):
    """Of a pair of which one is ahead in every track, the other is not ahead over all."""
    found = said.found
    if found.comparison is None:
        return
    rows = found.tracks.rows
    for one, other in np.argwhere(found.comparison.ahead).tolist():
        behind = [said.is_ahead(track, rows[other].name, rows[one].name) for track in said.tracks]
        assert not all(behind)
    for row in found.contrasts.everywhere_but_overall:
        assert not found.comparison.could_be_best[row]


def check_left_out(said):
    """Without a track the campaign is the campaign of the others: the same winners, the same verdict on the first."""
    if said.found.n_tracks < 3:
        return
    choice = said.found.tracks_left_out[0]
    alone = CampaignFindings(
        [track for place, track in enumerate(said.tracks) if str(place) != choice.name]
    )
    if alone.rule != said.found.rule:
        return
    here = {said.found.tracks.rows[row].name for row in choice.winners}
    assert {alone.tracks.rows[row].name for row in alone.winners} == here
    if choice.comparison is not None and alone.comparison is not None:
        sentence = said.words.choice_sentence(choice)
        if sentence.endswith(", too."):
            assert alone.is_significant, sentence


@lru_cache(maxsize=AT_ONCE * 2)
def said_of(seed):
    """What is said of one random campaign; made once."""
    return Said(random_tracks(seed))


@pytest.mark.parametrize("start", range(0, N_CAMPAIGNS, AT_ONCE))
def test_no_sentence_contradicts_a_track(start):
    """Each of the sentences' closed set, read back."""
    for seed in range(start, start + AT_ONCE):
        said = said_of(seed)
        for check in (check_verdict, check_tracks, check_pairs):
            check(said)
        if seed % 10 == 0:
            check_left_out(said)


def test_the_random_campaigns_say_every_kind_of_sentence():
    """Else the law would hold of nothing: each odd case occurs among the first hundred."""
    texts = [said_of(seed).text for seed in range(100)]
    for pattern in (
        "significantly ahead of",
        "its lead is not statistically significant",
        "first in none of the tracks",
        "but over all tracks",
        "skipped a track",
        "may be equally good or better",
        "tie for first place",
    ):
        assert any(pattern in text for text in texts), pattern
