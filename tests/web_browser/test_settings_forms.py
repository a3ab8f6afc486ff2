"""What the forms of the settings write into task.toml: what differs, and nothing else."""

import copy

import pytest
from starlette.datastructures import FormData

from audit.service.rules import RefusedError
from audit.web.pages.files_pages import changes_of, chosen_of, labels_of, runs_of

SUBMISSIONS = (("A", None, "primary"), ("Uni X", "run1", "primary"), ("Uni X", "run2", "late"))
FINDINGS = {
    "is_usable": True,
    "settings": 'title = "Old"\n[teams]\nux = "Uni X"\n',
    "allowed": {
        "policies": [{"slug": "runs", "values": {"all": "", "last": ""}}, {"slug": "extra", "values": {"reject": ""}}],
    },
    "tasks": [
        {
            "slug": "t",
            "part": None,
            "title": "Old",
            "note": "",
            "official_metric": "kappa",
            "labels": [{"label": "0", "name": "“0”"}, {"label": "1", "name": "offensive"}],
            "submissions": [{"team": team, "run": run, "role": role} for team, run, role in SUBMISSIONS],
            "policies": {"runs": "all", "extra": "reject", "chosen": []},
        }
    ],
}


def written(kind, fields, findings=FINDINGS):
    """Table, key and value of each setting that a form writes."""
    changes = changes_of(FormData([("kind", kind), *fields.items()]), findings)
    return [(".".join(each.table), each.key, each.value) for each in changes]


def test_what_stands_there_already_is_not_written():
    """A page that is saved as it is changes nothing."""
    assert written("about", {"task": "t", "title": "Old", "note": "", "official_metric": "kappa"}) == []
    assert written("label_names", {"name:0": "0", "name:1": "offensive"}) == []
    assert written("policies", {"runs": "all", "extra": "reject"}) == []
    assert written("chosen", {}) == []


def test_what_differs_is_written():
    """And what is emptied is taken out: no official metric is none."""
    about = {"task": "t", "title": "New", "note": "To\r\nknow", "official_metric": ""}
    assert written("about", about) == [("", "title", "New"), ("", "note", "To\nknow"), ("", "official_metric", None)]
    assert written("label_names", {"name:0": "not", "name:1": ""}) == [
        ("label_names", "0", "not"),
        ("label_names", "1", None),
    ]
    assert written("policies", {"runs": "last", "extra": "none such"}) == [("policies", "runs", "last")]


def test_a_run_is_chosen_with_a_reason():
    """By the team's name for readers."""
    fields = {"run:Uni X": "run2", "reason:Uni X": "by mail"}
    chosen = [{"team": "Uni X", "run": "run2", "reason": "by mail"}]
    assert written("chosen", fields) == [("", "chosen", chosen)]
    with pytest.raises(RefusedError, match="Say why run2 of Uni X counts"):
        written("chosen", {"run:Uni X": "run2"})
    stated = copy.deepcopy(FINDINGS)
    stated["tasks"][0]["policies"]["chosen"] = [{"team": "Uni X", "run": "run2", "reason": "by mail"}]
    assert written("chosen", fields, stated) == []
    assert written("chosen", {"run:Uni X": ""}, stated) == [("", "chosen", None)]
    assert chosen_of(stated) == [("Uni X", ["run1", "run2"], "run2", "by mail")]
    assert chosen_of(FINDINGS) == [("Uni X", ["run1", "run2"], "", "")]


def test_a_test_set_among_several_has_its_own_table():
    """Where task.toml has one for it."""
    several = copy.deepcopy(FINDINGS)
    several["tasks"][0]["part"] = "en"
    several["settings"] = "[subtask.en]\n"
    fields = {"task": "t", "title": "New", "note": "", "official_metric": "kappa"}
    assert written("about", fields, several) == [("subtask.en", "title", "New")]
    several["settings"] = "no = toml = here"
    assert written("about", fields, several) == [("", "title", "New")]


def test_what_the_forms_show():
    """Labels without quotes around numerals, runs where a team has several."""
    assert labels_of(FINDINGS) == [("0", "0"), ("1", "offensive")]
    assert runs_of(FINDINGS) == {"Uni X": ["run1", "run2"]}


@pytest.mark.parametrize(
    ("kind", "findings"), [("nothing", FINDINGS), ("about", {"is_usable": False}), ("about", FINDINGS)]
)
def test_a_form_that_the_page_has_not_is_refused(kind, findings):
    """So is one of files that changed meanwhile, or of a test set that is none."""
    with pytest.raises(RefusedError):
        written(kind, {"task": "other"}, findings)
