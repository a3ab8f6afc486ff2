"""What the forms of the settings write into task.toml: what differs, and nothing else."""

import copy
import json

import pytest
from starlette.datastructures import FormData

from audit.service.rules import RefusedError
from audit.service.settings_text import Setting, edited
from audit.web.first_evaluation import table_of
from audit.web.pages.files_pages import changed_settings, chosen_of, labels_of

SUBMISSIONS = (("A", None, "primary"), ("Uni X", "run1", "primary"), ("Uni X", "run2", "late"))
FINDINGS = {
    "settings": 'title = "Old"\n',
    "tasks": [
        {
            "slug": "t",
            "part": None,
            "title": "Old",
            "note": "",
            "official_metric": "kappa",
            "labels": [{"label": "0", "name": "“0”"}, {"label": "1", "name": "offensive"}],
            "submissions": [
                {"team": team, "run": run, "role": role} for team, run, role in SUBMISSIONS
            ],
            "policies": {"runs": "all", "extra": "reject", "chosen": []},
        }
    ],
}


def written(*rows, chosen=None, runs=()):
    """Table, key and value of each setting that a form writes, whose rows are a path, what was and what is now."""
    fields = [("chosen", json.dumps(chosen))] if chosen is not None else []
    for names, values in (
        (("setting", "was", "now"), rows),
        (("team_of_runs", "run_of_team", "reason"), runs),
    ):
        fields += [pair for each in values for pair in zip(names, each, strict=True)]
    return [
        (".".join(each.table), each.key, each.value) for each in changed_settings(FormData(fields))
    ]


def test_what_stands_there_already_is_not_written():
    """A page that is saved as it is changes nothing."""
    assert (
        written(
            ('["title"]', "Old", "Old"),
            ('["note"]', "a\nb", "a\r\nb "),
            ('["label_names", "0"]', "0", "0"),
        )
        == []
    )
    assert written(chosen=[], runs=[("Uni X", "", "")]) == []


def test_what_differs_is_written():
    """And what is emptied is taken out: no official metric is none."""
    changed = written(
        ('["subtask", "en", "title"]', "Old", "New"),
        ('["note"]', "", "To\r\nknow"),
        ('["official_metric"]', "kappa", ""),
    )
    assert changed == [
        ("subtask.en", "title", "New"),
        ("", "note", "To\nknow"),
        ("", "official_metric", None),
    ]


def test_a_setting_that_is_not_there_is_taken_out_without_a_trace():
    assert edited("# mine\n", [Setting(("label_names",), "0", None)]) == "# mine\n"


def test_a_run_is_chosen_with_a_reason():
    """By the team's name for readers."""
    runs = [("Uni X", "run2", " by mail")]
    chosen = [{"team": "Uni X", "run": "run2", "reason": "by mail"}]
    assert written(chosen=[], runs=runs) == [("", "chosen", chosen)]
    with pytest.raises(RefusedError, match="Say why run2 of Uni X counts"):
        written(chosen=[], runs=[("Uni X", "run2", " ")])
    assert written(chosen=chosen, runs=runs) == []
    assert written(chosen=chosen, runs=[("Uni X", "", "")]) == [("", "chosen", None)]
    stated = copy.deepcopy(FINDINGS)
    stated["tasks"][0]["policies"]["chosen"] = chosen
    assert chosen_of(stated) == [("Uni X", ["run1", "run2"], "run2", "by mail")]
    assert chosen_of(FINDINGS) == [("Uni X", ["run1", "run2"], "", "")]


def test_a_test_set_among_several_has_its_own_table():
    """Where task.toml has one for it."""
    several = copy.deepcopy(FINDINGS)
    (task,) = several["tasks"]
    task["part"] = "en"
    for settings, table in (
        ("[subtask.en]\n", ["subtask", "en"]),
        ("no = toml = here", []),
        ("subtask = 1", []),
    ):
        several["settings"] = settings
        assert table_of(task, several) == table


def test_what_the_forms_show():
    """Labels without quotes around numerals."""
    assert labels_of(FINDINGS) == [("0", "0"), ("1", "offensive")]


@pytest.mark.parametrize(
    "row", [("title", "", "x"), ("[]", "", "x"), ("[1]", "", "x"), ("{", "", "x")]
)
def test_a_form_that_the_page_has_not_is_refused(row):
    with pytest.raises(RefusedError):
        written(row)
    with pytest.raises(RefusedError):
        changed_settings(FormData([("setting", '["title"]'), ("now", "x")]))
