"""What the routes of the HTTP interface share: numbers in addresses, and files as answers."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import Path as PathParameter
from fastapi import Query
from fastapi.responses import FileResponse

from audit.web.schemas import LARGEST

PREFIX = "/api/v1"
CAMPAIGN = "/campaigns/{campaign}"
Number = Annotated[int, PathParameter(ge=0, le=LARGEST)]
MaybeNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]
BYTES = {"type": "string", "format": "binary"}
FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {"schema": BYTES}}}
}  # how OpenAPI describes the answer of a route that sends a file


def file_answer(place: Path, name: str) -> FileResponse:
    """A file to be saved; an error, and not half an answer, where it is no longer on the disk."""
    return FileResponse(
        place, stat_result=place.stat(), media_type="application/octet-stream", filename=name
    )
