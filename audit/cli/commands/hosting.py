"""The service: pages on which organisers upload, and workers that do the work."""

import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from audit.cli.program import command
from audit.errors import UsageError
from audit.extras import require
from audit.text import plural, quoted, visible

DataPath = Annotated[
    Path, typer.Option("--data", envvar="AUDIT_DATA", help="The folder that keeps everything.")
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        envvar="AUDIT_DATABASE",
        help="postgresql+psycopg://…",
        show_default="a file in --data",
    ),
]
Memory = Annotated[
    int, typer.Option("--memory", min=1, help="GiB of memory for each process of a job.")
]
Workers = Annotated[
    int, typer.Option("--workers", min=0, max=64, help="Jobs done at the same time.")
]
Unpacked = Annotated[
    int, typer.Option("--unpacked-limit", min=1, help="GiB an archive may unpack to.")
]
DeadAfter = Annotated[
    float, typer.Option("--dead-after", min=1, help="Seconds after which a silent worker is dead.")
]
_DATA = Path("audit-data")


@command("audit serve --data audit-data")
def serve(  # noqa: PLR0913 - a command's parameters are its interface
    data: DataPath = _DATA,
    database: Database = None,
    *,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes any that is free.")
    ] = 8111,
    listen: Annotated[
        str,
        typer.Option("--listen", help="The address to answer on: 0.0.0.0 for other machines, too."),
    ] = "127.0.0.1",
    public_url: Annotated[
        str | None,
        typer.Option("--public-url", help="How others reach it; https where a proxy speaks that."),
    ] = None,
    account: Annotated[
        str | None,
        typer.Option("--account", envvar="AUDIT_HOST_NAME", help="Your name, for the first start."),
    ] = None,
    password_file: Annotated[
        Path | None,
        typer.Option(
            "--password-file", envvar="AUDIT_HOST_PASSWORD_FILE", help="The file of its password."
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the link.")] = True,
    workers: Workers = 2,
    memory: Memory = 8,
    upload_limit: Annotated[
        int, typer.Option("--upload-limit", min=1, help="GiB of one upload.")
    ] = 2,
    unpacked_limit: Unpacked = 8,
    campaign_limit: Annotated[
        int, typer.Option("--campaign-limit", min=1, help="GiB of a campaign's uploads.")
    ] = 20,
    dead_after: DeadAfter = 20,
) -> None:
    """Let organisers upload in a browser."""
    require("web", "audit serve")
    from audit.service.child import Limits
    from audit.service.files import DataFolder
    from audit.web import serving

    if (account is None) != (password_file is None):
        raise UsageError("--account and --password-file go together.")
    options = serving.ServeOptions(
        DataFolder.at(data),
        database,
        host=listen,
        port=port,
        public_url=public_url,
        account=None if account is None or password_file is None else (account, password_file),
        n_workers=workers,
        limits=Limits(memory << 30, unpacked_limit << 30, upload_limit << 30, campaign_limit << 30),
        dead_after=dead_after,
    )

    def announce(link: str) -> None:
        if "token=" in link:
            heading = "Open this link, which is good once"
        else:
            heading = "Sign in at"
        typer.echo(f"{heading}:\n    {link}")
        typer.echo(f"Ctrl-C ends the service; what it keeps is in {visible(str(data), 200)}.")

    serving.serve(serving.checked_options(options), announce, opens_browser=browser)


@command("audit worker --data /srv/audit --database postgresql+psycopg://audit@db/audit")
def worker(  # noqa: PLR0913 - a command's parameters are its interface
    data: DataPath = _DATA,
    database: Database = None,
    *,
    workers: Workers = 2,
    memory: Memory = 8,
    unpacked_limit: Unpacked = 8,
    dead_after: DeadAfter = 20,
) -> None:
    """Do the jobs of a service on another machine."""
    require("web", "audit worker")
    from audit.service.child import Limits
    from audit.service.files import DataFolder
    from audit.web import serving

    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    options = serving.ServeOptions(
        DataFolder.at(data),
        database,
        n_workers=workers,
        limits=Limits(memory << 30, unpacked_limit << 30),
        dead_after=dead_after,
    )
    serving.work(options, stopping)


@command("audit backup /backups/audit-monday --data audit-data")
def backup(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET", help="A new folder, with which audit serve --data can be started."
        ),
    ],
    data: DataPath = _DATA,
    database: Database = None,
) -> None:
    """Copy what a service keeps, while it runs."""
    from audit.service.backup import back_up

    n_campaigns, n_files, n_bytes = back_up(data, target, database)
    files = f"{plural(n_campaigns, 'campaign')}, {plural(n_files, 'file')}, {n_bytes:,} bytes"
    typer.echo(f"{visible(str(target), 200)}: {files}.")
    if database is not None:
        typer.echo(
            "The tables are not in it: pg_dump copies them, before this command and not after it."
        )


@command("audit sign-in-link --data audit-data")
def sign_in_link(
    data: DataPath = _DATA,
    database: Database = None,
    *,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Whom it signs in.", show_default="whoever runs the service"),
    ] = None,
) -> None:
    """Print a link that signs somebody in.

    It works once, within the hour, and needs no password: for an owner who is locked out.
    """
    from contextlib import closing

    from audit.service.database import FOLDER_ID, open_database
    from audit.service.people import address_of, make_sign_in_link

    if not (data / FOLDER_ID).is_file():
        raise UsageError(f"{quoted(visible(str(data), 200))} is no data folder of audit serve.")
    with closing(open_database(data, database)) as opened, opened.writing() as connection:
        person, link = make_sign_in_link(connection, name)
        address = address_of(connection)
    typer.echo(f"Whoever opens this link within the hour is {visible(person.name, 200)}:")
    typer.echo(f"    {address}start?token={link.secret}")
