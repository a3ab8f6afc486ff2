"""The section on other class distributions: sentences, pictures and tables from the winner maps."""

from collections import Counter

from audit.domain import OBSERVED, Evaluation, ScoreKey, WinnerMap
from audit.flags.distribution_rules import class_changes
from audit.metrics import AGGREGATES, Holds, named_metric, phrase
from audit.ranking import winner_maps
from audit.report.page import Distributions, LegendEntry, Picture
from audit.report.picture import THREE, Drawn, Winners, drawn, names_of, picture
from audit.report.table_printing import AVERAGED, OF_AVERAGES, Printing
from audit.report.tables.distributions_tables import held_by_metric_table, held_by_team_table, interval
from audit.sentences import say
from audit.text import number

COLOURS = 6
MOST_BARS = 40


def distributions_of(show: Printing) -> Distributions | None:
    """The section; None where no class distribution could change the winner, for want of teams or classes."""
    evaluation = show.evaluation
    found = evaluation.winner_map
    if found is None:
        return None
    maps = winner_maps(evaluation, [ScoreKey(metric.slug) for metric in AGGREGATES])
    pictures, legend = _pictures(show)
    return Distributions(
        statements=map_statements(evaluation, found)[1:],
        pictures=pictures,
        legend=legend,
        note=_note(evaluation),
        teams=held_by_team_table(show, found),
        metrics=held_by_metric_table(show, maps),
        method=_method(found),
    )


def map_statements(evaluation: Evaluation, found: WinnerMap) -> tuple[str, ...]:
    """Who holds how much, and how near the next winner is."""
    by = phrase(found.key, evaluation.task.label_set)
    if found.key.prevalence != OBSERVED.name:
        stated = f"The ranking is by {by}, which states its prevalence. What follows is the metric elsewhere."
        return stated, _holds(evaluation, found), _nearest(evaluation, found)
    properties = named_metric(found.key.metric, evaluation.task.label_set).metric.properties
    if properties is not None and properties.prevalence_invariant is Holds.YES:
        who = names_of(evaluation, found.winners)
        return (f"By {by} {who} is first whatever the class distribution: the metric is prevalence-invariant.",)
    return _holds(evaluation, found), _nearest(evaluation, found)


def _holds(evaluation: Evaluation, found: WinnerMap) -> str:
    """Who wins how much of the simplex, and how much of what is close."""
    by, most = phrase(ScoreKey(found.key.metric), evaluation.task.label_set), int(found.uniform.argmax())
    others = f" {names_of(evaluation, (most,))} wins most of the simplex: {number(float(found.uniform[most]))}."
    return (
        f"Over all class distributions alike, {names_of(evaluation, found.winners)} would be first by {by} on "
        f"{number(found.holds_uniform)} of the simplex ({interval(found.holds_uniform, found.n_draws)}), and on "
        f"{number(found.holds_nearby)} of the distributions around this one "
        f"({interval(found.holds_nearby, found.n_draws)}).{'' if most in found.winners else others}"
    )


def _nearest(evaluation: Evaluation, found: WinnerMap) -> str:
    if found.nearest is None:
        return "No class distribution was found at which another team is first."
    shift = found.nearest
    return (
        f"The nearest class distribution found at which {names_of(evaluation, shift.winners)} is first instead: "
        f"{class_changes(evaluation, found)}; total variation distance {number(shift.distance)}, that is "
        f"{shift.distance * 100:.2g}% of the items of other classes."
    )


def _method(found: WinnerMap) -> tuple[str, ...]:
    assumed = (
        "A class distribution scales the gold rows of every confusion (Opitz 2024, equation 5): how a team answers the "
        "items of a class stays as it is. Data that differ in more than their classes are not covered."
    )
    computed = (
        f"Shares: {found.n_draws:,} distributions drawn uniformly from the simplex, and {found.n_draws:,} from a "
        f"Dirichlet distribution around this one with parameters that sum to {found.concentration:g} (mean total "
        f"variation distance {number(found.spread)}), seed {found.seed}; {say('monte-carlo-method')} The nearest "
        "distribution is found by search: for accuracy it is exact, for other metrics a nearer one may exist."
    )
    return assumed, computed


def _note(evaluation: Evaluation) -> str:
    n_classes = int(evaluation.present.sum())
    if n_classes == THREE:
        return (
            "Each point of a triangle is a class distribution: all items of one class in its corner, none of it on the "
            "side across. The filled diamond is the distribution at which the ranking stands, the open one balanced "
            "prevalence."
        )
    shown = "the" if n_classes <= MOST_BARS else f"the {MOST_BARS} largest classes, the"
    return (
        f"Each bar takes the share of one class from 0 to 1, the other classes in the proportions of gold; {shown} "
        "diamond is the share at which the ranking stands."
    )


# Pictures


def _pictures(show: Printing) -> tuple[tuple[Picture, ...], tuple[LegendEntry, ...]]:
    """Pictures of the metrics that matter most, and the regions that have a colour in all of them."""
    evaluation = show.evaluation
    maps = [drawn(evaluation, key, MOST_BARS) for key in _keys_drawn(evaluation)]
    styles = _styles(evaluation, maps)
    pictures = tuple(picture(evaluation, each, styles, place) for place, each in enumerate(maps))
    legend = tuple(
        LegendEntry(sign, names_of(evaluation, winners), style) for winners, (sign, style) in styles.items() if sign
    )
    return pictures, legend


def _keys_drawn(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The ranking metric, and beside it what it is compared with; of many classes only one that can change."""
    ranking = evaluation.task.ranking_metric
    keys = tuple(dict.fromkeys((ranking, AVERAGED, OF_AVERAGES, ScoreKey("accuracy"))))
    if evaluation.present.sum() <= THREE:
        return keys
    found = evaluation.winner_map
    return keys[:1] if found is not None and found.nearest is not None else (AVERAGED,)


def _styles(evaluation: Evaluation, maps: list[Drawn]) -> dict[Winners, tuple[str, str]]:
    """A number and a colour for the largest regions, in the order of the ranking; the others share a grey."""
    areas: Counter[Winners] = Counter()
    for each in maps:
        areas.update(each.areas)
    ranks = evaluation.ranks_of(evaluation.task.ranking_metric)
    largest = [winners for winners, _ in areas.most_common(COLOURS) if winners]
    ordered = sorted(largest, key=lambda winners: (min(ranks[team] for team in winners), winners))
    styles = {winners: (str(place + 1), f"region w{place}") for place, winners in enumerate(ordered)}
    return {winners: styles.get(winners, ("", "region other")) for winners in (*ordered, *areas)}
