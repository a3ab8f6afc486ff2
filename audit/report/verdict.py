"""May the first be called the winner, and what does that depend on? The verdict, beside the ranking it is about."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from audit.document import Depends, Span, Text, Verdict
from audit.domain import Dependence, Evaluation, State
from audit.findings.comparisons import state_in_words
from audit.sentences import say

_HREFS: Mapping[str, tuple[str, str]] = {
    "groups": ("#data", "How gold was read"),
    "scale": ("#data", "How gold was read"),
    "other-test-set": ("#data", "Which, and why"),
    "unused-files": ("#data", "Which, and why"),
    "runs": ("#data", "Which"),
    "first-place": ("#definition", "The sentence"),
}


def verdict_block(evaluation: Evaluation) -> Verdict:
    """Sentence, what the first place depends on, and what to do before publishing, each with a link to its reason."""
    verdict = evaluation.verdict
    to_do: list[Text] = []
    for each in verdict.to_do:
        href, label = _HREFS.get(each.about, (f"#finding-{each.about}", "Why"))
        to_do.append((each.text, " ", Span(label, href=href)))
    no_evidence = say("A lead that is not significant is no evidence of equality.")
    return Verdict(
        sentence=verdict.sentence,
        more=verdict.more,
        depends_on=tuple(_verdict_rows(verdict.depends_on)),
        note=no_evidence
        if State.OTHER_NOT_SHOWN in {each.state for each in verdict.depends_on}
        else "",
        to_do=tuple(to_do),
    )


def _verdict_rows(dependences: tuple[Dependence, ...]) -> Iterator[Depends]:
    """A row for each choice; what has the same state is said in one clause, what changes the winner first."""
    for title, rows in groupby(dependences, key=lambda dependence: dependence.title):
        ordered = sorted(rows, key=lambda each: (list(State).index(each.state), each.reason))
        clauses = []
        for (state, reason), group in groupby(ordered, key=lambda each: (each.state, each.reason)):
            alike = list(group)
            if reason:
                because = f" ({reason})"
            else:
                because = ""
            words = state_in_words(state, alike[0].choice) + because
            clauses.append(("; ".join(each.first for each in alike), words, state.value))
        yield Depends(title, tuple(clauses))
