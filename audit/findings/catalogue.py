"""Every flag, collected from the questions that it belongs to."""

import sys
from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from audit import findings
from audit.domain import Evaluation, Flag, supported
from audit.domain.analyses import analysis
from audit.findings.flag_kind import KINDS, FlagKind

for _info in iter_modules(findings.__path__):
    # where a rule is declared, it is a kind of flag
    import_module(f"{findings.__name__}.{_info.name}")


_PLACED = sorted(
    KINDS.values(), key=lambda kind: int(vars(sys.modules[kind.rule.__module__])["RULES_PLACE"])
)
FLAG_KINDS: Mapping[str, FlagKind] = {kind.slug: kind for kind in _PLACED}
"""Every flag, by slug, in the order of the questions: of the places that their modules state."""


@analysis("flags")
def find_flags(evaluation: Evaluation) -> tuple[Flag, ...]:
    """Every flag that an evaluation raises, the most consequential first."""
    tried = supported(FLAG_KINDS.values(), evaluation.task.label_set.kind)
    flags = (kind(evaluation) for kind in tried)
    return tuple(sorted((flag for flag in flags if flag), key=lambda flag: flag.severity))
