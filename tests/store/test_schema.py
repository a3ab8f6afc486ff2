"""The schema: the migrations make what the models say, and old stores are brought up to date."""

import re
import shutil
import sqlite3
import textwrap
from contextlib import closing

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from audit import resources
from audit.errors import StoreError
from audit.store import open_store, sqlite_file, tables

from .campaigns import campaign, contents

METADATA = tables.Base.metadata
SCRIPTS = ScriptDirectory(str(resources.migrations()))


def ddl(path):
    """What SQLite keeps of every table and index, columns and constraints in any order and on any line."""
    beside_each_other = re.compile(r"\n|, (?![^(]*\))")
    with closing(sqlite3.connect(path)) as opened:
        found = opened.execute(
            "SELECT name, sql FROM sqlite_master"
            " WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name <> 'alembic_version'"
        )
        parts = {
            name: [
                part.strip(" \t,")
                for part in beside_each_other.split(sql.replace(")\n WITHOUT", ") WITHOUT"))
            ]
            for name, sql in found
        }
    return {name: sorted(filter(None, each)) for name, each in parts.items()}


def test_the_migrations_make_what_the_models_say(store, tmp_path):
    """To the letter of every column, index and CHECK."""
    made = tmp_path / "made.db"
    engine = sqlite_file.engine_for(made, create=True)
    METADATA.create_all(engine)
    assert ddl(store.path) == ddl(made)


def test_alembic_finds_no_difference_either(store):
    """Types, indices and references included."""
    with sqlite_file.engine_for(store.path).connect() as opened:
        context = MigrationContext.configure(
            opened, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, METADATA) == []


def test_the_revision_the_program_knows_is_the_newest_there_is():
    """So that it is looked up nowhere else."""
    assert SCRIPTS.get_heads() == [sqlite_file.HEAD]
    assert [script.revision for script in SCRIPTS.walk_revisions()] == list(
        reversed(sqlite_file.MARKS)
    )


def test_the_marks_the_program_knows_are_those_of_the_migrations(store):
    """Whoever amends the schema before the first release changes the mark: stores made before are then refused."""
    for script in SCRIPTS.walk_revisions():
        assert sqlite_file.MARKS[script.revision] == script.module.MARK
    with closing(sqlite3.connect(store.path)) as opened:
        assert opened.execute("PRAGMA user_version").fetchone() == (
            sqlite_file.MARKS[sqlite_file.HEAD],
        )


def test_every_statement_of_the_schema_counts_in_its_mark():
    """And no comment does."""
    module = SCRIPTS.get_revision("0001").module
    assert not any(statement.startswith("--") for statement in module.STATEMENTS)
    assert {statement.split()[0] for statement in module.STATEMENTS} == {"CREATE"}
    with closing(sqlite3.connect(":memory:")) as opened:
        for statement in module.STATEMENTS:
            opened.execute(statement)
        (n_made,) = opened.execute(
            "SELECT count(*) FROM sqlite_master WHERE sql IS NOT NULL"
        ).fetchone()
    assert n_made == len(module.STATEMENTS)


def test_a_store_is_marked_as_ours(store):
    """In its header, where other programs look."""
    with closing(sqlite3.connect(store.path)) as opened:
        assert opened.execute("PRAGMA application_id").fetchone() == (sqlite_file.APPLICATION_ID,)
    assert store.path.read_bytes()[68:72] == b"STAu"


def test_every_reference_has_an_index_that_begins_with_it(store):
    """Or deleting a row would read whole tables."""
    inspector = inspect(sqlite_file.engine_for(store.path))
    for table in METADATA.tables:
        led_by = {index["column_names"][0] for index in inspector.get_indexes(table)}
        led_by |= {unique["column_names"][0] for unique in inspector.get_unique_constraints(table)}
        led_by |= set(inspector.get_pk_constraint(table)["constrained_columns"][:1])
        references = {key["constrained_columns"][0] for key in inspector.get_foreign_keys(table)}
        assert references <= led_by, table


