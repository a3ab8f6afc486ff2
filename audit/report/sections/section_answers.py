"""The first sentence of each section: the answer to its question, from what the evaluation knows."""

from audit.domain import Evaluation
from audit.flags.power_sentences import power_sentences
from audit.flags.rules.certainty_rules import comparison_of, undecided
from audit.flags.wording import entrants, of
from audit.metrics import metric_of
from audit.report.page import SectionAnswers
from audit.report.sections.certainty_section import how_many_pairs
from audit.report.sections.distributions_section import map_statements
from audit.report.table_printing import Printing
from audit.report.tables import classwise_table, gap_table, winners_table
from audit.sentences import say
from audit.text import agreeing, plural

_OF_RANKS = "a mean of ranks depends on who takes part, and no item adds to it by itself"


def answers_of(show: Printing) -> SectionAnswers:
    """The short answers of all sections."""
    evaluation = show.evaluation
    winner_map = evaluation.winner_map
    power = power_sentences(evaluation)
    return SectionAnswers(
        ahead=_ahead(evaluation),
        macro_f1=gap_table(show).caption,
        metrics=winners_table(show).caption,
        distributions="" if winner_map is None else map_statements(evaluation, winner_map)[0],
        classes=classwise_table(show, "recall").caption,
        power=power[0] if power else say("power-left-out"),
        data=_data(evaluation),
    )


def _ahead(evaluation: Evaluation) -> str:
    """How many pairs the test set separates, or why it separates none."""
    key = evaluation.task.ranking_metric
    if evaluation.certainty is None:
        return say("pairs-left-out")
    comparison = comparison_of(evaluation, key)
    if comparison is None:
        of_ranks = metric_of(key.metric, evaluation.task.label_set).of_ranks
        reason = _OF_RANKS if of_ranks else undecided(evaluation, evaluation.certainty.comparisons[0])
        return say("nothing-compared", metric=of(evaluation, key), reason=reason)
    return how_many_pairs(evaluation, comparison)


def _data(evaluation: Evaluation) -> str:
    """How much was loaded, and what was not."""
    n_items, n_files = evaluation.gold.n_items, len(evaluation.rejections)
    loaded = f"{plural(n_items, 'gold label')}, {entrants(evaluation, int(evaluation.competing.sum()))} in the ranking"
    beside = int((~evaluation.competing).sum())
    others = f", {beside:,} beside it" if beside else ""
    unloaded = f"; {plural(n_files, 'file')} {agreeing(n_files, 'was', 'were')} not loaded" if n_files else ""
    ignored = f"; {plural(len(evaluation.ignored), 'file')} ignored" if evaluation.ignored else ""
    return f"{loaded}{others}{unloaded}{ignored}."
