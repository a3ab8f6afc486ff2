"""The schema: the migrations make what the models say, and old stores are brought up to date."""

import re
import shutil
import sqlite3
import textwrap
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from audit import resources
from audit.domain import (
    DEFAULT_RESAMPLING,
    NO_RESAMPLING,
    STRICT_POLICIES,
    Campaign,
    ChosenRun,
    Origin,
    Policies,
    Resampling,
    Role,
)
from audit.errors import StoreError
from audit.evaluation import evaluate
from audit.store import connection, open_store, schema, tables

from .campaigns import beside, campaign, contents, evaluation, known, policed, published, resampled

METADATA = tables.Base.metadata
RELEASED = Path(__file__).parent / "released"


def ddl(path):
    """What SQLite keeps of every table and index, columns and constraints in any order and on any line."""
    beside_each_other = re.compile(r"\n|, (?![^(]*\))")
    with closing(sqlite3.connect(path)) as opened:
        found = opened.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'"
        )
        parts = {name: [part.strip(" \t,") for part in beside_each_other.split(sql)] for name, sql in found}
    return {name: sorted(filter(None, each)) for name, each in parts.items()}


def test_the_migrations_make_what_the_models_say(store, tmp_path):
    """To the letter of every column, index and CHECK."""
    made = tmp_path / "made.db"
    engine = connection.engine_for(made, create=True)
    METADATA.create_all(engine)
    assert ddl(store.path) == ddl(made)


def test_alembic_finds_no_difference_either(store):
    """Types, indices and references included."""
    with connection.engine_for(store.path).connect() as opened:
        context = MigrationContext.configure(opened, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, METADATA) == []


def test_the_revision_the_program_knows_is_the_newest_there_is():
    """So that it is looked up nowhere else."""
    assert ScriptDirectory(str(resources.migrations())).get_heads() == [schema.HEAD]


def test_a_store_is_marked_as_ours(store):
    """In its header, where other programs look."""
    with closing(sqlite3.connect(store.path)) as opened:
        assert opened.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
    assert store.path.read_bytes()[68:72] == b"STAu"


def test_every_reference_has_an_index_that_begins_with_it(store):
    """Or deleting a row would read whole tables."""
    inspector = inspect(connection.engine_for(store.path))
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
        "UPDATE label SET name = 'same'",
        "UPDATE gold SET n_items = 0",
        "UPDATE load SET official_metric = NULL",
        "UPDATE load SET journal_digest = 'short'",
        "UPDATE load SET part = 'Spanish'",
        "UPDATE submission SET role = 'first'",
        "UPDATE submission SET role = NULL",
        "UPDATE policy SET slug = 'same'",
        "UPDATE entry SET competes = 2",
        "UPDATE entry SET n_dropped = -1",
        "INSERT INTO baseline_score SELECT evaluation_id, 'none', metric, prevalence, value, 0 FROM score",
        "UPDATE prevalence_share SET share = 0",
        "UPDATE unusable_label SET count = 0",
        "UPDATE issue SET rejection_id = NULL WHERE rejection_id = 1",
        "UPDATE task SET slug = ''",
        "UPDATE load SET n_replicates = -1",
        "UPDATE load SET seed = -1",
        "UPDATE load SET seed = NULL",
        "UPDATE score SET lower = value + 1",
        "UPDATE score SET upper = value - 1",
        "UPDATE score SET lower = NULL",
        "UPDATE uncertainty SET n_replicates = 0",
        "UPDATE uncertainty SET n_groups = 0",
        "UPDATE uncertainty SET share_left_out = 1.5",
        "UPDATE uncertainty SET macro_f1_disagreement = -0.5",
        "UPDATE uncertainty SET digest = ''",
        "UPDATE comparison SET position = 0",
        "UPDATE comparison SET critical_value = -1",
        "UPDATE comparison SET resolution = -1",
        "UPDATE rank_set SET first = 0",
        "UPDATE rank_set SET first = last + 1",
        "UPDATE rank_set SET tier = 0",
        "UPDATE rank_set SET share_first = 2",
        "UPDATE rank_set SET behind_lower = behind_upper + 1",
        "UPDATE rank_set SET behind_lower = NULL",
        "UPDATE rank_set SET randomization_p = 0",
        "UPDATE rank_set SET metric = 'mcc'",
        "UPDATE packed_array SET deflated = ''",
        "UPDATE packed_array SET name = 'lower'",
        "INSERT INTO reading_score SELECT evaluation_id, 99, submission_id, value, rank FROM reading_score",
        "UPDATE reading_score SET rank = 0",
        "UPDATE reading_group SET n_changes = -1",
        "UPDATE reading SET class_set = 'gold'",
        "UPDATE reading SET missing = 'skipped'",
        "UPDATE reading SET undefined = 'nan'",
        "UPDATE winner_map SET holds_uniform = 1.5",
        "UPDATE winner_map SET n_draws = 0",
        "UPDATE winner_map SET concentration = 0",
        "UPDATE winner_map SET nearest_total_variation = 0",
        "UPDATE winner_map_share SET uniform = -0.1",
        "UPDATE winner_map_share SET is_first = 2",
        "UPDATE winner_map_class SET share = 2",
        "UPDATE election SET position = 0",
        "UPDATE election_value SET is_winner = 2",
        "UPDATE election_value SET rule = 'dictator'",
        "UPDATE metric_property SET holds = 'sometimes'",
        "UPDATE witness SET balanced = 2",
        "UPDATE witness SET property = 'fair'",
        "UPDATE witness_addition SET n_items = 0",
        "UPDATE published_score SET decimals = -1",
        "UPDATE published_score SET percent = 2",
        "UPDATE published_score SET column_position = 9",
        "UPDATE published_column SET position = 0",
        "UPDATE identified_column SET heading_says = 'maybe'",
        "UPDATE identified_match SET n_readings = 0",
        "UPDATE identified_miss SET match_position = 9",
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
    config.set_main_option("script_location", str(folder or resources.migrations()).replace("%", "%%"))
    config.attributes["connection"] = opened
    return config


