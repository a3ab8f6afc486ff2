"""Names that say that a file is no data: documentation, scores, code, and what operating systems put beside files."""

from fnmatch import fnmatchcase

_NEVER_DATA = (
    *("readme*", "license*", "licence*", "thumbs.db", "desktop.ini", ".*", "__*", "~$*", "*~"),
    *("*.md", "*.markdown", "*.rst", "*.score", "*.scores", "*.tex", "*.pdf", "*.png", "*.jpg", "*.svg", "*.html"),
    *("*.py", "*.pyc", "*.ipynb", "*.sh", "*.db", "*.bak", "*.xml", "*.yaml", "*.yml", "*.doc", "*.docx"),
    "metadata",  # what a CodaLab submission of a program begins with
    # Beside the submissions in CodaLab's download:
    *("* - [0-9]* output.zip", "* - [0-9]* profile.txt", "* - [0-9]* method.txt", "team_names_and_members.txt"),
)


def is_named_no_data(name: str) -> bool:
    """Whether a file or folder is documentation, a score or a system's own by its name, without the folders above it.

    Examples
    --------
    >>> is_named_no_data("README.txt"), is_named_no_data("team.csv")
    (True, False)
    """
    return any(fnmatchcase(name.lower(), glob) for glob in _NEVER_DATA)


def is_system_file(path: str) -> bool:
    """Whether an operating system put it there, beside what the user packed."""
    parts = path.split("/")
    return parts[0] == "__MACOSX" or parts[-1] in {".DS_Store", "Thumbs.db", "desktop.ini"} or parts[-1][:2] == "._"
