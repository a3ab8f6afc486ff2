"""Item by item: who answered what right. Only for who asks, since it gives the test set away."""

from typing import Any

import numpy as np

from audit.domain import Campaign, Evaluation
from audit.questions.gold_items import GoldItems
from audit.writers.data.export import csv_line, csv_text


def items_of(evaluation: Evaluation, campaign: Campaign) -> GoldItems:
    """The items of an evaluation, with the answers of its entries as the campaign has them."""
    labels, gold = evaluation.task.label_set, campaign.gold
    codes = np.stack(campaign.predictions_of(evaluation.entries))
    return GoldItems(
        names=evaluation.names,
        ids=gold.item_ids,
        gold=tuple(map(labels.labels.__getitem__, gold.codes.tolist())),
        right=codes == gold.codes,
        answered=codes < len(labels),
    )


def items_data(items: GoldItems) -> dict[str, Any]:
    """The items as plain data: a list for each property, in the order of gold."""
    return {
        "ids": None if items.ids is None else list(items.ids),
        "gold": list(items.gold),
        "entries_right": items.n_right.tolist(),
    }


def items_csv(items: GoldItems) -> str:
    """A row for each item: id, gold label, how many entries are right, and who alone is right or wrong."""
    n_right, n_teams = items.n_right, len(items.names)
    names = np.array(list(map(csv_text, items.names)), dtype=object)
    alone_right = np.where((n_right == 1) & (n_teams > 1), names[items.right.argmax(axis=0)], "")
    alone_wrong = np.where((n_right == n_teams - 1) & (n_teams > 1), names[items.right.argmin(axis=0)], "")
    columns = (
        range(1, len(items.gold) + 1),
        map(csv_text, items.ids or [""] * len(items.gold)),
        map(csv_text, items.gold),
        n_right.tolist(),
        alone_right.tolist(),
        alone_wrong.tolist(),
    )
    head = ("item", "id", "gold", "entries_right", "only_right", "only_wrong")
    return "".join(map(csv_line, (head, *zip(*columns, strict=True))))


def answers_csv(items: GoldItems) -> str:
    """A row for each item, a column for each entry: 1 right, 0 wrong, empty where unanswered."""
    cells = np.where(items.answered, np.where(items.right, "1", "0"), "").T.tolist()
    ids = map(csv_text, items.ids or [""] * len(items.gold))
    rows = ((place, name, *row) for place, (name, row) in enumerate(zip(ids, cells, strict=True), start=1))
    return "".join(map(csv_line, (("item", "id", *map(csv_text, items.names)), *rows)))
