"""Takes the pictures of the service that the docs show: ``python docs/service_screenshots.py``.

The service is started as anybody starts it, and the sample campaign goes the way of an organiser's.
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from audit.resources import samples

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parent / "service"
MOST_BYTES = 100_000
_SCREEN = {"width": 1100, "height": 720}
_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
)
_PATIENCE = 300_000  # milliseconds


@contextmanager
def _service(data: Path) -> Iterator[str]:
    """The link that begins the first session, as long as the service runs."""
    command = [
        sys.executable,
        "-m",
        "audit",
        "serve",
        "--data",
        str(data),
        "--port",
        "0",
        "--no-browser",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own program
        assert process.stdout is not None  # noqa: S101 - it was asked for
        try:
            yield next(
                found[0] for line in process.stdout if (found := re.search(r"http://\S+", line))
            )
        finally:
            process.terminate()


def _zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for each in sorted(folder.rglob("*")):
            if each.is_file():
                archive.write(each, each.relative_to(folder.parent))
    return path


def _corrected(gold: Path, path: Path) -> Path:
    """Gold of which twelve labels were mended."""
    lines = gold.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(
        "".join([*(line.replace("sympathy", "damage") for line in lines[:60]), *lines[60:]]),
        encoding="utf-8",
    )
    return path


def _messy(sample: Path, root: Path) -> Path:
    """The sample as a shared drive gives it: no name is as the conventions have it."""
    folder = root / "downloads"
    shutil.copytree(sample, folder)
    (folder / "gold.csv").rename(folder / "answers FINAL.csv")
    (folder / "submissions").rename(folder / "uploads")
    (folder / "task.toml").unlink()
    (folder / "uploads" / "empty.csv").write_text("", encoding="utf-8")
    responses = "Timestamp,E-mail,Upload\n1/2/2031 10:00,a@b.example,Heron.tsv\n"
    (folder / "responses.csv").write_text(responses, encoding="utf-8")
    return folder


def _keep(page: "Page", folder: Path, name: str) -> None:
    from PIL import Image  # noqa: PLC0415 - Matplotlib brings it along
    from PIL.PngImagePlugin import PngInfo  # noqa: PLC0415

    picture = Image.open(io.BytesIO(page.screenshot())).convert(
        "P", palette=Image.Palette.ADAPTIVE, colors=64
    )
    folder.mkdir(exist_ok=True)
    says = PngInfo()
    says.add_itxt("says", _shown_text(page))
    picture.save(folder / f"{name}.png", optimize=True, pnginfo=says)


def _shown_text(page: "Page") -> str:
    """What a page says, without what differs each time: times, and how far a job is."""
    heads = page.locator(
        "h1, h2, h3, th, label, button, summary, .verdict, #erratum-1, .bar a"
    ).all_inner_texts()
    return "\n".join(
        line for text in heads for line in text.split("\n") if not re.search(r"\d{4}", line)
    )


def _walk(page: "Page", link: str, root: Path, into: Path) -> None:
    """From the link in the terminal to what became of a correction."""
    sample = samples() / "flood-posts"
    page.goto(link)
    page.get_by_label("Name of the campaign").fill("Flood posts")
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Choose files, or a zip").set_input_files(
        _zipped(_messy(sample, root), root / "downloads.zip")
    )
    page.get_by_text("files are not used").wait_for()
    _keep(page, into, "files")
    page.get_by_role("button", name="Save and read again").click()
    page.locator("select[name=official]").select_option("none")
    page.get_by_role("button", name="Evaluate").click()
    page.locator("[data-step='comparing'][aria-current]").wait_for()
    _keep(page, into, "evaluating")
    page.wait_for_url("**/audit")
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    _keep(page, into, "audit")
    page.get_by_role("link", name="Files").click()
    corrected = _corrected(sample / "gold.csv", root / "answers FINAL.csv")
    page.get_by_label("Choose files, or a zip").set_input_files(corrected)
    page.get_by_text("3 revisions of the files").wait_for()
    page.get_by_role("button", name="Evaluate").click()
    page.wait_for_url("**/audit")
    page.get_by_role("link", name="Before and after").click()
    page.get_by_role("heading", name="For an erratum").wait_for()
    _keep(page, into, "before-and-after")


def take(into: Path) -> None:
    """Take all of them into a folder."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - of those who develop

    with (
        tempfile.TemporaryDirectory() as folder,
        _service(Path(folder) / "data") as link,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(_OPTIONS)
        )
        page = browser.new_page(viewport={"width": _SCREEN["width"], "height": _SCREEN["height"]})
        page.set_default_timeout(_PATIENCE)
        _walk(page, link, Path(folder), into)


def main() -> None:
    """Take those that the docs show."""
    take(FOLDER)
    too_large = [each.name for each in FOLDER.glob("*.png") if each.stat().st_size > MOST_BYTES]
    if too_large:
        raise SystemExit(f"larger than {MOST_BYTES:,} bytes: {', '.join(too_large)}")


if __name__ == "__main__":
    main()
