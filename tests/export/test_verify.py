"""audit verify: the same numbers from the same inputs, every difference found, and nothing believed of the archive."""

import gzip
import io
import json
import os
import random
import re
import shutil
import stat
import struct
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from audit import workflow
from audit.domain import Options
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.extras import require
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.files import limits
from audit.resources import samples
from audit.store import open_store
from audit.verification import verifying
from audit.verification.bundle_reading import read_bundle
from audit.verification.verifying import (
    TOLERANCE,
    own_differences,
    verification_data,
    verification_sentences,
    verify_bundle,
)
from audit.writers.bundle.archive import SUMS, seal_of, sums, zip_bytes
from audit.writers.bundle.folder import ExportOptions, export_files
from audit.writers.data.export import to_json
from tests.nightly import ALL, by_day, slow, some_slow, whole_or

# the same evaluations are asked for again and again
pytestmark = pytest.mark.usefixtures("computed_once")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

SMALL = {
    "gold.csv": "id,label\n" + "".join(f"q{i},{'yes' if i % 3 else 'no'}\n" for i in range(60)),
    "submissions/A.csv": "id,label\n"
    + "".join(f"q{i},{'yes' if i % 4 else 'no'}\n" for i in range(60)),
    "submissions/B.csv": "id,label\n"
    + "".join(f"q{i},{'yes' if i % 2 else 'no'}\n" for i in range(60)),
    "submissions/C/last run.csv": "id,label\n" + "".join(f"q{i},yes\n" for i in range(55)),
    "submissions/Broken.csv": "id,label\nq1\n",
}


CONTENT_OF_A = SMALL["submissions/A.csv"].encode()


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The bundles of a small campaign, with and without inputs, and its folder."""
    root = tmp_path_factory.mktemp("verify")
    folder = write(root / "small", SMALL)
    workflow.load(folder, root / "audit.db", skip_rejected=True, strict=False)
    for name, inputs in (("digests", False), ("whole", True)):
        options = ExportOptions(figures=(), include_inputs=inputs, with_items=inputs)
        workflow.export_task("small", root / name, root / "audit.db", options)
    return root


@pytest.fixture
def inputs(exported, tmp_path):
    """A copy of the campaign's folder under another name, to be changed."""
    return Path(shutil.copytree(exported / "small", tmp_path / "another name"))


def changed(source, target, **files):
    """A bundle in which some files are others, and which says so in its seal and its digests; None removes one."""
    with zipfile.ZipFile(source) as old:
        content = {name: old.read(name) for name in old.namelist()} | files
    if SUMS not in files and all(
        content[name] is not None for name in ("evaluation.json", "journal.json")
    ):
        # of a manifest that is none
        with suppress(ValueError, TypeError, AttributeError, KeyError, RecursionError):
            manifest = json.loads(content["manifest.json"])
            seal = seal_of(manifest, content)
            content["manifest.json"] = content["manifest.json"].replace(
                manifest["seal"].encode(), seal.encode()
            )
    if SUMS not in files:
        content[SUMS] = sums(
            {name: data for name, data in content.items() if data is not None and name != SUMS}
        )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in content.items():
            if data is not None:
                new.writestr(name, data)
    return target


def with_document(exported, tmp_path, name, change):
    """The whole bundle with a change to one of its JSON files."""
    with zipfile.ZipFile(exported / "whole" / "bundle.zip") as archive:
        document = json.loads(archive.read(name))
    change(document)
    return changed(
        exported / "whole" / "bundle.zip",
        tmp_path / "changed.zip",
        **{name: to_json(document).encode()},
    )


def test_the_same_inputs_give_the_same_numbers(exported, inputs):
    """Every one of them, from a folder of another name, to the last bit."""
    found = verify_bundle(exported / "digests" / "bundle.zip", inputs)
    assert found.same
    assert found.recomputed
    assert (found.issues, found.differences, found.tolerance, found.largest_difference) == (
        (),
        (),
        0.0,
        0.0,
    )
    assert found.n_inputs == 4
    assert found.n_numbers > 1000
    assert verification_sentences(found) == [
        "All 4 inputs are the bundle’s, byte for byte.",
        f"Recomputed {found.n_numbers:,} numbers: all the same (exact equality expected; no difference).",
    ]


def test_a_bundle_with_its_inputs_verifies_itself(exported):
    """Items and rejected files too, although a rejected file is in no bundle."""
    found = verify_bundle(exported / "whole" / "bundle.zip")
    assert found.same
    with zipfile.ZipFile(exported / "whole" / "bundle.zip") as archive:
        inputs = {name for name in archive.namelist() if name.startswith("inputs/")}
        assert inputs == {f"inputs/{name}" for name in SMALL if "Broken" not in name}
        assert all(
            archive.read(name) == SMALL[name.removeprefix("inputs/")].encode() for name in inputs
        )
        assert len(json.loads(archive.read("evaluation.json"))["per_item"]["ids"]) == 60


def test_the_sample_verifies(tmp_path):
    """With every format of the sample, and a task.toml."""
    workflow.load(samples() / "flood-posts", tmp_path / "audit.db")
    workflow.export_task(
        "flood-posts", tmp_path / "out", tmp_path / "audit.db", ExportOptions(figures=())
    )
    assert verify_bundle(tmp_path / "out" / "bundle.zip", samples() / "flood-posts").same


SCORED = {
    "gold.csv": SMALL["gold.csv"],
    "submissions/A.csv": "id,label,p\n"
    + "".join(
        f"q{i},{'yes' if i % 4 else 'no'},{(i * 7 % 60 + 20 * (i % 3 > 0)) / 100}\n"
        for i in range(60)
    ),
    "submissions/B.csv": "id,label,p\n"
    + "".join(f"q{i},{'yes' if i % 2 else 'no'},{i * 11 % 60 / 100}\n" for i in range(60)),
    "submissions/C.csv": SMALL["submissions/A.csv"],
    "task.toml": 'official_metric = "auc"\n[submissions]\nlabel = "label"\nscore = "p"\nabove = "yes"\n',
}


