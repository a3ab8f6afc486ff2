"""The places of the files that are not code: templates, migrations, samples.

In a wheel they are inside the package, in a checkout beside it.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(packaged: str, checkout: str) -> Path:
    installed = _PACKAGE / packaged
    if installed.is_dir():
        return installed
    return _PACKAGE.parent / checkout


def templates() -> Path:
    """Folder of the report's Jinja2 templates, style sheet and script."""
    return _folder("_templates", "templates")


def migrations() -> Path:
    """Folder of the store's Alembic migrations."""
    return _folder("_migrations", "migrations")


def samples() -> Path:
    """Folder of the sample campaigns."""
    return _folder("_sample_submissions", "sample_submissions")
