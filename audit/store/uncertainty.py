"""Uncertainty ⇄ rows: columns for those who ask in SQL; arrays, in their order and to the last bit, for the program.

Rank sets and intervals stand in both, since a column knows neither the order of an evaluation's scores nor -0.0. What
is read back are the arrays.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from audit.domain import Comparison, Evaluation, ScoreKey, Uncertainty
from audit.store.packing import deflated, float_bytes, inflated
from audit.store.rows import undefined_as_null
from audit.store.tables import Base, ComparisonRow, PackedArrayRow, RankSetRow, UncertaintyRow

Arrays = Mapping[str, NDArray[Any]]
Rows = list[dict[str, Any]]
Compared = tuple[str, str, float | None]
"""A comparison's metric, prevalence and critical value."""

_COUNTS = ("n_replicates", "seed", "n_groups", "n_repaired", "n_spearman")
_SHARES = ("share_left_out", "macro_f1_disagreement", "prevalence_disagreement")
_OF_ALL = ("lower", "upper", "gap_lower", "gap_upper", "spearman_lower", "spearman_upper")
_OF_A_METRIC = {
    "standard_error": np.float64,
    "adjusted_p": np.float64,
    "separable": np.bool_,
    "rank_sets": np.int64,
    "tiers": np.int64,
    "rank_shares": np.float64,
    "behind_lower": np.float64,
    "behind_upper": np.float64,
    "randomization_p": np.float64,
    "delta_error": np.float64,
}


def digest_of(uncertainty: Uncertainty) -> str:
    """SHA-256 of all that an uncertainty says."""
    return _digest(_numbers(uncertainty), list(map(_compared, uncertainty.comparisons)), _arrays(uncertainty))


def rows_of(
    uncertainty: Uncertainty, evaluation: Evaluation, evaluation_id: int, submission_ids: list[int]
) -> Iterator[tuple[type[Base], Rows]]:
    """The rows of each table, those first that others refer to.

    Parameters
    ----------
    uncertainty : Uncertainty
        The evaluation's.
    evaluation : Evaluation
        What it is the uncertainty of.
    evaluation_id : int
        The evaluation's row.
    submission_ids : list of int
        The rows of its entries, in their order.
    """
    of = {"evaluation_id": evaluation_id}
    yield UncertaintyRow, [{**of, **_numbers(uncertainty), "digest": digest_of(uncertainty)}]
    numbered = enumerate(uncertainty.comparisons)
    yield ComparisonRow, [{**of, **_comparison_row(*each)} for each in numbered]
    sets = (zip(submission_ids, _rank_sets(each), strict=True) for each in uncertainty.comparisons)
    ranked = ((row_id, rank_set) for each in sets for row_id, rank_set in each if rank_set["tier"])
    yield RankSetRow, [{**of, "submission_id": row_id, **rank_set} for row_id, rank_set in ranked]
    arrays = _arrays(uncertainty).items()
    yield PackedArrayRow, [{**of, "name": name, **_packed(name, array, evaluation)} for name, array in arrays]


def saved_uncertainty(session: Session, evaluation_id: int) -> Uncertainty | None:
    """The uncertainty as it was saved; None where nothing was resampled.

    Raises
    ------
    ValueError, and whatever else rows can raise that no program of ours wrote
        When the store is damaged.
    """
    row = session.get(UncertaintyRow, evaluation_id)
    if row is None:
        return None
    numbers = {name: getattr(row, name) for name in (*_COUNTS, *_SHARES)}
    compared, arrays = _read_compared(session, evaluation_id), _read_arrays(session, evaluation_id)
    if _digest(numbers, compared, arrays) != row.digest:
        raise ValueError("not what was computed")
    said: dict[str, Any] = {
        **{name: numbers[name] for name in _COUNTS},
        **{name: _or_nan(numbers[name]) for name in _SHARES},
        **{name: arrays[name] for name in _OF_ALL},
    }
    return Uncertainty(**said, comparisons=tuple(_comparison_of(*each, arrays) for each in compared))


