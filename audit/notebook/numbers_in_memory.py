"""Numbers in memory, audited: what a scorer gave each team for every item, or what teams predict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from audit.domain import Campaign, Gold, Kind, LabelSet, Options, Policies, Role, Task, code_dtype
from audit.domain.arrays import Floats
from audit.errors import UsageError
from audit.evaluation import evaluate as evaluate_campaign
from audit.execution import THIS_PROCESS
from audit.formats.door.teams import named_by_difference, named_by_pattern
from audit.formats.files.tree import read_alone
from audit.formats.numbers.columns import StatedColumn, number_columns
from audit.formats.numbers.items import (
    check_gold,
    numbers_label_set,
    submission_of,
    without_items_that_nobody_has,
)
from audit.formats.numbers.score_formats import tables_in
from audit.notebook.call_arguments import (
    checked_settings,
    is_frame,
    is_series,
    kind_of,
    unit_of_groups,
    with_official_metric,
)
from audit.notebook.in_memory import groups_in_order, slice_column
from audit.notebook.notebook_evaluation import NotebookEvaluation
from audit.text import did_you_mean, listed, plural, quoted, slugify

if TYPE_CHECKING:
    import pandas as pd

    from audit.notebook.call_arguments import Labels

_NUMERIC = frozenset("fiu")  # kinds of NumPy types that hold real numbers
_STATE_IN_PYTHON = 'columns={{"{name}": {{"better": "higher"}}}}.'


def evaluate_ratings(  # noqa: PLR0913 - each setting of a task may be said, and none must
    gold: "Labels",
    predictions: "Mapping[str, Labels] | pd.DataFrame",
    *,
    official_metric: str | None = None,
    missing: str | None = None,
    roles: Mapping[str, str] | None = None,
    groups: "Labels | None" = None,
    slices: "Mapping[str, Labels] | None" = None,
    compare: Sequence[str] = (),
    certainty: bool = True,
    seed: int = 1,
    title: str = "Evaluation",
) -> NotebookEvaluation:
    """Audit predicted numbers: gold is a number for each item, and teams predict it.

    Scored are Spearman's ρ, Pearson's r, Kendall's τ-b, the concordance correlation coefficient, the mean absolute
    error, the root mean squared error and R². The correlations of constant predictions are undefined.

    Parameters
    ----------
    gold : pandas Series, list or array of N numbers
        The true numbers.
    predictions : mapping of team name to N numbers, or DataFrame with a column for each team
        Where gold and a prediction are both Series they are aligned by index; everything else is aligned by position.
        NaN and None are missing.
    official_metric : str, optional
        The metric that ranks: ``spearman``, the default, ``pearson``, ``kendall_tau_b``, ``ccc``,
        ``mean_absolute_error``, ``rmse`` or ``r_squared``.
    missing : str, optional
        What is done about missing numbers: ``mean`` puts the team's own mean in their place, ``drop`` leaves them out
        of its scores, which are then marked and not compared, ``reject`` raises. Needed where some are missing.
    roles : mapping of team name to role, optional
        ``baseline``: it stands beside the teams and takes no rank.
    groups : pandas Series, list or array of N values, optional
        Which group an item belongs to, where items are not independent.
    slices : mapping of name to N values, optional
        What cuts the test set into parts that are evaluated by themselves, too.
    compare : sequence of str, optional
        Further metrics by which all pairs of teams are compared.
    certainty : bool
        Whether intervals and comparisons are computed.
    seed : int
        Seeds every draw.
    title : str
        The title of a report.

    Returns
    -------
    NotebookEvaluation
        As of :func:`audit.evaluate`, without what needs classes.

    Raises
    ------
    UsageError
        When lengths differ, something is no finite number, gold is one number throughout and the metric that ranks
        needs more, or numbers are missing and nothing says what to do about it.

    Examples
    --------
    >>> import audit
    >>> gold = [0.1, 0.5, 0.4, 0.9, 0.7, 0.2]
    >>> teams = {"A": [0.2, 0.4, 0.5, 0.8, 0.9, 0.1], "B": [0.5, 0.4, 0.6, 0.5, 0.7, 0.4]}
    >>> audit.evaluate_ratings(gold, teams).scores[["spearman", "rmse"]].round(3)
          spearman   rmse
    team
    A        0.829  0.122
    B        0.294  0.261
    """
    truth = _numbers(gold, "the gold")
    if np.isnan(truth).any():
        raise UsageError(
            f"The gold has no number for item {int(np.isnan(truth).argmax())} (counted from 0)."
        )
    if np.isinf(truth).any():
        raise UsageError("The gold has an infinite number.")
    rows = {
        str(team): _aligned(str(team), gold, given)[:, None]
        for team, given in _by_team(predictions).items()
    }
    label_set = numbers_label_set(Kind.RATINGS)
    return _evaluated(
        rows,
        label_set,
        _gold(label_set, truth.size, groups, slices, numbers=truth),
        official_metric=official_metric,
        missing=missing,
        roles=roles,
        options=Options(seed, certainty, tuple(compare)),
        title=title,
    )


def evaluate_scores(  # noqa: PLR0913 - each setting of a task may be said, and none must
    scores: "Mapping[str, Labels | Mapping[str, Labels] | pd.DataFrame]",
    *,
    columns: Mapping[str, Mapping[str, object]] | None = None,
    official_metric: str | None = None,
    missing: str | None = None,
    weights: "Labels | None" = None,
    roles: Mapping[str, str] | None = None,
    groups: "Labels | None" = None,
    slices: "Mapping[str, Labels] | None" = None,
    compare: Sequence[str] = (),
    certainty: bool = True,
    seed: int = 1,
    title: str = "Evaluation",
) -> NotebookEvaluation:
    """Audit the output of any scorer that gives each team a number for every item; a score is their mean.

    Parameters
    ----------
    scores : mapping of team name to N numbers, to a mapping of column to N numbers, or to a DataFrame
        What the scorer gave each team, all teams in the same order of items; DataFrames are aligned by index. NaN and
        None are missing. An item that no team has is left out for all.
    columns : mapping of column to a mapping, optional
        ``{"COMET": {"better": "higher", "range": (0, 1)}}``. Which end is better must be said where the name does not
        tell; a range gives narrower intervals, and numbers outside it are refused.
    official_metric : str, optional
        The column that ranks; needed where there are several.
    missing : str, optional
        What is done about missing numbers: ``worst`` puts the worst number of the range in their place, ``drop`` leaves
        them out of a team's scores, which are then marked and not compared, ``reject`` raises. Needed where some are
        missing.
    weights : pandas Series, list or array of N numbers, optional
        What each item counts in the means, above 0.
    roles, groups, slices, compare, certainty, seed, title
        As of :func:`audit.evaluate_ratings`.

    Returns
    -------
    NotebookEvaluation
        As of :func:`audit.evaluate`, without what needs classes.

    Raises
    ------
    UsageError
        When teams have different columns or numbers of items, something is no finite number or outside its range, or
        something that must be said is not.

    Examples
    --------
    >>> import audit
    >>> scores = {"A": [0.8, 0.6, 0.9, 0.7], "B": [0.4, 0.5, 0.9, 0.2]}
    >>> audit.evaluate_scores({team: {"BLEU": given} for team, given in scores.items()}).scores
          BLEU
    team
    A     0.75
    B     0.50
    """
    names, rows = _columns_of_teams(scores)
    stated = {name: _stated_column(name, said) for name, said in (columns or {}).items()}
    known, assumptions = number_columns(names, stated, _STATE_IN_PYTHON)
    if official_metric is None and len(names) > 1:
        shown = listed([f"official_metric={name!r}" for name in names], "or", limit=4)
        raise UsageError(f"By which column do teams rank? State it: {shown}.")
    kept = without_items_that_nobody_has(list(rows.values()))
    n_items = kept.size
    gold = _gold(
        numbers_label_set(Kind.SCORES, known),
        n_items,
        groups,
        slices,
        weights=_weights(weights, n_items),
    )
    if not kept.all():
        left_out = plural(int((~kept).sum()), "item")
        assumptions = (*assumptions, f"No team has a number for {left_out}, left out for all.")
        gold, rows = gold.of_items(kept), {team: row[kept] for team, row in rows.items()}
    return _evaluated(
        rows,
        gold.label_set,
        gold,
        official_metric=official_metric,
        missing=missing,
        roles=roles,
        options=Options(seed, certainty, tuple(compare)),
        title=title,
        assumptions=assumptions,
    )


def read_scores(
    files: Iterable[str | Path], *, name: str | None = None
) -> "dict[str, pd.DataFrame]":
    r"""Read what a scorer wrote for every item: what :func:`audit.evaluate_scores` takes.

    Known are tables with a column for each metric, or with columns of metric and score; ``ir_measures -q``,
    ``trec_eval -q``, ``sacrebleu -sl``, mt-metrics-eval's ``.seg.score``, lm-eval's ``samples_*.jsonl`` and HELM's
    ``per_instance_stats.json``.

    Parameters
    ----------
    files : iterable of path
        One file for each team, or files that name the teams themselves. What differs between the names of files is
        the team.
    name : str, optional
        A pattern with ``{team}`` for the names of files, such as ``run-{team}``.

    Returns
    -------
    dict of team name to DataFrame
        A row for each item and a column for each metric.

    Raises
    ------
    InputError
        When a file is in no known format, or a number in it is none.
    UsageError
        When there is no file, or two files are of one team.

    Examples
    --------
    >>> import tempfile
    >>> import audit
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> for team, ap in (("A", 0.5), ("B", 0.25)):
    ...     _ = (folder / f"{team}.txt").write_text(f"q1\tAP\t{ap}\nq2\tAP\t1.0\n")
    >>> audit.evaluate_scores(audit.read_scores(sorted(folder.glob("*.txt")))).scores
             AP
    team
    A     0.750
    B     0.625
    """
    import pandas as pd

    paths = [Path(path) for path in files]
    if not paths:
        raise UsageError("There is no file to read.")
    texts = [path.as_posix() for path in paths]
    if name is None:
        named = named_by_difference(texts)
    else:
        named = named_by_pattern(texts, name)
    frames: dict[str, pd.DataFrame] = {}
    for path, text in zip(paths, texts, strict=True):
        for table in tables_in(str(path), read_alone(path)):
            team = table.team or named[text].team
            if team in frames:
                raise UsageError(
                    f"Two files are of {quoted(team)}: say by name=… how teams stand in their names."
                )
            frames[team] = pd.DataFrame(
                table.values, index=list(table.items), columns=list(table.columns)
            )
    return frames


def _evaluated(  # noqa: PLR0913 - a campaign
    rows: Mapping[str, Floats],
    label_set: LabelSet,
    gold: Gold,
    *,
    official_metric: str | None,
    missing: str | None,
    roles: Mapping[str, str] | None,
    options: Options,
    title: str,
    assumptions: tuple[str, ...] = (),
) -> NotebookEvaluation:
    policies = label_set.kind.traits.missing
    if missing is not None and missing not in policies:
        near = did_you_mean(missing, policies)
        raise UsageError(
            f"missing is {listed([repr(each) for each in policies], 'or')}, not {missing!r}.{near}"
        )
    settings = checked_settings(stratified=False, roles=roles)
    for team in settings.roles:
        if team not in rows:
            raise UsageError(
                f"roles=… names {quoted(team)}, and no team is called that.{did_you_mean(team, rows)}"
            )
    task = Task(
        slug=slugify(title),
        title=title,
        label_set=label_set,
        policies=Policies() if missing is None else Policies(missing=missing),
        assumptions=assumptions,
    )
    task = with_official_metric(task, official_metric)
    check_gold(gold, task)
    submissions = []
    for team, values in rows.items():
        submission = submission_of(team, values, label_set, missing)
        submissions.append(replace(submission, role=settings.roles.get(team, Role.PRIMARY)))
    campaign = Campaign(task, gold, tuple(submissions))
    evaluation = evaluate_campaign(campaign, options)
    return NotebookEvaluation.of(
        evaluation, campaign.predictions_of(evaluation.entries), THIS_PROCESS
    )


def _gold(  # noqa: PLR0913 - what gold has beside numbers
    label_set: LabelSet,
    n_items: int,
    groups: "Labels | None",
    slices: "Mapping[str, Labels] | None",
    *,
    numbers: Floats | None = None,
    weights: Floats | None = None,
) -> Gold:
    return Gold(
        label_set,
        np.zeros(n_items, code_dtype(1)),
        groups=groups_in_order(groups, n_items),
        unit=unit_of_groups(groups),
        slices=tuple(
            slice_column(str(name), values, n_items) for name, values in (slices or {}).items()
        ),
        numbers=numbers,
        weights=weights,
    )


def _numbers(given: object, whose: str) -> Floats:
    """Numbers that were handed over, NaN where there is none."""
    if isinstance(given, str) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) != 1:
        raise UsageError(
            f"Found {kind_of(given)} for {whose}, expected a list, an array of one dimension or a Series."
        )
    values: Any = given
    if getattr(getattr(given, "dtype", None), "kind", "") in _NUMERIC:
        return np.asarray(values, dtype=np.float64) + 0.0  # no negative zero
    try:
        numbers = [np.nan if value is None else float(value) for value in values]
    except (TypeError, ValueError):
        raise UsageError(
            f"{whose[0].upper()}{whose[1:]} has something that is no number."
        ) from None
    return np.array(numbers, dtype=np.float64) + 0.0  # no negative zero


def _by_team(predictions: object) -> Mapping[str, Any]:
    if is_frame(predictions):
        return {str(team): column for team, column in predictions.items()}
    if not isinstance(predictions, Mapping) or not predictions:
        raise UsageError(
            f'Found {kind_of(predictions)}, expected a mapping of teams to numbers: {{"team": numbers}}.'
        )
    return predictions


def _aligned(team: str, gold: Any, given: Any) -> Floats:  # noqa: ANN401 - whatever was said
    """A team's numbers in gold order: by index where both are Series, else by position."""
    if is_series(gold) and is_series(given) and not given.index.equals(gold.index):
        if not (given.index.is_unique and gold.index.is_unique) or len(
            given.index.difference(gold.index)
        ):
            raise UsageError(
                f"The index of {quoted(team)} has an item twice, or one that gold lacks."
            )
        given = given.reindex(gold.index)
    numbers = _numbers(given, quoted(team))
    if numbers.size != len(gold):
        found = f"{plural(numbers.size, 'number')}, and gold has {plural(len(gold), 'item')}"
        raise UsageError(
            f"{quoted(team)} has {found}. Each item needs one, NaN where there is none."
        )
    return numbers


