"""Questions to a release, and the commands of the command line that answer them."""

import csv
import io
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from audit.service.releases import Release
from audit.service.rules import RefusedError

Name = Annotated[str, Field(min_length=1, max_length=300)]


class Question(BaseModel):
    """What is asked of a release."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    about: Literal["compare", "identify", "whatif"]
    """Two entries compared, a published table identified, or other class distributions tried."""
    task: Name  # the test set, by its slug
    first: Name | None = None  # the first entry to compare
    second: Name | None = None  # the second entry to compare
    metric: Name | None = None  # the metric; null: the one that ranks
    shares: Annotated[dict[Name, Annotated[float, Field(gt=0, le=1)]] | None, Field(max_length=500)] = None
    """Each class and its share, where class distributions are tried."""
    upload: Annotated[str | None, Field(max_length=100)] = None  # the upload that is the published table, by id


def parts_of(question: Question, release: Release) -> dict[str, str]:
    """The parts of a question for a job: ``about``, ``task``, and the arguments of the answer."""
    tasks = {task["slug"]: task for task in release.summary["tasks"]}
    if question.task not in tasks:
        raise RefusedError("There is no such test set in this release.")
    parts = {"about": question.about, "task": question.task}
    metric = {"metric": question.metric} if question.metric else {}
    match question.about:
        case "compare":
            if question.first is None or question.second is None:
                raise RefusedError("Name two entries to compare.")
            return {**parts, **metric, "first": question.first, "second": question.second}
        case "identify":
            if question.upload is None:
                raise RefusedError("Upload the published table first.")
            return parts
        case "whatif":
            if not question.shares:
                raise RefusedError("Say each class's share.")
            return {**parts, **metric, "prevalence": prevalence_text(question.shares)}


def prevalence_text(shares: Mapping[str, float]) -> str:
    """Class shares as the command line takes them.

    >>> prevalence_text({"no": 0.25, "yes, but": 0.75})
    'no=0.25,"yes, but=0.75"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([f"{label}={share:.10g}" for label, share in shares.items()])
    return text.getvalue()


def command_of(parts: Mapping[str, str], table: str | None = None) -> list[str]:
    """The command of the command line that answers the same; every text of the caller's is an argument, no option.

    >>> command_of({"about": "compare", "task": "words", "first": "-A", "second": "B", "metric": "mcc"})
    ['compare', '--metric=mcc', '--', 'words', '-A', 'B']
    """
    options = [f"--{name}={parts[name]}" for name in ("metric", "prevalence") if name in parts]
    arguments = [parts[name] for name in ("task", "first", "second") if name in parts]
    return [parts["about"], *options, "--", *arguments, *([] if table is None else [table])]
