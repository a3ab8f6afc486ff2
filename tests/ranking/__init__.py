"""Rankings share ranks as competitions do, and agreement is SciPy's, with identities told from accidents."""
