"""Options beside a folder with settings: each stands in task.toml, in memory, or is refused."""

import tomllib

import pytest

from audit.errors import UsageError
from audit.formats.door.beside_settings import open_with_settings
from audit.formats.door.said import Said


def settings(folder, text, **said):
    (folder / "task.toml").write_text(text, encoding="utf-8")
    opening = open_with_settings(folder, Said(**said))
    assert opening.folder == folder
    with opening.tree() as tree:
        assert tree.exists("task.toml")
        return tomllib.loads(tree.original("task.toml").decode())


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ({"id": "doc,2"}, {"gold": {"id": ["doc", 2]}, "submissions": {"id": ["doc", 2]}}),
        (
            {"label": "irony=answer"},
            {"gold": {"label": "irony"}, "submissions": {"label": "answer"}},
        ),
        ({"kind": "labels"}, {"kind": "classes"}),
        ({"kind": "spans"}, {"kind": "sets"}),
        ({"scale": True}, {"scale": True}),
        ({"scale": ("low", "high")}, {"scale": True, "labels": ["low", "high"]}),
        ({"group": "none"}, {"gold": {"group": False}}),
        ({"group": "author"}, {"gold": {"group": "author"}}),
        ({"runs": "last"}, {"policies": {"runs": "last"}}),
        ({"alias": ("pos=positive",)}, {"aliases": {"pos": "positive"}}),
        ({"official_metric": "mcc"}, {"official_metric": "mcc"}),
    ],
)
def test_each_option_is_the_setting_that_it_stands_for(said, stated, tmp_path):
    assert settings(tmp_path, 'title = "T"\n', **said) == {"title": "T", **stated}


def test_what_is_stated_already_may_be_said_again(tmp_path):
    assert settings(tmp_path, '[gold]\nlabel = "a"\n', label="a")["gold"] == {"label": "a"}


@pytest.mark.parametrize(
    ("text", "said"),
    [('official_metric = "mcc"\n', {"official_metric": "accuracy"}), ("", {"name": "{team}"})],
)
def test_what_settings_contradict_or_have_otherwise_is_refused(text, said, tmp_path):
    with pytest.raises(UsageError, match="--"):
        settings(tmp_path, text, **said)


def test_a_folder_without_settings_has_what_is_said_alone(tmp_path):
    opening = open_with_settings(tmp_path, Said(official_metric="mcc"))
    assert tomllib.loads(opening.settings.decode()) == {"official_metric": "mcc"}
    assert not (tmp_path / "task.toml").exists()


def test_what_is_wrong_with_settings_their_reader_says(tmp_path):
    (tmp_path / "task.toml").write_text("a = = b\n", encoding="utf-8")
    assert open_with_settings(tmp_path, Said(runs="last")).settings == b"a = = b\n"
