"""`audit sign-in-link`: a link, printed on the host, that signs somebody in once."""

import re
from contextlib import closing

from audit.service import people
from audit.service.credentials import password_digest
from audit.service.database import open_database


def with_people(data):
    """A data folder with its host, who answers at an address, and Grace, who has a password."""
    data.mkdir()
    with closing(open_database(data, None)) as database, database.writing() as connection:
        people.keep_address(connection, "http://audit.local:8111/")
        people.host_of(connection)
        people.new_person(connection, "Grace", password_digest("a long enough password"))


def used(data, secret):
    """Whoever a link signs in; None where it is good no more."""
    with closing(open_database(data, None)) as database, database.writing() as connection:
        person = people.use_sign_in_link(connection, secret)
    return person and person.name


def test_the_link_signs_in_whoever_is_named_and_once(run, folder):
    with_people(folder / "data")
    result = run("sign-in-link", "--data", folder / "data", "--name", "Grace")
    assert result.exit_code == 0
    assert result.stdout.startswith("Whoever opens this link within the hour is Grace:\n")
    (secret,) = re.findall(
        r"http://audit\.local:8111/start\?token=([\w-]+)$", result.stdout, re.MULTILINE
    )
    assert [used(folder / "data", secret), used(folder / "data", secret)] == ["Grace", None]


def test_without_a_name_it_is_for_whoever_runs_the_service(run, folder):
    with_people(folder / "data")
    result = run("sign-in-link", "--data", folder / "data")
    (secret,) = re.findall(r"token=([\w-]+)$", result.stdout, re.MULTILINE)
    with (
        closing(open_database(folder / "data", None)) as database,
        database.writing() as connection,
    ):
        host = people.host_of(connection).name
    assert used(folder / "data", secret) == host


def test_nobody_of_that_name_and_no_data_folder_are_said(run, folder):
    with_people(folder / "data")
    unknown = run("sign-in-link", "--data", folder / "data", "--name", "nobody")
    assert unknown.exit_code == 1
    assert "Nobody has an account under the name “nobody”" in " ".join(unknown.output.split())
    elsewhere = run("sign-in-link", "--data", folder / "none")
    assert elsewhere.exit_code == 2
    assert "is no data folder of audit serve" in " ".join(elsewhere.output.split())
    assert not (folder / "none").exists()