def migrated(path, direction, target):
    """Take the store to a revision as a developer does."""
    engine = connection.for_writing(connection.engine_for(path, create=True, foreign_keys=False))
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
        store.save_campaign(campaign())
        assert contents(store.load_campaign("task")) == contents(campaign())


def test_down_and_up_again_keeps_all_but_what_can_be_made_again(store, path, counts):
    """A campaign and its scores stay; an evaluation with uncertainty, which the older revision cannot hold, goes."""
    by_rule = campaign(resampling=DEFAULT_RESAMPLING)
    store.save_campaign(by_rule)
    store.save_evaluation(evaluation(by_rule, signature="without"))
    before = counts()
    store.save_evaluation(resampled(evaluation(by_rule, signature="with")))
    store.save_evaluation(evaluate(replace(by_rule, task=replace(by_rule.task, resampling=NO_RESAMPLING))))
    for revision in ("0003", "0002", "0001"):
        assert migrated(path, command.downgrade, revision) == ddl(RELEASED / f"{revision}.db")
    assert ddl(RELEASED / "0001.db") != migrated(path, command.upgrade, "head")
    assert counts() == before
    assert contents(store.load_campaign("task")) == contents(by_rule)


def test_a_load_that_says_how_to_resample_is_not_taken_down(store, path, dump):
    """Its fingerprint would no longer be true."""
    store.save_campaign(campaign(resampling=Resampling(seed=7)))
    before = dump()
    with pytest.raises(ValueError, match="cannot keep"):
        migrated(path, command.downgrade, "0001")
    assert dump() == before


def test_what_an_older_revision_cannot_say_is_not_taken_down(store, path, dump):
    """A policy, a chosen run, a family, a role, an origin, groups: each alone, and each with the reason."""
    ada, *others = campaign().submissions
    own = {
        "a policy": campaign(policies=Policies(missing="reject")),
        "a policy of": campaign(policies=Policies(unusable="reject", extra="ignore")),
        "a run that was chosen": campaign(policies=Policies(chosen=(ChosenRun("Bob", "2", "Why not?"),))),
        "a family": campaign(family="flood"),
        "a role": campaign(submissions=(replace(ada, role=Role.LATE), *others)),
        "where a team is from": campaign(submissions=(replace(ada, origin=Origin(paper="doi:1")), *others)),
        "published scores": published(),
        "groups": replace(campaign(), gold=replace(campaign().gold, groups=np.arange(4))),
    }
    for what, said in own.items():
        store.path.unlink()
        with open_store(path) as again:
            again.save_campaign(said)
        before = dump()
        with pytest.raises(ValueError, match=f"cannot keep {what}"):
            migrated(path, command.downgrade, "0002")
        assert dump() == before


def test_strict_policies_are_strict_in_an_older_revision(store, path, rows):
    """And nothing else is."""
    store.save_campaign(campaign(policies=STRICT_POLICIES))
    store.save_campaign(campaign(title="Lenient"))
    migrated(path, command.downgrade, "0002")
    assert rows("SELECT strict FROM load ORDER BY id") == [(1,), (0,)]
    migrated(path, command.upgrade, "head")
    assert rows("SELECT value FROM policy WHERE slug = 'missing' ORDER BY load_id") == [("reject",), ("wrong",)]


