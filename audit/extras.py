"""The optional libraries: which extra of the package brings them, and the one error where they are missing."""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from audit.errors import Issue, MissingLibraryError
from audit.text import visible

LIBRARIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "parquet": ("pyarrow",),
        # beside the second, the first refuses XML that declares entities
        "excel": ("openpyxl", "defusedxml"),
        "zst": ("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",),
        "web": ("fastapi", "uvicorn", "python_multipart", "argon2"),
        "postgresql": ("psycopg",),
        "cluster": ("distributed",),
    }
)
"""The modules that each extra of pyproject.toml is for."""


def require(extra: str, needed_by: str) -> Any:  # noqa: ANN401 - a module
    """Import the libraries of an extra; the first of them."""
    try:
        first, *_ = map(import_module, LIBRARIES[extra])
    except ImportError as error:
        remedy = f"pip install 'shared-task-auditor[{extra}]'"
        defect = visible(str(error), 160)
        raise MissingLibraryError(
            Issue.of("missing-library", needed_by, defect, remedy=remedy)
        ) from None
    return first