def test_every_reference_says_what_deleting_does(store):
    """A default would be a decision that nobody took."""
    for table in METADATA.tables.values():
        assert all(key.ondelete in {"CASCADE", "NO ACTION"} for key in table.foreign_keys), table
    with closing(sqlite3.connect(store.path)) as opened:
        assert opened.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE submission SET codes = ''",
        "UPDATE submission SET n_missing = -1",
        "UPDATE submission SET path = NULL WHERE id = 1",
        "UPDATE submission SET fingerprint = 'short'",
        "UPDATE submission SET replaced_in = loaded_in",
        "UPDATE submission SET team = 'Ada', run = NULL",
        "UPDATE submission SET team = 'Ada', run = '1'",
        "UPDATE submission SET team = NULL",
        "UPDATE item SET external_id = 'same'",
        "UPDATE item SET code = -1",
        "UPDATE gold SET n_items = 0",
        "UPDATE gold SET stratified = 2",
        "UPDATE gold SET stratified = NULL",
        "UPDATE load SET settings = NULL",
        "UPDATE load SET words_digest = 'short'",
        "UPDATE submission SET role = 'first'",
        "UPDATE submission SET role = NULL",
        "UPDATE gold SET labels = NULL",
        "UPDATE submission SET issues = NULL",
        "UPDATE load_file SET kind = 'settings'",
        "UPDATE load_file SET kind = 'other'",
        "UPDATE load_file SET source_file_id = 99",
        "UPDATE task SET slug = ''",
        "UPDATE evaluation SET digest = 'short'",
        "UPDATE evaluation SET n_flags = -1",
        "UPDATE evaluation SET document = NULL",
        "INSERT INTO evaluation SELECT 99, load_id, '', '', signature, '', 0, digest, '' FROM evaluation",
        "UPDATE task SET options = NULL",
        "UPDATE submission SET words_digest = ''",
        "DELETE FROM source_file",
        "DELETE FROM load",
    ],
)
def test_the_schema_refuses_what_cannot_be(explored, statement):
    """Whoever writes it."""
    with closing(sqlite3.connect(explored.path)) as opened:
        opened.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError):
            opened.execute(statement)


def config_for(opened, folder=None):
    config = Config()
    config.set_main_option(
        "script_location", str(folder or resources.migrations()).replace("%", "%%")
    )
    config.attributes["connection"] = opened
    return config


def migrated(path, direction, target):
    """Take the store to a revision as a developer does."""
    engine = sqlite_file.for_writing(sqlite_file.engine_for(path, create=True, foreign_keys=False))
    with engine.begin() as opened:
        direction(config_for(opened), target)
    return ddl(path)


def test_the_migrations_go_up_down_and_up_again(tmp_path):
    """And leave nothing behind on the way."""
    path = tmp_path / "audit.db"
    ways = ((command.upgrade, "head"), (command.downgrade, "base"), (command.upgrade, "head"))
    seen = [migrated(path, *way) for way in ways]
    assert seen[0] == seen[2] != seen[1] == {}
    with open_store(path, create=False) as store:
        store.save_campaigns(campaign())
        assert contents(store.load_campaign("task")) == contents(campaign())


def test_a_new_store_is_what_the_migrations_make(tmp_path, next_version):
    """Alembic's own table included, today and when there are further migrations."""
    for name, version in (("today", lambda: None), ("one day", next_version)):
        version()
        made, by_alembic = tmp_path / f"{name}.db", tmp_path / f"{name} by Alembic.db"
        open_store(made).close()
        migrated(by_alembic, command.upgrade, "head")
        with closing(sqlite3.connect(made)) as one, closing(sqlite3.connect(by_alembic)) as other:
            for query in (
                "SELECT * FROM alembic_version",
                "PRAGMA user_version",
                "PRAGMA application_id",
            ):
                assert one.execute(query).fetchall() == other.execute(query).fetchall()
            schema = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
            made_of = [
                [(*row, re.sub(r"\s", "", sql or "")) for *row, sql in each.execute(schema)]
                for each in (one, other)
            ]
            assert made_of[0] == made_of[1]


def test_a_developer_names_a_store(tmp_path, monkeypatch):
    """With ``alembic -x store=PATH``, or audit.db where none is named."""
    for options, name in (
        ({"x": [f"store={tmp_path / 'named.db'}"]}, "named.db"),
        ({"x": None}, "audit.db"),
    ):
        monkeypatch.chdir(tmp_path)
        config = Config(cmd_opts=type("Options", (), options)())
        config.set_main_option("script_location", str(resources.migrations()).replace("%", "%%"))
        command.upgrade(config, "head")
        assert open_store(tmp_path / name, create=False).tasks() == ()


UPGRADE = """
    revision = "0002"
    down_revision = "0001"
    branch_labels = depends_on = None

    import sqlalchemy as sa
    from alembic import op

    def upgrade():
        with op.batch_alter_table("task") as task:
            task.add_column(sa.Column("edition", sa.Integer(), nullable=False, server_default="2026"))
        op.execute("PRAGMA user_version = 2")
        {more}

    def downgrade():
        op.drop_column("task", "edition")
"""


