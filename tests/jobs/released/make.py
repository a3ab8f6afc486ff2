"""Write the databases of a release as SQL: ``python -m tests.jobs.released.make 0.1.0``, once, with that version.

A service on SQLite and one on PostgreSQL read, evaluate and publish a small campaign, with an account, a token, an
invitation and a link. What they kept is dumped; the campaign's own store is dumped, too. The files are never changed.
"""

import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

from tests.control_databases import postgresql
from tests.jobs.servers import Server, small_campaign

FOLDER = Path(__file__).parent


def main(version):
    """Write the three dumps of this version."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "sqlite"
        fill(Server(data))
        write(f"control-{version}.sqlite.sql", sql_of(data / "control.db"))
        (store,) = data.glob("campaigns/*/releases/*/audit.db")
        write(f"store-{version}.sqlite.sql", sql_of(store))
        with postgresql() as url:
            fill(Server(Path(place) / "postgresql", "--database", url))
            command = [
                "pg_dump",
                "--no-owner",
                "--inserts",
                "--dbname",
                url.replace("+psycopg", ""),
            ]
            dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            lines = [
                each
                for each in dump.splitlines()
                if each and not each.startswith(("--", "\\", "SET "))
            ]
            write(f"control-{version}.postgresql.sql", "\n".join(lines) + "\n")


def fill(server):
    """Let a service have something of everything that its tables keep."""
    server.start()
    try:
        account = urlencode({"name": "Ada", "password": "correct horse battery"}).encode()
        with server.opener.open(f"{server.base}/account", account) as answer:
            assert answer.status == 200
        server.campaign("Small")
        server.done(server.revise(server.upload(small_campaign())))
        server.done(server.evaluate())
        server.all_done()
        server.ask("POST", f"{server.at}/releases/1/publish")
        server.ask("POST", f"{server.at}/links", {"release": 1})
        server.ask("POST", f"{server.at}/invitations", {"role": "reader"})
        server.ask("POST", "/api/v1/tokens", {"label": "nightly"})
        server.all_done()
    finally:
        server.kill(15)


def sql_of(path):
    """The statements that make a database of SQLite again, with what stands in its header."""
    with closing(sqlite3.connect(path)) as database:
        pragmas = ("application_id", "user_version")
        header = [
            f"PRAGMA {each} = {database.execute(f'PRAGMA {each}').fetchone()[0]};"
            for each in pragmas
        ]
        return "\n".join([*header, *database.iterdump()]) + "\n"


def write(name, text):
    """Keep a dump, unless there is one of this version already."""
    with (FOLDER / name).open("x", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