def test_scores_of_items_verify(tmp_path):
    """From the folder, and from the bundle alone; a changed score is another input."""
    folder = write(tmp_path / "small", SCORED)
    workflow.load(folder, tmp_path / "audit.db")
    options = ExportOptions(figures=(), include_inputs=True)
    workflow.export_task("small", tmp_path / "out", tmp_path / "audit.db", options)
    bundle = tmp_path / "out" / "bundle.zip"
    for found in (verify_bundle(bundle), verify_bundle(bundle, folder)):
        assert found.same
        assert found.n_numbers > 1000
    with zipfile.ZipFile(bundle) as archive:
        scores = json.loads(archive.read("evaluation.json"))["scores"]["auc"]
    assert scores["C"] is None
    assert scores["A"] > scores["B"]
    write(
        folder,
        {"submissions/A.csv": SCORED["submissions/A.csv"].replace("q1,yes,0.27", "q1,yes,0.28")},
    )
    assert not verify_bundle(bundle, folder).same


@pytest.mark.parametrize("certainty", [True, False])
def test_what_was_asked_for_travels_in_the_bundle(tmp_path, certainty):
    """Whether the certainty was computed, and from which seed: only so are all numbers the same again."""
    folder = write(
        tmp_path / "small",
        {name: content for name, content in SMALL.items() if "Broken" not in name},
    )
    campaign = read_campaign(folder)
    options = Options(7, certainty, ("mcc~",) if certainty else ())
    files = export_files(evaluate(campaign, options), campaign, ExportOptions(figures=()))
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(files["bundle.zip"])
    with zipfile.ZipFile(bundle) as archive:
        manifest, document = (
            json.loads(archive.read(name)) for name in ("manifest.json", "evaluation.json")
        )
    assert (manifest["settings"]["certainty"], manifest["settings"]["seed"]) == (certainty, 7)
    assert (document["certainty"] is not None) == certainty
    asked = "--seed 7" if certainty else "--seed 7 --no-certainty"
    assert manifest["commands"][-1] == f"audit evaluate {asked} --json small"
    found = verify_bundle(bundle, folder)
    assert found.same, verification_sentences(found)


def answers(every, n_items=60):
    """Answers that are wrong now and then, otherwise for each team."""
    return (
        "id,label\n" + "".join(f"q{i},{'yes' if i % every else 'no'}\n" for i in range(n_items))
    ).encode()


def zipped(files):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def tarred(files, mode):
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        for name, content in files.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return target.getvalue()


ARCHIVED = {
    "an archive of teams, with archives in it": {
        "submissions.zip": zipped(
            {
                "A.csv": answers(4),
                "B/run1.csv": answers(2),
                "B/run2.csv": answers(5),
                "C.zip": zipped({"answer.csv": answers(7), "README.md": b"not an answer"}),
                "D.csv.gz": gzip.compress(answers(6)),
                "E.tar.xz": tarred({"answer.csv": answers(8)}, "w:xz"),
            }
        )
    },
    "one team in a folder beside documentation": {
        "submissions.zip": zipped(
            {
                "README.txt": b"hello",
                "B/run1.csv": answers(2),
                "B/run2.csv": answers(5),
                "B/run3.csv": answers(9),
            }
        )
    },
    "everything wrapped in a folder": {
        "submissions.zip": zipped(
            {"all/A.csv": answers(4), "all/B.csv": answers(2), "__MACOSX/all/._A.csv": b"\0"}
        )
    },
    "an archive for each team": {
        "submissions/A.zip": zipped({"deep/down/answer.csv": answers(4)}),
        "submissions/B.tar.gz": tarred({"1.csv": answers(2), "2.csv": answers(5)}, "w:gz"),
        "submissions/C.tgz": tarred({"answer.csv": answers(6)}, "w:gz"),
        "submissions/D.tar": tarred({"answer.csv": answers(7)}, "w"),
        "submissions/E.tar.bz2": tarred({"answer.csv": answers(8)}, "w:bz2"),
        "submissions/F.tar.zst": require("zst", "").compress(
            tarred({"answer.csv": answers(9)}, "w")
        ),
    },
}


@pytest.mark.parametrize("name", ARCHIVED)
@by_day(1)
def test_inputs_that_came_from_archives_verify_from_the_bundle(tmp_path, name):
    """Members of an archive are read as what they were: a submission, a team's run, a team."""
    gold = gzip.compress(answers(3))
    folder = write(tmp_path / "archived", {"gold.csv.gz": gold, **ARCHIVED[name]})
    workflow.load(folder, tmp_path / "audit.db")
    options = ExportOptions(figures=(), include_inputs=True)
    bundle = (
        workflow.export_task("archived", tmp_path / "out", tmp_path / "audit.db", options)
        / "bundle.zip"
    )
    for found in (verify_bundle(bundle), verify_bundle(bundle, folder)):
        assert found.same, verification_sentences(found)
    with zipfile.ZipFile(bundle) as archive:
        assert archive.read("inputs/gold.csv.gz") == gold


