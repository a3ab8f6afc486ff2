"""Questions to a release, and the commands of the command line that answer them."""

import csv
import io
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from audit.service.releases import Release
from audit.service.rules import RefusedError
from audit.web.schemas import Body

Name = Annotated[str, Field(min_length=1, max_length=300)]
Share = Annotated[float, Field(gt=0, le=1)]


class _OfRelease(Body):
    task: Name = Field(description="The test set, by its slug.")


class ComparisonQuestion(_OfRelease):
    """Two entries compared."""

    about: Literal["compare"] = Field(description="What is asked.")
    first: Name = Field(description="The first entry to compare.")
    second: Name = Field(description="The second entry to compare.")
    metric: Name | None = Field(default=None, description="The metric; null: the one that ranks.")


class TableQuestion(_OfRelease):
    """Which metric the columns of a published table are."""

    about: Literal["identify"] = Field(description="What is asked.")
    upload: Annotated[str, Field(max_length=100)] = Field(
        description="The upload that is the published table, by id."
    )


class ShiftQuestion(_OfRelease):
    """The ranking under another class distribution."""

    about: Literal["whatif"] = Field(description="What is asked.")
    shares: Annotated[dict[Name, Share], Field(min_length=1, max_length=500)] = Field(
        description="Each class and its share."
    )
    metric: Name | None = Field(default=None, description="The metric; null: the one that ranks.")


Question = Annotated[
    ComparisonQuestion | TableQuestion | ShiftQuestion, Field(discriminator="about")
]
QUESTIONS: TypeAdapter[Question] = TypeAdapter(Question)


def parts_of(question: Question, release: Release) -> dict[str, str]:
    """The parts of a question for a job: ``about``, ``task``, and the arguments of the answer."""
    if question.task not in {task["slug"] for task in release.summary["tasks"]}:
        raise RefusedError("There is no such test set in this release.")
    parts = question.model_dump(exclude_none=True, exclude={"upload", "shares"})
    if isinstance(question, ShiftQuestion):
        parts["prevalence"] = prevalence_text(question.shares)
    return parts


def prevalence_text(shares: Mapping[str, float]) -> str:
    """Class shares as the command line takes them.

    >>> prevalence_text({"no": 0.25, "yes, but": 0.75})
    'no=0.25,"yes, but=0.75"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(
        [f"{label}={share:.10g}" for label, share in shares.items()]
    )
    return text.getvalue()


def command_of(parts: Mapping[str, str], table: str | None = None) -> list[str]:
    """The command of the command line that answers the same; every text of the caller's is an argument, no option.

    >>> command_of({"about": "compare", "task": "words", "first": "-A", "second": "B", "metric": "mcc"})
    ['compare', '--metric=mcc', '--', 'words', '-A', 'B']
    """
    options = [f"--{name}={parts[name]}" for name in ("metric", "prevalence") if name in parts]
    arguments = [parts[name] for name in ("task", "first", "second") if name in parts]
    return [parts["about"], *options, "--", *arguments, *([] if table is None else [table])]
