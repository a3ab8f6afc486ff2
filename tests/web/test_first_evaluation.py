"""Before a first evaluation the page asks for the official metric and which runs count: neither is guessed."""

import pytest

from audit.service import revisions
from audit.service.queue import EVALUATE, open_jobs
from tests.web.test_every_page import labelled_by
from tests.web.walking import hold, read, work


def begun(house, files, title):
    campaign = hold(house, files, title=title)
    read(house, campaign)
    with house.service.database.reading() as connection:
        revision = revisions.revisions_of(connection, campaign)[0]
    return campaign, house.browser_of("organiser"), revision.findings["tasks"][0]["slug"]


def settings_of(house, campaign):
    """The text of the newest task.toml."""
    with house.service.database.reading() as connection:
        newest = revisions.revisions_of(connection, campaign)[0]
    files = newest.files if newest.files is not None else newest.change.added
    stored = files.get("task.toml")
    return (
        ""
        if stored is None
        else house.service.data.content_of(campaign).path_of(stored.sha256).read_text("utf-8")
    )


@pytest.fixture
def several_runs():
    files = labelled_by("Ann", "Ben")
    files["submissions/Ben/one.csv"] = files.pop("submissions/Ben.csv")
    files["submissions/Ben/two.csv"] = files["submissions/Ann.csv"]
    return files


def test_the_page_asks_with_the_default_in_sight_and_chooses_nothing_by_itself(house):
    campaign, client, _ = begun(house, labelled_by("Ann", "Ben"), "asked")
    for step in ("files", "evaluate"):
        page = client.get(f"/campaigns/{campaign}/{step}").text
        assert '<option value="" selected>choose: which metric was announced?</option>' in page
        assert "none was announced (the ranking is then by " in page
        assert "Which runs of a team count" not in page
    assert (
        client.post(f"/campaigns/{campaign}/evaluate/first", data={"revision": "1"}).status_code
        == 400
    )
    with house.service.database.reading() as connection:
        assert [job.kind for job in open_jobs(connection, campaign)] == []


def test_that_none_was_announced_is_a_choice_that_is_kept_in_the_log(house):
    campaign, client, slug = begun(house, labelled_by("Ann", "Ben"), "none announced")
    fields = {"revision": "1", "task": slug, "official": "none"}
    assert client.post(f"/campaigns/{campaign}/evaluate/first", data=fields).status_code == 303
    work(house, campaign, EVALUATE)
    assert client.get(f"/campaigns/{campaign}/audit?release=1").status_code == 200
    assert (
        "mkpersonorganiser said that no metric was announced"
        in client.get(f"/campaigns/{campaign}/log").text
    )
    assert (
        "choose: which metric was announced?" not in client.get(f"/campaigns/{campaign}/files").text
    )


def test_the_official_metric_and_the_runs_that_count_are_written_before_it_is_evaluated(
    house, several_runs
):
    campaign, client, slug = begun(house, several_runs, "said")
    page = client.get(f"/campaigns/{campaign}/evaluate").text
    assert "Which runs of a team count" in page
    assert "(the default)" in page
    fields = {"revision": "1", "task": slug, "official": "accuracy"}
    first = f"/campaigns/{campaign}/evaluate/first"
    assert client.post(first, data=fields).status_code == 400
    assert client.post(first, data={**fields, "runs": "last"}).status_code == 303
    settings = settings_of(house, campaign)
    assert 'official_metric = "accuracy"' in settings
    assert 'runs = "last"' in settings
    work(house, campaign, "read", EVALUATE)
    release = client.get(f"/api/v1/campaigns/{campaign}/releases/1").json()
    assert release["revision"] == 2
    assert release["summary"]["tasks"][0]["metric"] == "accuracy"
    assert len(release["summary"]["tasks"][0]["entries"]) == 2
    log = client.get(f"/campaigns/{campaign}/log").text
    assert "said that the official metric is accuracy; runs that count: last" in log


def test_programs_are_asked_too_and_told_the_default(house):
    campaign, client, slug = begun(house, labelled_by("Ann", "Ben"), "asked of programs")
    evaluations = f"/api/v1/campaigns/{campaign}/evaluations"
    refused = client.post(evaluations, json={"revision": 1})
    assert refused.status_code == 400
    assert "Say which metric is the official one of “asked of programs”" in refused.json()["error"]
    assert "The ranking is then by macro-averaged F1, the default." in refused.json()["error"]
    assert client.post(evaluations, json={"revision": 1, "official_metric": {}}).status_code == 400
    answer = client.post(evaluations, json={"revision": 1, "official_metric": {slug: "none"}})
    assert (answer.status_code, answer.json()["job"]["kind"]) == (202, EVALUATE)
    assert answer.json()["job"]["arguments"]["revision"] == 1
    assert "said that no metric was announced" in client.get(f"/campaigns/{campaign}/log").text
    work(house, campaign, EVALUATE)
    # nothing is asked a second time
    assert client.post(evaluations, json={"revision": 1}).status_code == 202


def test_programs_say_the_metric_and_the_runs_which_are_written_first(house, several_runs):
    campaign, client, _ = begun(house, several_runs, "said by programs")
    evaluations = f"/api/v1/campaigns/{campaign}/evaluations"
    body = {"revision": 1, "official_metric": "accuracy"}
    refused = client.post(evaluations, json=body)
    assert refused.status_code == 400
    assert "Say which runs of a team count. The choices are all" in refused.json()["error"]
    assert client.post(evaluations, json={**body, "runs": "nonesuch"}).status_code == 400
    answer = client.post(evaluations, json={**body, "runs": "last"})
    assert (answer.status_code, answer.json()["job"]["arguments"]["revision"]) == (202, 2)
    assert 'official_metric = "accuracy"' in settings_of(house, campaign)
    work(house, campaign, "read", EVALUATE)
    release = client.get(f"/api/v1/campaigns/{campaign}/releases/1").json()
    assert release["summary"]["tasks"][0]["metric"] == "accuracy"


def test_programs_are_not_asked_for_what_task_toml_states(house, several_runs):
    stated = 'official_metric = "accuracy"\n[policies]\nruns = "last"\n'
    campaign, client, _ = begun(house, {**several_runs, "task.toml": stated}, "stated for programs")
    answer = client.post(f"/api/v1/campaigns/{campaign}/evaluations", json={"revision": 1})
    assert (answer.status_code, answer.json()["job"]["arguments"]["revision"]) == (202, 1)
    assert (
        "said that the official metric is accuracy" in client.get(f"/campaigns/{campaign}/log").text
    )


def test_what_stands_in_the_settings_is_chosen_already(house):
    campaign, client, slug = begun(
        house,
        {**labelled_by("Ann", "Ben"), "task.toml": 'official_metric = "accuracy"\n'},
        "stated",
    )
    page = client.get(f"/campaigns/{campaign}/evaluate").text
    assert '<option value="accuracy" selected>' in page
    assert "choose: which metric" not in page
    fields = {"revision": "1", "task": slug, "official": "accuracy"}
    assert client.post(f"/campaigns/{campaign}/evaluate/first", data=fields).status_code == 303
    with house.service.database.reading() as connection:
        (job,) = open_jobs(connection, campaign)
    assert (job.kind, job.arguments["revision"]) == (EVALUATE, 1)
