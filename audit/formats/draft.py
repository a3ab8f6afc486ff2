from pathlib import Path


def draft_settings(folder: Path) -> str:
    return ""