WRAPPED = {"s.zip": {"deep/er/A.csv": answers(4), "deep/er/B.csv": answers(2)}}
NAMED = {
    "gold": ({"gold.zip": {"deep/er/g.csv": answers(3)}}, '[gold]\npath = "gold.zip/{}g.csv"\n'),
    "gold in an archive in another": (
        {"gold.zip": {"x/y.tar": tarred({"deep/er/g.csv": answers(3)}, "w")}},
        '[gold]\npath = "gold.zip/x/y.tar/{}g.csv"\n',
    ),
    "gold among other files": (
        {"gold.zip": {"deep/er/g/g.csv": answers(3), "deep/er/other.csv": b"x"}},
        '[gold]\npath = "gold.zip/{}g/g.csv"\n',
    ),
    "groups": (
        {
            "g.zip": {
                "deep/er/groups.txt": b"".join(b"d%d\n" % (number // 4) for number in range(60))
            }
        },
        '[gold]\ngroup = {{ path = "g.zip/{}groups.txt" }}\n',
    ),
    "names of labels": (
        {"m.zip": {"deep/er/map.txt": b"no\tnever\nyes\talways\n"}},
        'label_names_file = "m.zip/{}map.txt"\n',
    ),
    "published scores": (
        {"p.zip": {"deep/er/p.csv": b"team,accuracy\nA,.5\nB,.6\n"}},
        '[published]\npath = "p.zip/{}p.csv"\n',
    ),
    "a pattern": (WRAPPED, '[submissions]\nfiles = "s.zip/{}{{team}}.csv"\n'),
    "a pattern without the archive's ending": (
        WRAPPED,
        '[submissions]\nfiles = "s/{}{{team}}.csv"\n',
    ),
    "the cells of files.csv": (
        {
            **WRAPPED,
            "files.csv": b"file,kind,team\ns.zip/{}A.csv,submission,X\ns.zip/{}B.csv,submission,Y\n",
        },
        "",
    ),
    "a test set of several": (
        {"one.zip": {"deep/er/g.csv": answers(3)}, "s.zip": {"deep/er/C.csv": answers(7)}},
        """[subtask.a]\ngold.path = "one.zip/{}g.csv"\nsubmissions.files = "s.zip/{}{{team}}.csv"
[subtask.b]\ngold.path = "gold.csv"\nsubmissions.files = "submissions/{{team}}.csv"\n""",
    ),
}
"""Each kind of path that settings name, with the place of the folders that wrap an archive."""


@pytest.mark.parametrize("wrapper", ["deep/er/", ""])
@pytest.mark.parametrize("kind", NAMED)
@by_day(2)
def test_inputs_verify_whether_a_path_names_the_folder_that_wraps_an_archive_or_not(
    tmp_path, kind, wrapper
):
    """The bundle has them without it; where settings or files.csv write it, it is passed over."""
    files, settings = NAMED[kind]
    written = {
        "task.toml": settings.replace("{}", wrapper).replace("{{", "{").replace("}}", "}").encode()
    }
    for path, content in files.items():
        members = {path: content} if isinstance(content, bytes) else content
        members = {name: data.replace(b"{}", wrapper.encode()) for name, data in members.items()}
        written[path] = members[path] if path in members else zipped(members)
    written |= {} if "gold.zip" in written else {"gold.csv": answers(3)}
    written |= (
        {}
        if "s.zip" in written and "several" not in kind
        else {"submissions/A.csv": answers(4), "submissions/B.csv": answers(2)}
    )
    workflow.load(write(tmp_path / "wrapped", written), tmp_path / "audit.db")
    with open_store(tmp_path / "audit.db") as store:
        slugs = [task.slug for task in store.tasks()]
    for slug in slugs:
        options = ExportOptions(figures=(), include_inputs=True)
        bundle = (
            workflow.export_task(slug, tmp_path / f"of-{slug}", tmp_path / "audit.db", options)
            / "bundle.zip"
        )
        for found in (verify_bundle(bundle), verify_bundle(bundle, tmp_path / "wrapped")):
            assert found.same, verification_sentences(found)


def test_any_name_stands_for_one_that_settings_leave_open(tmp_path):
    """A pattern with a star in place of the folder that wraps each team's archive."""
    packed = {
        f"submissions/{team}.zip": zipped({f"of {team}/out.csv": answers(n)})
        for team, n in (("A", 4), ("B", 7))
    }
    toml = b'[submissions]\nfiles = "submissions/{team}.zip/*/out.csv"\n'
    folder = write(tmp_path / "starred", {"gold.csv": answers(3), "task.toml": toml, **packed})
    workflow.load(folder, tmp_path / "audit.db")
    options = ExportOptions(figures=(), include_inputs=True)
    bundle = (
        workflow.export_task("starred", tmp_path / "out", tmp_path / "audit.db", options)
        / "bundle.zip"
    )
    assert verify_bundle(bundle).same


def test_without_inputs_nothing_is_recomputed(exported):
    """And that is said; it is not taken for success."""
    found = verify_bundle(exported / "digests" / "bundle.zip")
    assert not found.recomputed
    assert not found.same
    assert verification_sentences(found)[0] == (
        "Nothing was recomputed: the bundle has the digests of 4 inputs, not the inputs."
    )


def test_an_input_of_other_bytes_is_named(exported, inputs):
    """A blank at its end is enough, though no number differs."""
    with (inputs / "submissions" / "A.csv").open("a", encoding="utf-8") as file:
        file.write("\n")
    found = verify_bundle(exported / "digests" / "bundle.zip", inputs)
    assert [(issue.slug, issue.file) for issue in found.issues] == [
        ("input-differs", "submissions/A.csv")
    ]
    assert not found.differences
    assert not found.same
    assert verification_sentences(found)[0] == "1 input is not as in the bundle, which has 4."
    theirs, ours = (sha256(data).hexdigest()[:12] for data in (CONTENT_OF_A, CONTENT_OF_A + b"\n"))
    assert found.issues[0].found == f"its SHA-256 begins with {ours}, the bundle's with {theirs}"


def test_an_answer_that_was_changed_changes_numbers_that_are_named(exported, inputs):
    """One label of one team: its scores differ, those of another team do not."""
    path = inputs / "submissions" / "B.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("q1,yes", "q1,no"), encoding="utf-8")
    found = verify_bundle(exported / "digests" / "bundle.zip", inputs)
    places = {difference.place for difference in found.differences}
    assert ("scores", "accuracy", "B") in places
    assert ("confusions", "B", "1", "0") in places
    assert not any(place[0] == "scores" and place[-1] == "A" for place in places)
    accuracy = next(each for each in found.differences if each.place == ("scores", "accuracy", "B"))
    assert accuracy.size == pytest.approx(1 / 60)
    assert found.largest_difference >= accuracy.size
    sentences = verification_sentences(found)
    assert (
        f": {len(found.differences):,} values differ (exact equality expected; largest difference "
        in sentences[1]
    )
    assert len(sentences) == 2 + 20 + 1
    assert sentences[-1].endswith("more (--json lists them all)")
    assert any(
        re.search(r"B: bundle 0\.\d+, here 0\.\d+ \(same to \d+ decimals?\)$", line)
        for line in sentences
    )


def test_missing_and_further_inputs_are_named(exported, inputs):
    """Both ways; a submission that is rejected now counts as missing."""
    (inputs / "submissions" / "A.csv").write_text("id,label\nq1\n", encoding="utf-8")
    shutil.copy(inputs / "submissions" / "B.csv", inputs / "submissions" / "New.csv")
    found = verify_bundle(exported / "digests" / "bundle.zip", inputs)
    assert [(issue.file, issue.found) for issue in found.issues] == [
        ("submissions/A.csv", "it is missing, or rejected"),
        ("submissions/New.csv", "the bundle has no such input"),
    ]
    assert verification_sentences(found)[0] == "2 inputs are not as in the bundle, which has 4."


def test_inputs_that_cannot_be_read_are_an_error_with_its_reason(exported, inputs):
    (inputs / "gold.csv").unlink()
    with pytest.raises(InputError) as caught:
        verify_bundle(exported / "digests" / "bundle.zip", inputs)
    assert [issue.slug for issue in caught.value.issues] == ["no-gold"]


CHANGES = {
    ("scores", "accuracy", "A"): 0.75 + 2**-52,
    ("ranks", "accuracy", "A"): 9,
    ("certainty", "intervals", "scores", "accuracy", "A", 0): 0.1,
    ("certainty", "comparisons", 0, "critical_value"): 1.96,
    ("certainty", "comparisons", 0, "adjusted_p", 0, 1): 0.05,
    ("certainty", "comparisons", 0, "could_be_best"): [],
    ("certainty", "changes", 0, "state"): "open",
    ("certainty", "seed"): 5,
    ("flags", 0, "sentence"): "All is well.",
    ("entries", 0, "missing"): 3,
    ("labels",): ["no", "yes", "perhaps"],
    ("per_item", "gold", 0): "yes",
    ("signature",): "official:none",
    ("teams", 0): {"deep": [1]},
}


@pytest.mark.parametrize("together", [True, *([False] if ALL else [])])
def test_a_number_that_was_changed_in_the_bundle_is_found(exported, tmp_path, together):
    """Even by one unit of the last place: all of them at once, and at night each by itself."""
    for changes in [CHANGES] if together else [{place: value} for place, value in CHANGES.items()]:
        found = verify_bundle(
            with_document(exported, tmp_path, "evaluation.json", partial(put, changes))
        )
        assert {difference.place for difference in found.differences} == {
            tuple(map(str, place)) for place in changes
        }
        assert len(found.differences) == len(changes)
        assert not found.same


def put(changes, document):
    """Other values at some places of a document."""
    for (*above, last), value in changes.items():
        part = document
        for step in above:
            part = part[step]
        assert part[last] != value
        part[last] = value


def test_a_field_too_many_or_too_few_is_found(exported, tmp_path):
    def change(document):
        del document["scores"]["accuracy"]
        document["praise"] = 1

    found = verify_bundle(with_document(exported, tmp_path, "evaluation.json", change))
    assert {(each.place, each.bundle) for each in found.differences} == {
        (("scores", "accuracy"), None),
        (("praise",), 1),
    }


def test_other_versions_are_named_and_the_last_digits_may_then_differ(exported, tmp_path):
    """Within the tolerance nothing differs, and the largest difference is said; beyond it, it does."""
    with zipfile.ZipFile(exported / "whole" / "bundle.zip") as archive:
        manifest, document = (
            json.loads(archive.read(name)) for name in ("manifest.json", "evaluation.json")
        )
    manifest["versions"] |= {"audit": "0.0.9", "numpy": "1.0"}
    document["program"], document["signature"] = "0.0.9", "by an older program"
    document["scores"]["accuracy"]["A"] += 1e-12
    source, target = exported / "whole" / "bundle.zip", tmp_path / "old.zip"
    parts = {
        "manifest.json": json.dumps(manifest).encode(),
        "evaluation.json": json.dumps(document).encode(),
    }
    found = verify_bundle(changed(source, target, **parts))
    assert found.same
    assert found.tolerance == TOLERANCE
    assert found.largest_difference == pytest.approx(1e-12, rel=1e-3)
    said = verification_sentences(found)
    assert said[2].startswith("The bundle was made with audit 0.0.9, here ")
    assert "; numpy 1.0, here " in said[2]
    assert found.outcome == "same-as-printed"
    assert (
        "the same to every printed digit, with other library versions (tolerance 1e-09, of draws 1e-06; "
        in said[3]
    )
    assert said[3].endswith("largest difference 1e-12).")
    document["scores"]["accuracy"]["A"] += 1e-6
    found = verify_bundle(
        changed(source, target, **{**parts, "evaluation.json": json.dumps(document).encode()})
    )
    assert [each.place for each in found.differences] == [("scores", "accuracy", "A")]
    assert (
        "1 value differs (tolerance 1e-09, of draws 1e-06; largest difference 1e-06)"
        in verification_sentences(found)[3]
    )


@pytest.mark.parametrize("forged", ["nothing", "the digests"])
def test_edited_versions_excuse_no_difference(forged, exported, tmp_path):
    """Versions are sealed with the numbers that they computed: edited ones are found, and nothing is tolerated."""
    source = exported / "whole" / "bundle.zip"
    with zipfile.ZipFile(source) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    here = json.loads(content["manifest.json"])["versions"]["numpy"]
    content["manifest.json"] = content["manifest.json"].replace(
        f'"numpy": "{here}"'.encode(), b'"numpy": "1.0"'
    )
    document = json.loads(content["evaluation.json"])
    document["scores"]["accuracy"]["A"] += 1e-12
    for evaluation in (content["evaluation.json"], to_json(document).encode()):
        content["evaluation.json"] = evaluation
        if forged == "the digests":
            content[SUMS] = sums({name: data for name, data in content.items() if name != SUMS})
        (tmp_path / "edited.zip").write_bytes(zip_bytes(content))
        found = verify_bundle(tmp_path / "edited.zip")
        assert (found.same, found.outcome, found.tolerance, found.near) == (
            False,
            "differs",
            0.0,
            (),
        )
        assert {("manifest.json", "seal"), ("manifest.json", "versions", "numpy")} <= {
            each.place for each in found.differences
        }
    assert ("scores", "accuracy", "A") in {each.place for each in found.differences}
    assert "exact equality expected" in " ".join(verification_sentences(found))


def test_each_quantity_has_its_tolerance_and_only_with_other_versions(exported, tmp_path):
    """A critical value may differ by what an interpolation in single precision does, a score may not."""
    with zipfile.ZipFile(exported / "whole" / "bundle.zip") as archive:
        manifest, document = (
            json.loads(archive.read(name)) for name in ("manifest.json", "evaluation.json")
        )

    def verified(place, change, **versions):
        other, part = (
            json.loads(json.dumps(document)),
            manifest | {"versions": manifest["versions"] | versions},
        )
        inner = other
        for name in place[:-1]:
            inner = inner[name]
        inner[place[-1]] += change
        parts = {
            "manifest.json": json.dumps(part).encode(),
            "evaluation.json": json.dumps(other).encode(),
        }
        return verify_bundle(
            changed(exported / "whole" / "bundle.zip", tmp_path / "other.zip", **parts)
        )

    critical, score = ("certainty", "comparisons", 0, "critical_value"), ("scores", "accuracy", "A")
    assert verified(critical, 3e-7, numpy="2.0.0").outcome == "same-as-printed"
    assert verified(critical, 3e-7).outcome == "differs"
    assert verified(critical, 3e-4, numpy="2.0.0").outcome == "differs"
    assert verified(score, 3e-7, numpy="2.0.0").outcome == "differs"


def test_a_number_that_is_printed_otherwise_is_said_to_be_the_same_within_a_tolerance(exported):
    found = replace(verify_bundle(exported / "whole" / "bundle.zip"), tolerance=TOLERANCE)
    near = verifying.Difference(("certainty", "critical_value"), 2.34565, 2.3456499, 1e-7)
    assert (
        "within what other library versions change"
        in verification_sentences(replace(found, near=(near,)))[-1]
    )
    assert replace(found, near=(near,)).outcome == "same-within-tolerance"
    assert replace(found, recomputed=False).outcome == "not-recomputed"


LOWEST = [
    f"{requirement.name}=={specifier.version}"
    for requirement in map(Requirement, PROJECT["dependencies"])
    for specifier in requirement.specifier
    if specifier.operator == ">="
]


@slow("test_each_quantity_has_its_tolerance_and_only_with_other_versions")
def test_a_bundle_of_the_lowest_versions_verifies(tmp_path):
    """The lowest versions that the project allows, in an environment of their own, run the sample and export it."""
    venv.create(tmp_path / "low", with_pip=True)
    python = str(tmp_path / "low" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", *LOWEST], check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AUDIT_STORE": str(tmp_path / "audit.db")}
    flood = str(samples() / "flood-posts")
    export = ["export", "flood-posts", str(tmp_path / "out"), "--figures", "none"]
    for arguments in (
        ["load", flood],
        export,
        ["--help"],
        ["run", flood, "-o", str(tmp_path / "report.html")],
    ):
        command = [python, "-m", "audit", *arguments]
        subprocess.run(command, check=True, capture_output=True, env=environment, cwd=tmp_path)
    found = verify_bundle(tmp_path / "out" / "bundle.zip", samples() / "flood-posts")
    assert found.bundle_versions["numpy"].startswith(
        dict(each.split("==") for each in LOWEST)["numpy"]
    )
    assert found.outcome in {"same", "same-as-printed"}, found.differences


def test_what_was_found_is_plain_data(exported, inputs):
    (inputs / "submissions" / "A.csv").unlink()
    found = verify_bundle(exported / "digests" / "bundle.zip", inputs)
    data = json.loads(json.dumps(verification_data(found), allow_nan=False))
    assert data["same"] is False
    assert data["inputs_that_differ"] == [
        {"file": "submissions/A.csv", "found": "it is missing, or rejected"}
    ]
    assert len(data["differences"]) == len(found.differences)


# Everything in the bundle


def accused(path):
    """Whether a bundle is refused, or something in it is said to be otherwise."""
    try:
        found = verify_bundle(path)
    except InputError as error:
        return {issue.slug for issue in error.issues} == {"bad-bundle"}
    assert found.same == (not found.differences and not found.issues)
    return not found.same and len(verification_sentences(found)) > 2


def places(path, inputs=None):
    """Where something differs, a digest in the list of them left out."""
    found = verify_bundle(path, inputs)
    assert not found.same
    return {each.place for each in found.differences if each.place[0] != SUMS} | {
        each.file for each in found.issues
    }


def test_no_byte_of_any_file_can_change(exported, tmp_path):
    """A byte of each file is another one, and the list of digests is as it was: by what the bundle says of itself."""
    source, rng = exported / "whole" / "bundle.zip", random.Random(14)  # noqa: S311 - seeded
    with zipfile.ZipFile(source) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    assert len(content) == 6 + 4
    for name, data in content.items():
        for at in sorted({0, len(data) - 1, *rng.choices(range(len(data)), k=whole_or(8, 200))}):
            other = data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :]
            target = changed(source, tmp_path / "changed.zip", **{SUMS: content[SUMS], name: other})
            try:
                assert list(own_differences(read_bundle(target), same_program=True)), (name, at)
            except InputError as error:
                assert error.issues[0].slug == "bad-bundle"  # noqa: PT017 - either is an accusation
    assert accused(target)


@pytest.mark.parametrize(
    "name",
    ["README.txt", "evaluation.schema.json", "journal.json", "inputs/gold.csv", "SHA256SUMS"],
)
def test_a_file_that_is_missing_is_named(exported, tmp_path, name):
    target = changed(exported / "whole" / "bundle.zip", tmp_path / "changed.zip", **{name: None})
    if name == "journal.json":
        assert refused(target) == "it lacks “journal.json”"
    elif name == SUMS:
        with zipfile.ZipFile(exported / "whole" / "bundle.zip") as archive:
            listed = archive.read(SUMS)
        assert not verify_bundle(
            changed(exported / "whole" / "bundle.zip", target, **{SUMS: listed[65:]})
        ).same
    elif name.startswith("inputs/"):
        assert refused(target) == "it lacks the input “gold.csv”"
    else:
        assert accused(target)


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "inputs/submissions/New.csv",
        "inputs/more/gold.csv",
        "task.toml",
        "evaluation2.json",
    ],
)
def test_a_file_too_many_is_named(exported, tmp_path, name):
    """Also where the list of digests has it."""
    target = changed(
        exported / "whole" / "bundle.zip", tmp_path / "changed.zip", **{name: b"id,label\nq1,yes\n"}
    )
    assert (name,) in {each.place for each in verify_bundle(target).differences}


