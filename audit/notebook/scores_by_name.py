"""The scores of a notebook's evaluation by their names: a name that is none of them is explained."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from audit.domain import LabelSet, ScoreKey
from audit.notebook.call_arguments import score_named


class ScoresByName(pd.DataFrame):
    """A DataFrame with a column for each score, or two; what is cut from it is a plain DataFrame or Series."""

    keys_and_labels: tuple[Sequence[ScoreKey], LabelSet]
    _metadata = ["keys_and_labels"]  # noqa: RUF012 - pandas reads it so

    def __getitem__(self, name: Any) -> Any:  # noqa: ANN401 - as pandas has it
        if isinstance(name, str) and name not in self.columns:
            name = str(score_named(*self.keys_and_labels, name))
        return super().__getitem__(name)
