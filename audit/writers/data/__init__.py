"""An evaluation as plain data: JSON and CSV."""
