"""The store: what goes in comes out, nothing is lost, and nothing is left half done."""
