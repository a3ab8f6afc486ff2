"""The export: files, bundle, verification."""