FORGED = {
    "README.txt": lambda data: data.replace(b"submissions", b"submission5"),
    "evaluation.schema.json": lambda data: data.replace(b"object", b"array", 1),
    "evaluation.json": lambda data: data.replace(b'  "task"', b'   "task"', 1),
    "journal.json": lambda data: data.replace(b'"count": 60', b'"count": 61', 1),
    "manifest.json": lambda data: data.replace(b'"size": ', b'"size": 1', 1),
}


@pytest.mark.parametrize("name", FORGED)
@by_day(2)
def test_a_file_that_was_forged_is_found(exported, tmp_path, name):
    """Its digest was forged with it: it is found by making the file again."""
    with zipfile.ZipFile(exported / "whole" / "bundle.zip") as archive:
        data = archive.read(name)
    assert FORGED[name](data) != data
    target = changed(
        exported / "whole" / "bundle.zip", tmp_path / "changed.zip", **{name: FORGED[name](data)}
    )
    assert {place[0] for place in places(target)} == {name}


MANIFEST_CHANGES = {
    ("title",): "Another title",
    ("signature",): "official:none",
    ("commands", 0): "pip install something-else",
    ("settings", "missing"): "drop",
    ("inputs", 0, "size"): 1.0,
    ("inputs_included",): False,
    ("rejected", 0, "issues"): [],
    ("part",): "en",
}


