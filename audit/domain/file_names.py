"""Which files of a campaign can hold labels, by their names."""

from fnmatch import fnmatchcase

_NEVER_DATA = (
    *("readme*", "license*", "licence*", "thumbs.db", "desktop.ini", ".*", "__*", "~$*", "*~"),
    *("*.md", "*.markdown", "*.rst", "*.score", "*.scores", "*.tex", "*.pdf", "*.png", "*.jpg", "*.svg", "*.html"),
    *("*.py", "*.pyc", "*.ipynb", "*.sh", "*.db", "*.bak", "*.xml", "*.yaml", "*.yml", "*.doc", "*.docx"),
    "metadata",  # what a CodaLab submission of a program begins with
    # Beside the submissions in CodaLab's download:
    *("* - [0-9]* output.zip", "* - [0-9]* profile.txt", "* - [0-9]* method.txt", "team_names_and_members.txt"),
)


def can_be_data(path: str) -> bool:
    """Whether a file, or a folder with a slash at its end, is no documentation, score or system's own by its name.

    Examples
    --------
    >>> can_be_data("submissions/README.txt"), can_be_data("a/team.csv"), can_be_data("old/")
    (False, True, True)
    """
    name = path.rstrip("/").rpartition("/")[2].lower()
    return not any(fnmatchcase(name, glob) for glob in _NEVER_DATA)
