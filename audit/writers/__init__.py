"""Where a document leaves the house: HTML, LaTeX, JSON and CSV, and the bundle."""
