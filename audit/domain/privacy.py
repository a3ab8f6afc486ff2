"""What a report must not give away: the item ids of a test set that may still be in use.

A message quotes what stands in a file. Where a team's file has an id in place of a label, or of a column's name, the
message would quote that.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from audit.domain.campaign import Campaign, JournalEntry, Rejection, Submission
from audit.errors import Issue
from audit.text import quoted, visible

WITHHELD = "an item id"
"""What stands in place of an id."""

_QUOTED = re.compile("“([^“”]*)”")
_ELLIPSIS = "…"
_WHOLE = 10_000


def without_item_ids(campaign: Campaign) -> Campaign:
    """The campaign as far as it may be reported: no message, and no unusable label, holds an item id of gold.

    Predictions, digests and gold stay as they are. Labels of the label set are no secret, and neither are ids that
    only count the items.
    """
    ids = _Ids(campaign)
    if not ids.secret:
        return campaign
    return replace(
        campaign,
        task=replace(campaign.task, assumptions=tuple(map(ids.withheld, campaign.task.assumptions))),
        submissions=tuple(map(ids.of_submission, campaign.submissions)),
        rejections=tuple(
            Rejection(rejection.path, ids.of_issues(rejection.issues)) for rejection in campaign.rejections
        ),
        journal=tuple(
            JournalEntry(entry.action, entry.subject, ids.withheld(entry.text), entry.count)
            for entry in campaign.journal
        ),
    )


@dataclass(frozen=True, eq=False)
class _Ids:
    """The ids of a campaign, as messages would show them."""

    campaign: Campaign

    @cached_property
    def secret(self) -> frozenset[str]:
        """The ids that say something."""
        ids, labels = self.campaign.gold.item_ids or (), frozenset(self.campaign.task.label_set)
        return frozenset(item_id for item_id in ids if not _counts(item_id, len(ids))) - labels

    @cached_property
    def _shown(self) -> frozenset[str]:
        return frozenset(item_id if item_id.isprintable() else visible(item_id, _WHOLE) for item_id in self.secret)

    @cached_property
    def _with_quotes(self) -> tuple[str, ...]:
        return tuple(quoted(shown, _WHOLE) for shown in sorted(self._shown) if "“" in shown or "”" in shown)

    def withheld(self, text: str) -> str:
        """A message without ids."""
        for shown in self._with_quotes:
            text = text.replace(shown, quoted(WITHHELD))
        return _QUOTED.sub(lambda found: quoted(WITHHELD) if self._is_secret(found[1]) else found[0], text)

    def _is_secret(self, text: str) -> bool:
        """Whether it is an id, or what is left of a long one that was cut in its middle."""
        if text in self._shown:
            return True
        start, cut, end = text.partition(_ELLIPSIS)
        return bool(cut and start and end) and any(
            shown.startswith(start) and shown.endswith(end) for shown in self._shown
        )

    def of_issues(self, issues: Iterable[Issue]) -> tuple[Issue, ...]:
        return tuple(
            replace(
                issue,
                found=self.withheld(issue.found),
                expected=self.withheld(issue.expected),
                remedy=self.withheld(issue.remedy),
            )
            for issue in issues
        )

    def of_submission(self, submission: Submission) -> Submission:
        if not submission.issues and not submission.unusable_labels:
            return submission
        counts: dict[str, int] = {}
        for label, count in submission.unusable_labels:
            shown = WITHHELD if label in self.secret else label
            counts[shown] = counts.get(shown, 0) + count
        return replace(submission, issues=self.of_issues(submission.issues), unusable_labels=tuple(counts.items()))


def _counts(item_id: str, n_items: int) -> bool:
    """Whether an id is a number from 0 to the number of items, which anybody could have guessed."""
    return item_id.isascii() and item_id.isdigit() and len(item_id) <= len(str(n_items)) and int(item_id) <= n_items
