"""Stores to work on."""

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audit.domain import SliceColumn
from audit.evaluation import evaluate
from audit.store import open_store
from audit.writers.bundle.archive import evaluation_document

from .campaigns import beside, campaign, certain, evaluation, keep, published


@pytest.fixture
def path(tmp_path):
    """Where a store may be made."""
    return tmp_path / "audit.db"


@pytest.fixture
def store(path, empty):
    """An empty store."""
    with open_store(Path(shutil.copy(empty, path))) as opened:
        yield opened


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """An empty store's file, to be copied: quicker than making one each time."""
    path = tmp_path_factory.mktemp("store") / "empty.db"
    open_store(path).close()
    return path


@pytest.fixture(scope="session")
def full(tmp_path_factory, empty):
    """A store's file with a campaign and an evaluation with a certainty, likewise."""
    path = Path(shutil.copy(empty, tmp_path_factory.mktemp("store") / "full.db"))
    with open_store(path) as store:
        slices = (SliceColumn("language", ("de", "en", "es"), np.array([0, 1, 2, 1], np.uint8)),)
        cut = replace(campaign(), gold=replace(campaign().gold, slices=slices))
        store.save_campaigns(cut)
        keep(store, certain(beside(evaluation(cut))))
    return path


@pytest.fixture
def filled(path, full):
    """A store with a campaign and an evaluation with a certainty."""
    with open_store(Path(shutil.copy(full, path))) as opened:
        yield opened


@pytest.fixture(scope="session")
def found_out(tmp_path_factory, full):
    """The same with a task whose evaluation is the engine's, likewise."""
    path = Path(shutil.copy(full, tmp_path_factory.mktemp("store") / "found-out.db"))
    with open_store(path) as store:
        loaded = published("published")
        store.save_campaigns(loaded)
        made = evaluate(loaded)
        store.save_evaluation(made, evaluation_document(made))
    return path


@pytest.fixture
def explored(path, found_out):
    """A store with campaigns and evaluations, one of them the engine's with published scores."""
    with open_store(Path(shutil.copy(found_out, path))) as opened:
        yield opened


@pytest.fixture(scope="session")
def fresh(empty):
    """A context with a store of its own, for each example of a property."""

    @contextmanager
    def opened():
        with (
            tempfile.TemporaryDirectory() as folder,
            open_store(Path(shutil.copy(empty, folder))) as store,
        ):
            yield store

    return opened


@pytest.fixture
def rows(path):
    """Rows of the store by SQL."""

    def ask(query, *parameters):
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(query, parameters).fetchall()

    return ask


@pytest.fixture
def kept(rows):
    """The document of the evaluation of this signature that was kept last."""

    def document(signature):
        ((text,),) = rows(
            "SELECT document FROM evaluation WHERE signature = ? ORDER BY id DESC LIMIT 1",
            signature,
        )
        return json.loads(text)

    return document


@pytest.fixture
def counts(rows):
    """The number of rows of every table."""

    def count():
        tables = [name for (name,) in rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: rows(f'SELECT count(*) FROM "{table}"')[0][0] for table in tables}  # noqa: S608 - our own names

    return count


@pytest.fixture
def dump(path):
    """Everything in the store, as SQL."""

    def everything():
        with closing(sqlite3.connect(path)) as connection:
            return list(connection.iterdump())

    return everything


@pytest.fixture
def public_folder():
    """A folder that an unprivileged user reaches."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder
        folder.chmod(0o777)


@pytest.fixture
def unprivileged():
    """A context without the superuser's right to write anywhere."""

    @contextmanager
    def lowered():
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(user)

    return lowered