@pytest.mark.parametrize("place", some_slow(list(MANIFEST_CHANGES), 2))
def test_no_value_of_the_manifest_is_believed(exported, tmp_path, place):
    """But for what only names the machine, which the outcome says; the title is the folder's name here."""
    change = partial(put, {place: MANIFEST_CHANGES[place]})
    target = with_document(exported, tmp_path, "manifest.json", change)
    if place == ("part",):
        with pytest.raises(InputError, match="no test set “en”"):
            verify_bundle(target)
    else:
        assert not verify_bundle(target).same


@pytest.mark.parametrize("name", ["manifest.json", "evaluation.json", "journal.json"])
def test_a_name_twice_in_an_object_is_refused(exported, tmp_path, name):
    """One program would take the first value, another one the second."""
    with zipfile.ZipFile(exported / "whole" / "bundle.zip") as archive:
        data = archive.read(name)
    twice = data.replace(b"{\n", b'{\n  "task": "other",\n  "task": "small",\n', 1)
    target = changed(exported / "whole" / "bundle.zip", tmp_path / "changed.zip", **{name: twice})
    assert refused(target) == "the field “task” is there twice"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("items",), 60.0),
        (("entries", 0, "missing"), False),
        (("scores", "accuracy", "A"), "0.75"),
        (("ranks", "accuracy", "A"), True),
        (("gold_items", "no"), 20.0),
    ],
)
def test_a_value_of_another_type_is_another_value(exported, tmp_path, place, value):
    """Though Python takes 60 and 60.0, 1 and True, to be equal."""

    def change(document):
        part = document
        for step in place[:-1]:
            part = part[step]
        part[place[-1]] = value

    target = with_document(exported, tmp_path, "evaluation.json", change)
    assert places(target) == {tuple(map(str, place))}


