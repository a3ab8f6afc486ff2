"""A campaign as an online form and a shared drive give it: no name is as the conventions have it."""

import random
import zipfile
from pathlib import Path

LABELS = ("no", "yes", "unsure")
GOLD = "answers FINAL (2).csv"
PEOPLE = {
    "Ann Miller": ("Alpha", 0.8, "csv"),
    "Ben": ("Beta", 0.7, "csv"),
    "Çelik": ("Gamma", 0.65, "tsv"),
    "Dan": ("Delta", 0.6, "csv"),
}
"""Who sent a file: their team, how often it is right, and how the file ends."""


def messy_folder(root: Path, *, n_items: int = 60, corrected: int = 0) -> Path:
    """The folder: gold by another name, uploads as a form calls them, its sheet, an empty file, and what is no data."""
    draw = random.Random(7)  # noqa: S311 - made-up labels, the same each time
    gold = [draw.choices(LABELS, (5, 3, 1))[0] for _ in range(n_items)]
    (root / "uploads").mkdir(parents=True)
    sheet = [("Timestamp", "E-mail", "Team name", "Upload")]
    for place, (person, (team, share_right, ending)) in enumerate(PEOPLE.items()):
        answers = [label if draw.random() < share_right else draw.choice(LABELS) for label in gold]
        name = (
            f"submission ({place}) - {person}.{ending}"
            if place
            else f"submission - {person}.{ending}"
        )
        _write(root / "uploads" / name, "\t" if ending == "tsv" else ",", answers)
        sheet.append(("1/2/2031 10:00", f"{place}@b.example", team, name))
    (root / "uploads" / "submission (9) - Eve.csv").write_text("", encoding="utf-8")
    (root / "responses.csv").write_text("\n".join(map(",".join, sheet)), encoding="utf-8")
    (root / "Call for participation.pdf").write_bytes(b"%PDF-1.4")
    flipped = ["no" if label == "yes" else "yes" for label in gold[:corrected]]
    _write(root / GOLD, ",", [*flipped, *gold[corrected:]])
    return root


def _write(path: Path, delimiter: str, labels: list[str]) -> None:
    rows = [("id", "label"), *((f"t{place}", label) for place, label in enumerate(labels))]
    path.write_text("".join(f"{delimiter.join(row)}\n" for row in rows), encoding="utf-8")


def zipped(folder: Path, path: Path) -> Path:
    """A folder as a zip has it, in a folder of its name."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(folder.rglob("*")):
            if each.is_file():
                archive.write(each, each.relative_to(folder.parent))
    return path


def plain_folder(root: Path) -> Path:
    """The least that can be evaluated, by the conventions."""
    (root / "submissions").mkdir(parents=True)
    _write(root / "gold.csv", ",", ["no", "yes", "no", "yes"] * 5)
    _write(root / "submissions" / "A.csv", ",", ["no", "yes", "no", "no"] * 5)
    _write(root / "submissions" / "B.csv", ",", ["yes", "yes", "no", "no"] * 5)
    return root