@pytest.fixture
def next_version(public_folder, monkeypatch):
    """The program as it may be one day, with one migration more."""

    def become(more="pass"):
        folder = shutil.copytree(
            resources.migrations(), public_folder / "100% migrations", dirs_exist_ok=True
        )
        (folder / "versions" / "0002_edition.py").write_text(
            textwrap.dedent(UPGRADE).format(more=more)
        )
        monkeypatch.setattr(resources, "migrations", lambda: folder)
        monkeypatch.setattr(sqlite_file, "MARKS", {**sqlite_file.MARKS, "0002": 2})
        monkeypatch.setattr(sqlite_file, "HEAD", "0002")

    return become


def test_an_old_store_is_copied_and_upgraded(store, path, next_version):
    """Its rows stay, those that refer to the rebuilt table included; the copy is what it was."""
    store.save_campaigns(campaign())
    before = path.read_bytes()
    next_version()
    with open_store(path, create=False) as upgraded:
        assert contents(upgraded.load_campaign("task")) == contents(campaign())
        assert len(upgraded.submissions("task")) == 3
    copy = path.with_name("audit.db.before-0002")
    assert sorted(each.name for each in path.parent.glob("audit.db*")) == ["audit.db", copy.name]
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("SELECT slug, edition FROM task").fetchall() == [("task", 2026)]
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(copy)) as other:
        assert (
            one.execute("SELECT count(*) FROM item").fetchone()
            == other.execute("SELECT count(*) FROM item").fetchone()
        )
    assert len(copy.read_bytes()) == len(before)
    open_store(path).close()
    assert len(list(path.parent.glob("audit.db*"))) == 2


def test_an_earlier_copy_is_never_overwritten(store, path, next_version):
    """It may be the only one that is left."""
    copy = path.with_name("audit.db.before-0002")
    copy.write_text("mine")
    next_version()
    open_store(path)
    assert copy.read_text() == "mine"
    assert path.with_name("audit.db.before-0002.2").exists()
    assert store.tasks() == ()


@pytest.mark.parametrize(
    ("more", "slug"),
    [
        (
            "op.execute('CREATE TABLE half (done INTEGER)'); op.execute('SELECT * FROM nothing')",
            "store-corrupt",
        ),
        ("op.execute('DELETE FROM task')", "store-corrupt"),
        ("raise OSError(28, 'No space left on device')", "disk-full"),
    ],
)
def test_a_failed_upgrade_leaves_the_store_as_it_was(store, dump, next_version, more, slug):
    """Tables that it had made, and rows whose references it broke, included."""
    store.save_campaigns(campaign())
    before = dump()
    next_version(more)
    with pytest.raises(StoreError) as caught:
        open_store(store.path)
    assert caught.value.issue.slug == slug
    assert dump() == before


def test_a_damaged_old_store_is_not_upgraded(store, path, next_version):
    """Nor copied: the copy would be no better."""
    store.save_campaigns(campaign())
    with closing(sqlite3.connect(path)) as opened:
        (page,) = opened.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'item'"
        ).fetchone()
        (size,) = opened.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(content)
    next_version()
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.issue.slug == "store-corrupt"
    assert path.read_bytes() == content
    assert [each.name for each in path.parent.glob("audit.db*")] == ["audit.db"]


def test_a_copy_that_fails_is_taken_away(store, path, dump, next_version, monkeypatch):
    """And the store is not upgraded without one."""
    before = dump()
    next_version()

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(sqlite_file._Connection, "backup", full)
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.issue.file.endswith("before-0002")
    assert dump() == before
    assert [each.name for each in path.parent.glob("audit.db*")] == ["audit.db"]
    assert store.tasks() == ()


def test_an_old_store_that_is_read_only_is_refused(public_folder, unprivileged, next_version):
    """Reading it would need the upgrade."""
    path = public_folder / "audit.db"
    open_store(path)
    next_version()
    path.chmod(0o444)
    public_folder.chmod(0o555)
    with unprivileged(), pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.issue.slug == "store-read-only"


def test_somebody_else_may_upgrade_first(store, path, monkeypatch):
    """Between looking and locking: then there is nothing left to do."""
    monkeypatch.setattr(sqlite_file, "_migrate", lambda *_: pytest.fail("migrated twice"))
    sqlite_file._bring_up(path, None)
    assert store.tasks() == ()
