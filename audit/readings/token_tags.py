"""The spans that tags of tokens mark, scored beside the tokens."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from audit.domain import OBSERVED, Evaluation, Feature, Kind, LabelSet, ScoreKey, SpanScores
from audit.domain.analyses import analysis
from audit.domain.arrays import Codes
from audit.domain.sets import NOTHING, GivenSets, Pool
from audit.domain.tags import NO_TAG, are_tags, spans_of
from audit.metrics import count_cells, score

_MOST_TAGS = 4_000_000  # of gold and all entries: spans of these take some ten seconds


@analysis("spans", takes=("predictions",), needs=frozenset({Feature.ANSWERS}))
def span_scores(evaluation: Evaluation, predictions: Sequence[Codes]) -> SpanScores | None:
    """Micro F1 and mean F1 of types of spans, where labels are tags of the tokens of sequences; None elsewhere.

    Broken tags are read as conlleval reads them; a tag that gold lacks, or none, marks no span.
    """
    gold = evaluation.gold
    tags = evaluation.task.label_set.labels
    has_answers = evaluation.task.label_set.supports(Feature.ANSWERS)
    if not has_answers or gold.groups is None or gold.unit != "sequence" or not are_tags(tags):
        return None
    of_token = [*tags, "O", "O"]
    stops = [0, *(np.flatnonzero(np.diff(gold.groups)) + 1).tolist(), gold.n_items]
    n_outside = sum(
        int((gold.codes == code).sum()) for code, tag in enumerate(tags) if tag in NO_TAG
    )
    share = n_outside / gold.n_items
    if gold.n_items * (1 + len(predictions)) > _MOST_TAGS:
        return SpanScores(share, None)
    taggings = ([of_token[code] for code in codes.tolist()] for codes in (gold.codes, *predictions))
    every = [
        GivenSets.of(
            [
                spans_of(tagging[start:stop], "conll", closed=False)
                for start, stop in pairwise(stops)
            ]
        )
        for tagging in taggings
    ]
    types = sorted({label for sets in every for label, _ in sets.distinct})
    label_set = LabelSet((*types, NOTHING), rest=NOTHING, kind=Kind.SPANS)
    pool = Pool.of(every, types)
    of_gold, *teams = map(pool.codes, every)
    keys = [ScoreKey("micro_f1"), ScoreKey("averaged_f1")]
    return SpanScores(
        share, score(count_cells(of_gold, teams, len(label_set)), keys, [OBSERVED], label_set)
    )
