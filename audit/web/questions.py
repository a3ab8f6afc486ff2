"""Questions to a release, and the commands of the command line that answer them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from audit.hosting.releases import Release
from audit.hosting.rules import RefusedError

Name = Annotated[str, Field(min_length=1, max_length=300)]


class Question(BaseModel):
    """What is asked of a release."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    about: Literal["compare", "identify", "whatif"]
    """Two entries compared, a published table identified, or other class distributions tried."""
    task: Name
    """The test set, by its slug."""
    first: Name | None = None
    """The first entry to compare."""
    second: Name | None = None
    """The second entry to compare."""
    metric: Name | None = None
    """The metric; null: the one that ranks."""
    shares: Annotated[dict[Name, Annotated[float, Field(gt=0, le=1)]] | None, Field(max_length=500)] = None
    """Each class and its share, where class distributions are tried."""
    upload: Annotated[str | None, Field(max_length=100)] = None
    """The upload that is the published table, by id."""


def command_of(question: Question, release: Release) -> list[str]:
    """The command that answers a question; every text of the caller's is an argument, never an option.

    Raises
    ------
    RefusedError
        Where the question lacks a part, or names what the release has not.
    """
    tasks = {task["slug"]: task for task in release.summary["tasks"]}
    if question.task not in tasks:
        raise RefusedError("There is no such test set in this release.")
    metric = [f"--metric={question.metric}"] if question.metric else []
    match question.about:
        case "compare":
            if question.first is None or question.second is None:
                raise RefusedError("Name two entries to compare.")
            return ["compare", *metric, "--", question.task, question.first, question.second]
        case "identify":
            if question.upload is None:
                raise RefusedError("Upload the published table first.")
            return ["identify", "--", question.task]
        case "whatif":
            if not question.shares:
                raise RefusedError("Say each class's share.")
            shares = ",".join(f"{label}={value!r}" for label, value in question.shares.items())
            return ["whatif", *metric, f"--prevalence={shares}", "--", question.task]
