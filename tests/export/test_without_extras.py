"""No number depends on which optional libraries are installed, nor on the process that writes it."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from audit.resources import samples

PROGRAM = """
import hashlib, json, sys
from pathlib import Path
from audit.extras import LIBRARIES

class Blocked:
    libraries = ("starlette", *(name for names in LIBRARIES.values() for name in names))

    def find_spec(self, name, path=None, target=None):
        if any(f"{name}.".startswith(f"{library}.") for library in self.libraries):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())

from audit.formats.campaign.campaigns import read_campaign
from tests.export.conftest import made

files = made(read_campaign(Path(sys.argv[1]))).files
print(json.dumps({name: hashlib.sha256(data).hexdigest() for name, data in files.items()}))
"""
"""Digests of all exported files, of a process that can import no library of an extra."""


def test_every_exported_byte_is_the_same_without_the_extras(flood):
    """Signature, numbers, page, tables and bundle; whatever hash seed, time zone and locale are, too."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-c", PROGRAM, str(samples() / "flood-posts")]
    where = Path(__file__).parents[2]
    done = subprocess.run(
        command, cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in flood.files.items()}
    assert {"evaluation.json", "report.html", "bundle.zip"} <= set(digests)
    assert json.loads(done.stdout) == digests
