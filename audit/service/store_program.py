"""A process that upgrades stores, each after a copy: ``python -m audit.service.store_program PATH…``.

The server itself needs no store, and would keep in memory what opens one. What cannot be upgraded is named on the
output, a line each.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from audit.errors import AuditError
from audit.store import open_store


def upgrade(paths: Iterable[Path]) -> Iterator[str]:
    """Upgrade each store; what is wrong with those that cannot be."""
    for path in paths:
        try:
            with open_store(path, create=False):
                pass
        except AuditError as error:
            yield f"{path}: {' '.join(str(error).split())}"


if __name__ == "__main__":
    for complaint in upgrade(map(Path, sys.argv[1:])):
        sys.stdout.write(f"{complaint}\n")