def test_evaluations_that_an_older_revision_cannot_hold_go(store, path, counts):
    """Those with baselines, or with entries that do not compete: they can be made again."""
    store.save_campaign(campaign(resampling=DEFAULT_RESAMPLING))
    plain = evaluation(campaign(resampling=DEFAULT_RESAMPLING))
    store.save_evaluation(plain)
    before = counts()
    store.save_evaluation(resampled(beside(replace(plain, signature="beside"))))
    migrated(path, command.downgrade, "0002")
    migrated(path, command.upgrade, "head")
    assert counts() == before


LAST = {
    "0001.db": campaign(resampling=DEFAULT_RESAMPLING),
    "0002.db": campaign(policies=STRICT_POLICIES, resampling=Resampling(50, seed=3)),
    "0003.db": policed(resampling=Resampling(50, seed=3)),
}
"""What each released store holds of its first task: what its loads say that its revision could not is the default."""


@pytest.fixture(params=sorted(each.name for each in RELEASED.iterdir()))
def released(request, path):
    """A store that a released program made of the campaign of these tests, with history and an evaluation."""
    shutil.copy(RELEASED / request.param, path)
    return Released(path, LAST[request.param])


class Released(NamedTuple):
    """A released store, and the campaign that it holds."""

    path: Path
    holds: Campaign


def everything(path):
    """Every row of a store, as a mapping of its columns."""
    with closing(sqlite3.connect(path)) as opened:
        opened.row_factory = sqlite3.Row
        tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: [dict(row) for row in opened.execute(f'SELECT * FROM "{name}"')] for name in tables}  # noqa: S608 - our own names


def test_a_released_store_keeps_every_value_and_is_brought_up_to_date(released, store_ddl):
    """Nothing is changed but the revision, and what it could not say is the default, fingerprints included."""
    before = everything(released.path)
    with open_store(released.path, create=False) as store:
        assert contents(store.load_campaign("task")) == contents(released.holds)
        assert store.save_campaign(released.holds).unchanged == ("Ada", "Bob", "Bob/2")
    after = everything(released.path)
    strict = {load["id"]: load.pop("strict") for load in before["load"] if "strict" in load}
    for slug in ("missing", "unusable"):
        said = {row["load_id"]: int(row["value"] == "reject") for row in after["policy"] if row["slug"] == slug}
        assert strict in ({}, said)
    before["alembic_version"] = [{"version_num": schema.HEAD}]
    for table, rows in before.items():
        assert [{**now, **then} for now, then in zip(after[table], rows, strict=True)] == after[table]
    assert ddl(released.path) == store_ddl
    copy = everything(next(released.path.parent.glob("audit.db.before-*")))
    assert [load.pop("strict") for load in copy["load"] if "strict" in load] == list(strict.values())
    assert copy["load"] == before["load"]


def test_a_released_store_has_a_history(released):
    """Who was replaced when, with an empty journal where the revision knew of none."""
    with open_store(released.path, create=False) as store:
        last, middle, first = store.history("task")
    assert (first.added, middle.added, middle.replaced) == (("Ada",), ("Eve",), ("Ada",))
    assert (last.added, last.replaced, last.removed) == (("Bob", "Bob/2"), ("Ada",), ("Eve",))
    assert (first.gold_changed, middle.gold_changed, last.gold_changed) == (False, True, False)
    assert not first.journal + middle.journal
    assert last.journal == released.holds.journal
    assert last.policies == released.holds.task.policies
    assert len(last.evaluations) == 1


def test_whoever_has_a_view_of_a_released_store_keeps_it(released):
    """Of a table that is made anew, say."""
    with closing(sqlite3.connect(released.path)) as opened:
        opened.execute("CREATE VIEW titles AS SELECT title FROM load")
        titles = opened.execute("SELECT * FROM titles").fetchall()
    open_store(released.path, create=False)
    with closing(sqlite3.connect(released.path)) as opened:
        assert opened.execute("SELECT * FROM titles").fetchall() == titles != []


def test_a_released_store_takes_evaluations_beside_its_own(released, rows):
    """Those that it has stay, with their entries and what is known of them."""
    (signature,) = rows("SELECT signature FROM evaluation")[0]
    with open_store(released.path, create=False) as store:
        own = store.load_uncertainty("task", signature)
        of_own = rows("SELECT competes, n_dropped FROM entry")
        assert (own is not None) == bool(released.holds.task.resampling.n_replicates)
        made = resampled(evaluation(store.load_campaign("task")))
        store.save_evaluation(made)
        assert known(store.load_uncertainty("task", made.signature)) == known(made.uncertainty)
    assert rows("SELECT evaluation_id, count(*) > 0, max(lower) IS NULL FROM score GROUP BY 1") == [
        (1, 1, int(own is None)),
        (2, 1, 0),
    ]
    assert rows("SELECT competes, n_dropped FROM entry WHERE evaluation_id = 2") == [(1, 0)] * 3
    assert rows("SELECT competes, n_dropped FROM entry WHERE evaluation_id = 1") == of_own
    assert len(of_own) == 3


