"""Compiled templates, kept where Python keeps the byte code of its modules."""

import os
import sys
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import NamedTemporaryFile

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class TemplateCache(BytecodeCache):
    """Byte code of templates in the ``__pycache__`` beside them, by the rules that Python has for its own.

    Nothing is written where Python writes none (``PYTHONDONTWRITEBYTECODE``) or the folder is read-only; Jinja
    compiles anew whatever does not match the template's text or its own version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket from its file, where there is one."""
        try:
            with self._path(bucket).open("rb") as file:
                bucket.load_bytecode(file)
        except OSError:
            return

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a bucket's file at once or not at all, as other processes may read it."""
        if sys.dont_write_bytecode:
            return
        path = self._path(bucket)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, delete=False) as file:
                bucket.write_bytecode(file)
            os.replace(file.name, path)  # noqa: PTH105 - of a file that has just been made
        except OSError:
            return

    def _path(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(str(self.folder / f"{bucket.key}.py")))