def test_rejected_files_are_said_to_be_believed(exported):
    """From the bundle's inputs nobody can tell; from the folder it is computed."""
    found = verify_bundle(exported / "whole" / "bundle.zip")
    assert found.n_believed == 1
    said = verification_sentences(found)[1]
    assert said.startswith(
        "What the bundle says of 1 rejected file, and its assumptions, were taken as they are"
    )
    found = verify_bundle(exported / "whole" / "bundle.zip", exported / "small")
    assert found.same
    assert said not in verification_sentences(found)


SETTINGS_OF_PARTS = """
title = "Two languages"
[teams]
A = "Team A"
only-en = "Only English"
[roles]
"*base" = "baseline"
[subtask.en]
gold.path = "gold/en.csv"
submissions.files = "runs/en/{team}.csv"
[subtask.de]
gold.path = "gold/de.csv"
submissions.files = "runs/de/{team}.csv"
"""


def parts_of(root):
    """A campaign of two test sets, with one files.csv; one file is rejected."""
    parts = {"gold/en.csv": answers(3), "gold/de.csv": answers(5, 40)}
    rows = ""
    for language, n_items in (("en", 60), ("de", 40)):
        teams = ["A", "B", "my-base", *(["only-en", "Broken"] if language == "en" else [])]
        rows += "".join(
            f"runs/{language}/{team}.csv,submission,{language},{team} University\n"
            for team in teams
        )
        for number, team in enumerate(teams, start=2):
            parts[f"runs/{language}/{team}.csv"] = answers(
                number, 1 if team == "Broken" else n_items
            )
    parts["files.csv"] = f"file,kind,part,affiliation\n{rows}".encode()
    return write(root / "parts", {"task.toml": SETTINGS_OF_PARTS, **parts})


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("part", ["en", "de"])
def test_a_test_set_of_several_verifies(tmp_path, part):
    """With files.csv, from a folder that has both test sets, and from inputs that are of one."""
    folder = parts_of(tmp_path)
    workflow.load(folder, tmp_path / "audit.db", skip_rejected=True, strict=True)
    options = ExportOptions(figures=(), include_inputs=True)
    bundle = (
        workflow.export_task(f"parts-{part}", tmp_path / "out", tmp_path / "audit.db", options)
        / "bundle.zip"
    )
    with zipfile.ZipFile(bundle) as archive:
        inputs = {name for name in archive.namelist() if name.startswith("inputs/")}
    assert "inputs/files.csv" in inputs
    assert not any(f"/{other}" in name for name in inputs for other in {"en", "de"} - {part})
    for found in (verify_bundle(bundle), verify_bundle(bundle, folder)):
        assert found.same, verification_sentences(found)
    settings = (folder / "task.toml").read_text().replace("Two languages", "Three languages")
    (folder / "task.toml").write_text(settings)
    assert ("title",) in places(bundle, folder)
    assert "task.toml" in places(bundle, folder)


