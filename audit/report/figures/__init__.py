"""Figures: one function each, from an evaluation to a picture in the report's visual language."""
