"""Readings: presets and their peers, the macro F1 audit, identification of published numbers."""