@pytest.mark.usefixtures("copies_accepted")
def test_a_settings_file_in_the_bundle_is_the_one_that_was_loaded(tmp_path):
    """Another one in its place is found: by its digest among the inputs, and by making it again."""
    folder = parts_of(tmp_path)
    workflow.load(folder, tmp_path / "audit.db", skip_rejected=True, strict=True)
    bundle = workflow.export_task(
        "parts-de", tmp_path / "out", tmp_path / "audit.db", ExportOptions(figures=())
    )
    other = changed(
        bundle / "bundle.zip", tmp_path / "changed.zip", **{"task.toml": b'title = "other"\n'}
    )
    found = verify_bundle(other)
    assert [each.place for each in found.differences] == [("manifest.json", "inputs", "task.toml")]
    assert verification_sentences(found)[2] == "In the bundle itself 1 thing is not as it says:"
    assert ("manifest.json", "inputs", "task.toml") in places(other, folder)


def test_labels_of_a_team_that_stands_twice_make_no_items(tmp_path):
    """Both its files are rejected, and inputs lack them: of sets, what was counted with their labels would differ."""
    gold = "id,labels\n" + "".join(f'q{i},"{"a" if i % 2 else "a, b"}"\n' for i in range(20))
    answers_of = {
        "A": gold.replace("a, b", "b", 4),
        "B": gold.replace("a, b", "a", 3),
        "X": gold.replace('"a"', '"z"'),
    }
    files = {f"submissions/{team}.csv": text for team, text in answers_of.items()}
    files |= {
        "submissions/x.tsv": files["submissions/X.csv"].replace(",", "\t", 1),
        "gold.csv": gold,
    }
    folder = write(
        tmp_path / "sets", {**files, "task.toml": 'kind = "sets"\nofficial_metric = "micro_f1"\n'}
    )
    (loaded,) = workflow.load(folder, tmp_path / "audit.db", skip_rejected=True)
    assert len(loaded.rejected) == 2
    options = ExportOptions(figures=(), include_inputs=True)
    bundle = (
        workflow.export_task("sets", tmp_path / "out", tmp_path / "audit.db", options)
        / "bundle.zip"
    )
    for found in (verify_bundle(bundle), verify_bundle(bundle, folder)):
        assert found.same, verification_sentences(found)


@pytest.mark.skipif(os.name == "nt", reason="the system has no file of this name")
def test_a_team_may_have_any_name_that_a_file_has(tmp_path):
    """Whatever its characters mean to a system."""
    folder = write(
        tmp_path / "named", {"gold.csv": answers(3), 'submissions/What? "*<x>|.csv': answers(4)}
    )
    workflow.load(folder, tmp_path / "audit.db")
    options = ExportOptions(figures=(), include_inputs=True)
    assert verify_bundle(
        workflow.export_task("named", tmp_path / "out", tmp_path / "audit.db", options)
        / "bundle.zip"
    ).same


def test_a_wide_table_verifies(tmp_path):
    """Gold and every system in one file."""
    rows = "".join(
        f"{'yes' if i % 3 else 'no'},{'yes' if i % 4 else 'no'},{'yes' if i % 2 else 'no'}\n"
        for i in range(50)
    )
    folder = write(tmp_path / "wide", {"systems.csv": "gold,A,B\n" + rows, "notes.md": "ignored"})
    workflow.load(folder, tmp_path / "audit.db")
    options = ExportOptions(figures=(), include_inputs=True)
    bundle = (
        workflow.export_task("wide", tmp_path / "out", tmp_path / "audit.db", options)
        / "bundle.zip"
    )
    for found in (verify_bundle(bundle), verify_bundle(bundle, folder)):
        assert found.same, verification_sentences(found)


# What is no bundle


def refused(path):
    """The one issue for which a bundle is refused."""
    with pytest.raises(InputError) as caught:
        verify_bundle(path)
    (issue,) = caught.value.issues
    assert issue.slug == "bad-bundle"
    return issue.found


@pytest.mark.parametrize(
    "content", [b"", b"no archive", b"PK\x05\x06" + bytes(18), b"PK\x03\x04" + bytes(60)]
)
def test_what_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "bundle.zip").write_bytes(content)
    refused(tmp_path / "bundle.zip")


def test_what_is_no_file_is_refused(tmp_path):
    """A device without an end, and a pipe that nobody writes into, are not read."""
    os.mkfifo(tmp_path / "pipe.zip")
    for place in (tmp_path, tmp_path / "pipe.zip", Path("/dev/zero")):
        assert refused(place) == "it is no file, but a folder, a device or a pipe"
    assert refused(tmp_path / "nowhere.zip") == "no such file"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../evil",
            "/evil",
            "inputs/../../evil",
            "inputs/a\\b",
            "C:/evil",
            "inputs//a",
            "inputs/./a",
            "inputs/a\nb",
        ),
        *(
            "inputs/a. ",
            "inputs/gold.csv/below",
            "INPUTS/GOLD.csv",
            "inputs/nul:stream",
            "inputs/a/..",
        ),
    ],
)
def test_a_path_that_could_lead_anywhere_is_refused(exported, tmp_path, name):
    """Out of the folder, below a file, or to one name twice on some system."""
    refused(changed(exported / "whole" / "bundle.zip", tmp_path / "bundle.zip", **{name: b"x"}))
    assert not (tmp_path.parent / "evil").exists()


