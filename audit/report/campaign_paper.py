"""The paragraph of a paper on a campaign with several tracks, and its methods, in sentences."""

from collections.abc import Iterator

import numpy as np

from audit.domain import State, detectable
from audit.findings.campaign import MEAN, CampaignFindings
from audit.findings.numbers_in_words import p_phrase
from audit.report.campaign_words import CampaignWords
from audit.sentences import say
from audit.text import agreeing, in_words, listed, number, plural


def results_of_campaign(found: CampaignFindings) -> list[str]:
    """Five sentences: who was ranked, who is first and how sure, what that depends on, what is significant."""
    return [sentence for sentence in _results(found) if sentence]


def _results(found: CampaignFindings) -> Iterator[str]:
    words = CampaignWords(found)
    if not found.winners:
        yield words.verdict()
        return
    were = agreeing(len(found.ranked), "was", "were")
    yield (
        f"{plural(len(found.ranked), words.noun)} {were} ranked by {found.rule} over "
        f"{plural(found.n_tracks, 'track')} with {words.items()}. {words.participation()}"
    )
    yield _first(found, words)
    changed = [
        choice
        for choice in found.choices
        if choice.winners and set(choice.winners) != set(found.winners)
    ]
    if not changed:
        yield say("The first place does not depend on the overall rule or on any single track.")
    else:
        clauses = []
        for choice in changed[:3]:
            state = {State.OTHER_SHOWN, State.OTHER_SHOWN_THERE}
            if choice.state in state:
                sure = "significantly ahead"
            else:
                sure = "not significantly ahead"
            if choice.state is State.NOT_TESTED:
                sure = "not tested"
            clauses.append(
                f"{words.listed_names(choice.winners, 2)} {words.choice_name(choice)} ({sure})"
            )
        yield say(f"The first place depends on how tracks are summed up: {listed(clauses)}.")
    yield _pairs(found)


def _first(found: CampaignFindings, words: CampaignWords) -> str:
    first = found.winners[0]
    comparison = found.comparison
    who = words.listed_names(found.winners)
    reached = words.reached(first)
    if comparison is None or len(found.winners) > 1 or not comparison.compares([first]):
        if len(found.winners) == 1:
            rank = "ranked"
        else:
            rank = "tied"
        return say(f"{who} {rank} first with {reached}; the lead was not tested.")
    interval = f"95% CI [{words.interval(found.rule, first)}], corrected for selection"
    others = [row for row in found.ranked if row != first and comparison.compares([row])]
    if not others:
        return say(f"{who} ranked first with {reached} ({interval}); nobody else was compared.")
    if found.is_significant:
        p = float(comparison.adjusted_p[first, others].max())
        bound = p_phrase(p)
        if not bound.startswith("<"):
            bound = f"≤ {number(p)}"
        return say(
            f"{who} ranked first with {reached} ({interval}), significantly ahead of {words.all_others()} "
            f"(adjusted p {bound})."
        )
    n_others = sum(row not in found.winners for row in comparison.contenders)
    second = others[0]
    p_of_lead = p_phrase(float(comparison.adjusted_p[first, second]))
    return say(
        f"{who} ranked first with {reached} ({interval}); its lead over {words.names[second]} is not statistically "
        f"significant (adjusted p {p_of_lead}), and {in_words(n_others)} other {words.noun}{'s' * (n_others > 1)} "
        f"{agreeing(n_others, 'belongs', 'belong')} to the 95% confidence set for the best {words.noun}."
    )


def _pairs(found: CampaignFindings) -> str:
    comparison = found.comparison
    error = found.median_error
    if comparison is None or np.isnan(error):
        return ""
    n_pairs = found.n_compared * (found.n_compared - 1) // 2
    power = ""
    if np.isfinite(comparison.critical_value):
        detected = detectable(comparison.critical_value, error)
        likely = CampaignWords(found).difference(found.rule, detected)
        power = f", and true differences below {likely} are detected with less than 80% power"
    return say(
        f"{int(comparison.ahead.sum()):,} of {n_pairs:,} pairwise differences over all tracks are significant{power}; "
        "a non-significant difference is not evidence of equality, and errors in the gold labels are not modelled."
    )


def methods_of_campaign(found: CampaignFindings) -> list[str]:
    """How tracks were summed up and compared."""
    words = CampaignWords(found)
    official = f"Teams were ranked by the {found.rule} over the tracks."
    if found.rule == MEAN:
        official = f"Teams were ranked by {words.mean_of()} over the tracks."
    return [official, *words.method()]
