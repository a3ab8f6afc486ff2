"""The scores of a notebook's evaluation by their names: a name that is none of them is explained."""

from collections.abc import Sequence
from typing import Any, Self

import pandas as pd

from audit.domain import LabelSet, ScoreKey
from audit.errors import UsageError
from audit.notebook.call_arguments import score_named


class ScoresByName(pd.DataFrame):
    """A DataFrame with a column for each score, or two; what is cut from it is a plain DataFrame or Series."""

    keys_and_labels: tuple[Sequence[ScoreKey], LabelSet]
    _metadata = ["keys_and_labels"]  # noqa: RUF012 - pandas reads it so

    @classmethod
    def of(cls, frame: pd.DataFrame, keys: Sequence[ScoreKey], label_set: LabelSet) -> Self:
        """A DataFrame that knows which scores there are."""
        scores = cls(frame)
        scores.keys_and_labels = (keys, label_set)
        return scores

    def __getitem__(self, name: Any) -> Any:  # noqa: ANN401 - as pandas has it
        try:
            return super().__getitem__(name)
        except KeyError:
            if not isinstance(name, str):
                raise
        try:
            keys, label_set = self.keys_and_labels
            key = score_named(keys, label_set, name)
        except UsageError as error:
            raise error.with_traceback(None) from None
        return super().__getitem__(str(key))
