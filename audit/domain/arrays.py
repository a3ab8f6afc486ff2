"""What the numbers of an array are, for signatures; shapes stand in docstrings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Codes = NDArray[np.unsignedinteger]  # codes of labels: of gold, or of what a submission answers
Counts = NDArray[Any]  # numbers of items, whole or weighted
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