def _digest(numbers: Mapping[str, Any], compared: list[Compared], arrays: Arrays) -> str:
    state = hashlib.sha256(json.dumps([numbers, compared], sort_keys=True).encode("ascii"))
    for name, array in sorted(arrays.items()):
        state.update(json.dumps([name, array.shape]).encode("ascii"))
        state.update(float_bytes(array))
    return state.hexdigest()


def _arrays(uncertainty: Uncertainty) -> Arrays:
    """Every array by its name: of the whole evaluation, and of each metric whose teams are compared."""
    compared = {_name(name, each.key): getattr(each, name) for each in uncertainty.comparisons for name in _OF_A_METRIC}
    return {**{name: getattr(uncertainty, name) for name in _OF_ALL}, **compared}


def _name(array: str, key: ScoreKey) -> str:
    return f"{array}:{key}"


def _numbers(uncertainty: Uncertainty) -> dict[str, float | None]:
    counts = {name: getattr(uncertainty, name) for name in _COUNTS}
    shares = {name: _number(getattr(uncertainty, name)) for name in _SHARES}
    return {**counts, **shares}


def _number(value: float) -> float | None:
    """A number as a column has it: NULL where undefined, and no -0.0."""
    return None if math.isnan(value) else float(value) + 0.0


def _or_nan(stored: float | None) -> float:
    return math.nan if stored is None else stored


def _compared(comparison: Comparison) -> Compared:
    return comparison.key.metric, comparison.key.prevalence, _number(comparison.critical_value)


def _comparison_row(position: int, comparison: Comparison) -> dict[str, Any]:
    metric, prevalence, critical_value = _compared(comparison)
    return {
        "position": position,
        "metric": metric,
        "prevalence": prevalence,
        "critical_value": critical_value,
        "resolution": _number(comparison.resolution),
    }


def _rank_sets(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """What a comparison says of each team."""
    columns = {
        "first": comparison.rank_sets[:, 0].tolist(),
        "last": comparison.rank_sets[:, 1].tolist(),
        "tier": comparison.tiers.tolist(),
        "share_first": comparison.rank_shares[:, 0].tolist(),
        "behind_lower": undefined_as_null(comparison.behind_lower),
        "behind_upper": undefined_as_null(comparison.behind_upper),
        "randomization_p": undefined_as_null(comparison.randomization_p),
    }
    key = {"metric": comparison.key.metric, "prevalence": comparison.key.prevalence}
    return ({**key, **dict(zip(columns, team, strict=True))} for team in zip(*columns.values(), strict=True))


def _packed(name: str, array: NDArray[Any], evaluation: Evaluation) -> dict[str, Any]:
    stands_for = json.dumps(_stands_for(name, evaluation))
    return {"shape": json.dumps(array.shape), "stands_for": stands_for, "deflated": deflated(array)}


def _stands_for(name: str, evaluation: Evaluation) -> Sequence[str]:
    """What the rows of an array are: scores, metrics of the agreement matrix, or entries."""
    if name in {"lower", "upper"}:
        return [str(key) for key in evaluation.keys]
    if name in {"spearman_lower", "spearman_upper"}:
        return [str(key) for key in evaluation.agreement.keys]
    return evaluation.names


def _read_arrays(session: Session, evaluation_id: int) -> Arrays:
    row = PackedArrayRow
    found = session.execute(select(row.name, row.shape, row.deflated).where(row.evaluation_id == evaluation_id))
    return {name: inflated(content, json.loads(shape)) for name, shape, content in found}


def _read_compared(session: Session, evaluation_id: int) -> list[Compared]:
    row = ComparisonRow
    columns = select(row.metric, row.prevalence, row.critical_value).where(row.evaluation_id == evaluation_id)
    found = session.execute(columns.order_by(row.position))
    return [(metric, prevalence, critical_value) for metric, prevalence, critical_value in found]


def _comparison_of(metric: str, prevalence: str, critical_value: float | None, arrays: Arrays) -> Comparison:
    key = ScoreKey(metric, prevalence)
    own: dict[str, Any] = {
        name: arrays[_name(name, key)].astype(kind, copy=False) for name, kind in _OF_A_METRIC.items()
    }
    for array in own.values():
        array.setflags(write=False)  # as those that stand on the bytes that were read
    return Comparison(key=key, critical_value=_or_nan(critical_value), **own)
