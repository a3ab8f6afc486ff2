"""The modules of this room that register an analysis: verdict, flags, parts of the test set, states of choices."""

from audit.findings import catalogue, claim, other_choices, slicing

__all__ = ["catalogue", "claim", "other_choices", "slicing"]