def _columns_of_teams(scores: object) -> tuple[list[str], dict[str, Floats]]:
    """The names of the columns, and each team's numbers, shape (N, K)."""
    given = {str(team): table for team, table in _by_team(scores).items()}
    if all(map(is_frame, given.values())):
        given = _with_all_items(given)
    tables = {team: _columns_of_team(table) for team, table in given.items()}
    first, names = next(iter(tables.items()))
    rows: dict[str, Floats] = {}
    for team, table in tables.items():
        if set(table) != set(names):
            found, expected = (listed([quoted(name) for name in each]) for each in (table, names))
            raise UsageError(
                f"{quoted(team)} has the columns {found}, and {quoted(first)} has {expected}."
            )
        columns = [_numbers(table[name], f"{quoted(name)} of {quoted(team)}") for name in names]
        if {column.size for column in columns} != {len(rows[first]) if rows else columns[0].size}:
            found = f"{plural(columns[0].size, 'item')}, and {quoted(first)} has {len(rows.get(first, columns[-1])):,}"
            raise UsageError(
                f"{quoted(team)} has {found}. Each needs a number for every item, NaN where there is none."
            )
        rows[team] = np.stack(columns, axis=1)
    return list(names), rows


def _with_all_items(frames: Mapping[str, "pd.DataFrame"]) -> dict[str, "pd.DataFrame"]:
    """DataFrames with the items of all of them, in the order in which they first appear."""
    items = dict.fromkeys(item for frame in frames.values() for item in frame.index)
    for team, frame in frames.items():
        if not frame.index.is_unique:
            raise UsageError(f"The index of {quoted(team)} has an item twice.")
    return {team: frame.reindex(list(items)) for team, frame in frames.items()}