def test_a_name_that_no_file_system_takes_is_a_file_too_many(exported, tmp_path):
    name = "inputs/" + "x" * 300
    found = verify_bundle(
        changed(exported / "whole" / "bundle.zip", tmp_path / "bundle.zip", **{name: b"x"})
    )
    assert (name,) in {each.place for each in found.differences}


def test_an_entry_without_a_name_is_refused(tmp_path):
    """A name that begins with a zero byte is read as none."""
    target = tmp_path / "bundle.zip"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("nameless", b"")
    target.write_bytes(target.read_bytes().replace(b"nameless", bytes(8)))
    assert "could lead out of a folder" in refused(target)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice_is_refused(exported, tmp_path):
    target = tmp_path / "bundle.zip"
    shutil.copy(exported / "whole" / "bundle.zip", target)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("evaluation.json", b"{}")
    assert refused(target) == "“evaluation.json” is in it twice"


def entry_with(exported, tmp_path, **attributes):
    """The bundle with one more entry that has these attributes."""
    target = tmp_path / "bundle.zip"
    shutil.copy(exported / "whole" / "bundle.zip", target)
    entry = zipfile.ZipInfo("inputs/more.csv")
    for name, value in attributes.items():
        setattr(entry, name, value)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(entry, b"../../etc/passwd")
    return target


def test_a_link_is_refused(exported, tmp_path):
    target = entry_with(
        exported, tmp_path, create_system=3, external_attr=(stat.S_IFLNK | 0o777) << 16
    )
    assert refused(target) == "“inputs/more.csv” is a link or a device"


def patched(path, signature, offset, value):
    """The archive with one field of its last header of a kind overwritten."""
    data = bytearray(path.read_bytes())
    at = data.rindex(signature) + offset
    data[at : at + len(value)] = value
    path.write_bytes(data)
    return path


def test_an_encrypted_entry_is_refused(exported, tmp_path):
    target = patched(entry_with(exported, tmp_path), b"PK\x01\x02", 8, struct.pack("<H", 1))
    assert refused(target) == "“inputs/more.csv” is encrypted"


def test_an_entry_that_says_it_is_huge_is_refused(exported, tmp_path):
    """By what it says, before anything is unpacked."""
    huge = struct.pack("<I", 2**31 - 1)
    target = patched(entry_with(exported, tmp_path), b"PK\x01\x02", 24, huge)
    assert re.fullmatch(r"its ([\d,]+ bytes|entries) unpack to .*", refused(target))


def test_an_entry_that_is_not_what_it_says_is_refused(exported, tmp_path):
    refused(patched(entry_with(exported, tmp_path), b"PK\x01\x02", 24, struct.pack("<I", 3)))


def test_a_compression_that_nobody_knows_is_refused(exported, tmp_path):
    refused(patched(entry_with(exported, tmp_path), b"PK\x01\x02", 10, struct.pack("<H", 77)))


@pytest.mark.parametrize(
    ("limit", "value"), [("MOST_ENTRIES", 3), ("MOST_BYTES", 1000), ("ANY_RATIO", 10)]
)
def test_more_than_the_limits_allow_is_refused(exported, monkeypatch, limit, value):
    """Each limit by itself."""
    monkeypatch.setattr(limits, limit, value)
    monkeypatch.setattr(limits, "MOST_RATIO", 1)
    refused(exported / "whole" / "bundle.zip")


@pytest.mark.parametrize("name", ["manifest.json", "evaluation.json"])
@pytest.mark.parametrize(
    "content",
    [
        *(
            None,
            b"",
            b"[]",
            b"{",
            b"null",
            b'{"format": 99}',
            b"\xff",
            b"[" * 100_000,
            b'{"a": NaN}',
            b'{"a": 1e999}',
        ),
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_document_that_is_none_is_refused(exported, tmp_path, name, content):
    if name == "evaluation.json" and content == b'{"format": 99}':
        content = b"{}}"  # an evaluation without numbers can be read: every number of it differs
    refused(changed(exported / "whole" / "bundle.zip", tmp_path / "bundle.zip", **{name: content}))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), 1),
        (("task",), 7),
        (("versions",), []),
        (("versions", "audit"), 1),
        (("platform",), None),
        (("settings",), []),
        (("settings", "missing"), ["reject"]),
        (("settings", "certainty"), 1),
        (("settings", "certainty"), "no"),
        (("settings", "compare"), "mcc"),
        (("settings", "compare"), [1]),
        (("settings", "seed"), 2**32),
        (("settings", "seed"), "1"),
        (("inputs",), 3),
        (("inputs", 0), "gold.csv"),
        (("inputs", 0, "sha256"), 12),
        (("inputs_included",), 1),
        (("part",), 1),
        (("title",), None),
    ],
)
def test_a_manifest_with_an_unusable_value_is_refused(exported, tmp_path, path, value):
    def change(manifest):
        for step in path[:-1]:
            manifest = manifest[step]
        manifest[path[-1]] = value

    assert refused(with_document(exported, tmp_path, "manifest.json", change))


@pytest.mark.parametrize(
    "field",
    ["format", "task", "versions", "platform", "settings", "inputs", "seal", "inputs_included"],
)
def test_a_manifest_that_lacks_a_field_is_refused(exported, tmp_path, field):
    target = with_document(
        exported, tmp_path, "manifest.json", lambda manifest: manifest.pop(field)
    )
    assert refused(target) == f"it lacks “{field}”"


def test_nothing_of_a_bundle_is_written_anywhere(exported, monkeypatch):
    """Its inputs are read where they are, in memory."""

    def refuse(path, *_, **__):
        raise AssertionError(f"{path} is written")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert verify_bundle(exported / "whole" / "bundle.zip").same


def test_a_deep_document_is_no_trouble(exported, tmp_path):
    """Nested as deeply as the reader lets it."""
    deep = b"[" * 900 + b"]" * 900
    target = changed(
        exported / "whole" / "bundle.zip",
        tmp_path / "bundle.zip",
        **{"evaluation.json": b'{"scores": ' + deep + b"}"},
    )
    found = verify_bundle(target)
    assert sys.getrecursionlimit() > 900
    assert ("scores",) in {each.place for each in found.differences}
    assert io.StringIO().write(json.dumps(verification_data(found)))
