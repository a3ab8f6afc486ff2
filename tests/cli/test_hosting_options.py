"""What `audit serve` and `audit worker` are told reaches the service, each number where it belongs."""

import signal

import pytest

from audit.service.child import Limits
from audit.web import serving

GIB = 1 << 30
OF_JOBS = {"workers": 3, "memory": 5, "unpacked-limit": 7, "dead-after": 11}
OF_UPLOADS = {"upload-limit": 13, "campaign-limit": 17}


def test_limits_are_stated_in_gib(run, folder, monkeypatch):
    """And how many workers there are, and when one is taken to be dead, as they stand."""
    started = []
    monkeypatch.setattr(serving, "serve", lambda options, *_, **__: started.append(options))
    monkeypatch.setattr(serving, "work", lambda options, _: started.append(options))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    for command, stated in (("serve", OF_JOBS | OF_UPLOADS), ("worker", OF_JOBS)):
        options = [f"--{name}={number}" for name, number in stated.items()]
        assert run(command, "--data", folder / "data", *options).exit_code == 0
    served, worked = started
    assert served.limits == Limits(5 * GIB, 7 * GIB, 13 * GIB, 17 * GIB)
    assert worked.limits == Limits(5 * GIB, 7 * GIB)
    assert {(each.n_workers, each.dead_after) for each in started} == {(3, 11)}


@pytest.mark.parametrize("name", OF_JOBS | OF_UPLOADS)
def test_each_number_is_one_or_more(name, run, folder, monkeypatch):
    """With no memory nothing would ever be done; workers there may be on other machines alone."""
    monkeypatch.setattr(serving, "serve", lambda *_, **__: None)
    codes = [
        run("serve", "--data", folder / "data", f"--{name}={number}").exit_code for number in (0, 1)
    ]
    assert codes == [0 if name == "workers" else 2, 0]