def _columns_of_team(given: object) -> dict[str, Any]:
    if is_frame(given):
        return {str(name): column for name, column in given.items()}
    if isinstance(given, Mapping):
        return {str(name): column for name, column in given.items()}
    return {str(getattr(given, "name", None) or "score"): given}


def _stated_column(name: str, said: object) -> StatedColumn:
    known = {"better": ("higher", "lower")}
    if not isinstance(said, Mapping) or not said.keys() <= {"better", "range"}:
        raise UsageError(
            f'columns[{name!r}] is a mapping like {{"better": "higher", "range": (0, 1)}}.'
        )
    better = said.get("better")
    ends = said.get("range")
    if better is not None and better not in known["better"]:
        raise UsageError(f'columns[{name!r}]: better is "higher" or "lower", not {better!r}.')
    try:
        if ends is None:
            span = None
        else:
            span = tuple(map(float, ends))
    except (TypeError, ValueError):
        span = ()
    if span is not None and not (len(span) == 2 and np.isfinite(span).all() and span[0] < span[1]):  # noqa: PLR2004
        raise UsageError(f"columns[{name!r}]: range is two numbers, the lower first, not {ends!r}.")
    return StatedColumn(None if better is None else better == "higher", span)


def _weights(weights: "Labels | None", n_items: int) -> Floats | None:
    if weights is None:
        return None
    numbers = _numbers(weights, "the weights")
    if numbers.size != n_items:
        raise UsageError(
            f"Found {plural(numbers.size, 'weight')} for {plural(n_items, 'item')}; each item needs one."
        )
    if not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise UsageError("weights are numbers above 0: leave out items that count nothing.")
    return numbers