def test_an_evaluation_of_a_released_store_gets_what_its_revision_did_not_keep(released, counts):
    """Where it is made again, under a signature of its own or the same."""
    with open_store(released.path, create=False) as store:
        assert counts()["election"] == 0
        store.save_evaluation(evaluate(store.load_campaign("task")))
    assert min(counts()[table] for table in ("reading_group", "election", "metric_property")) > 0


@pytest.fixture
def store_ddl(empty):
    """The schema of a new store."""
    return ddl(empty)


def test_a_developer_names_a_store(tmp_path, monkeypatch):
    """With ``alembic -x store=PATH``, or audit.db where none is named."""
    for options, name in (({"x": [f"store={tmp_path / 'named.db'}"]}, "named.db"), ({"x": None}, "audit.db")):
        monkeypatch.chdir(tmp_path)
        config = Config(cmd_opts=type("Options", (), options)())
        config.set_main_option("script_location", str(resources.migrations()).replace("%", "%%"))
        command.upgrade(config, "head")
        assert open_store(tmp_path / name, create=False).tasks() == ()


UPGRADE = """
    revision = "0005"
    down_revision = "0004"
    branch_labels = depends_on = None

    import sqlalchemy as sa
    from alembic import op

    def upgrade():
        with op.batch_alter_table("task") as task:
            task.add_column(sa.Column("edition", sa.Integer(), nullable=False, server_default="2026"))
        {more}

    def downgrade():
        op.drop_column("task", "edition")
"""


@pytest.fixture
def next_version(public_folder, monkeypatch):
    """The program as it may be one day, with one migration more."""

    def become(more="pass", head="0005"):
        folder = shutil.copytree(resources.migrations(), public_folder / "100% migrations", dirs_exist_ok=True)
        (folder / "versions" / "0005_edition.py").write_text(textwrap.dedent(UPGRADE).format(more=more))
        monkeypatch.setattr(resources, "migrations", lambda: folder)
        monkeypatch.setattr(schema, "HEAD", head)

    return become


def test_an_old_store_is_copied_and_upgraded(store, path, next_version):
    """Its rows stay, those that refer to the rebuilt table included; the copy is what it was."""
    store.save_campaign(campaign())
    before = path.read_bytes()
    next_version()
    with open_store(path, create=False) as upgraded:
        assert contents(upgraded.load_campaign("task")) == contents(campaign())
        assert len(upgraded.submissions("task")) == 3
    copy = path.with_name("audit.db.before-0005")
    assert sorted(each.name for each in path.parent.glob("audit.db*")) == ["audit.db", copy.name]
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("SELECT slug, edition FROM task").fetchall() == [("task", 2026)]
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(copy)) as other:
        assert (
            one.execute("SELECT count(*) FROM item").fetchone() == other.execute("SELECT count(*) FROM item").fetchone()
        )
    assert len(copy.read_bytes()) == len(before)
    open_store(path).close()
    assert len(list(path.parent.glob("audit.db*"))) == 2


def test_an_earlier_copy_is_never_overwritten(store, path, next_version):
    """It may be the only one that is left."""
    copy = path.with_name("audit.db.before-0005")
    copy.write_text("mine")
    next_version()
    open_store(path)
    assert copy.read_text() == "mine"
    assert path.with_name("audit.db.before-0005.2").exists()
    assert store.tasks() == ()


@pytest.mark.parametrize(
    ("more", "slug"),
    [
        ("op.execute('CREATE TABLE half (done INTEGER)'); op.execute('SELECT * FROM nothing')", "store-corrupt"),
        ("op.execute('DELETE FROM task')", "store-corrupt"),
        ("raise OSError(28, 'No space left on device')", "disk-full"),
    ],
)
def test_a_failed_upgrade_leaves_the_store_as_it_was(store, dump, next_version, more, slug):
    """Tables that it had made, and rows whose references it broke, included."""
    store.save_campaign(campaign())
    before = dump()
    next_version(more)
    with pytest.raises(StoreError) as caught:
        open_store(store.path)
    assert caught.value.issue.slug == slug
    assert dump() == before


def test_a_damaged_old_store_is_not_upgraded(store, path, next_version):
    """Nor copied: the copy would be no better."""
    store.save_campaign(campaign())
    with closing(sqlite3.connect(path)) as opened:
        (page,) = opened.execute("SELECT rootpage FROM sqlite_master WHERE name = 'item'").fetchone()
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

    monkeypatch.setattr(connection._Connection, "backup", full)
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.issue.file.endswith("before-0005")
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
    monkeypatch.setattr(schema, "_migrate", lambda *_: pytest.fail("migrated twice"))
    schema._bring_up(path, None)
    assert store.tasks() == ()
