"""Writes the example report, and the picture of its first screen: ``python docs/example.py``.

The picture holds in its metadata what stands on the screen; a test compares that and the report with a fresh run.
"""

import io
import shutil
from pathlib import Path

from audit.domain import Evaluation
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.resources import samples
from audit.writers.html import render_html

FOLDER = Path(__file__).parent
REPORT, PICTURE = FOLDER / "example-report.html", FOLDER / "report.png"
WIDTH, HEIGHT = 1440, 860
_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
)


def example() -> Evaluation:
    """The sample campaign, evaluated."""
    return evaluate(read_campaign(samples() / "flood-posts"))


def first_screen(evaluation: Evaluation) -> str:
    """What the picture shows, as text: the verdict, what it depends on, and the ranking."""
    verdict, key = evaluation.verdict, evaluation.task.ranking_metric
    ranking = [
        evaluation.names[entry] for entry in evaluation.order(key) if evaluation.competing[entry]
    ]
    depends = [each.sentence for each in verdict.depends_on]
    return "\n".join([evaluation.task.title, verdict.sentence, verdict.more, *depends, *ranking])


def shown(picture: Path) -> str:
    """The text that a picture holds."""
    from PIL import Image  # noqa: PLC0415 - Matplotlib brings it along

    with Image.open(picture) as opened:
        return str(opened.info["Description"])


def photographed(report: Path, browser: str) -> bytes:
    """A picture of the first screen of a report."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - of those who develop

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=list(_OPTIONS))
        page = opened.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(report.as_uri())
        return page.screenshot()


def main() -> None:
    """Write both."""
    from PIL import Image  # noqa: PLC0415 - likewise
    from PIL.PngImagePlugin import PngInfo  # noqa: PLC0415 - likewise

    evaluation = example()
    REPORT.write_text(render_html(evaluation), encoding="utf-8", newline="\n")
    told = PngInfo()
    told.add_itxt("Description", first_screen(evaluation))
    data = photographed(REPORT, shutil.which("chromium") or "chromium")
    Image.open(io.BytesIO(data)).convert("P", palette=Image.Palette.ADAPTIVE).save(
        PICTURE, pnginfo=told, optimize=True
    )


if __name__ == "__main__":
    main()
