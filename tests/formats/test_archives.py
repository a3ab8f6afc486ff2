"""Archives look like folders, compressed files like what is in them; what is unsafe is refused, nothing is written."""

import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import tempfile
import tracemalloc
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.errors import ISSUE_KINDS, InputError
from audit.extras import require
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import AnswerKey, check_submission
from audit.formats.door.draft import draft
from audit.formats.files import archives as archives_module
from audit.formats.files import content as content_module
from audit.formats.files import limits
from audit.formats.files.content import unpacked
from audit.formats.files.held_files import HeldFiles
from audit.formats.files.tree import DEEPEST, Tree
from tests.nightly import by_day, examples, whole_or

from .campaigns import (
    ANSWERS,
    GOLD,
    GOOD,
    init,
    link_to,
    read_or_refused,
    refusal,
    tarred,
    write,
    zipped,
)

COMPRESSED = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": require("zst", "").compress,
}
TARS = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.bz2": "w:bz2", ".tar.xz": "w:xz"}


def packed(members, ending):
    """Some files as an archive of any kind."""
    if ending == ".zip":
        return zipped(members)
    return (
        COMPRESSED[".zst"](tarred(members))
        if ending == ".tar.zst"
        else tarred(members, TARS[ending])
    )


def names(campaign):
    """Teams with their runs."""
    return [(submission.team, submission.run) for submission in campaign.submissions]


def nested(files, depth):
    """Some files in so many archives in one another."""
    packed = zipped(files)
    for _ in range(depth - 1):
        packed = zipped({"again.zip": packed})
    return packed


def issues_of(root):
    """The issues that refuse a campaign; none where it is read."""
    try:
        read_campaign(root)
    except InputError as error:
        return error.issues
    return ()


def caught_issues(root):
    """The slugs and files of all issues of a campaign that is refused."""
    return [(issue.slug, issue.file) for issue in refusal(root)]


@pytest.mark.parametrize("ending", COMPRESSED)
def test_a_compressed_file_is_read_through_and_kept_packed(ending, tmp_path):
    """Gold and submissions alike; the team's name is that of the file inside, and the original bytes are kept."""
    pack = COMPRESSED[ending]
    files = {
        f"gold.csv{ending}": pack(GOLD.encode()),
        f"submissions/N.J.R.csv{ending}": pack(ANSWERS.encode()),
    }
    campaign = read_campaign(write(tmp_path, files))
    assert names(campaign) == [("N.J.R", None)]
    assert campaign.submissions[0].source.content == files[f"submissions/N.J.R.csv{ending}"]
    assert campaign.submissions[0].codes.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("ending", COMPRESSED)
def test_a_compressed_file_of_several_parts_or_cut_short_is_told_apart(ending):
    """Parts one after the other are one file; one that ends too early, or is something else, is damaged."""
    data = os.urandom(5000).hex().encode()
    whole = COMPRESSED[ending](data)
    assert unpacked(f"a{ending}", whole + whole) == data * 2
    for broken in (whole[:-6], whole[:3], b"id,label\n", whole + b"x" * 40):
        with pytest.raises(InputError, match="damaged-file"):
            unpacked(f"a{ending}", broken)


def test_a_lack_of_memory_is_no_damage_of_the_file(monkeypatch):
    """Another machine, or this one an hour later, reads the file."""

    class Full:
        def decompress(self, _):
            raise MemoryError

    monkeypatch.setitem(content_module._DECOMPRESSORS, ".gz", lambda _: Full())
    with pytest.raises(MemoryError):
        unpacked("a.gz", gzip.compress(b"id,label"))


@pytest.mark.parametrize("ending", COMPRESSED)
@by_day(2)
def test_a_compressed_bomb_is_refused_in_little_memory(ending, monkeypatch):
    """It is unpacked up to the limit only."""
    size = whole_or(2**26, 2**28)
    bomb = COMPRESSED[ending](bytes(size))
    monkeypatch.setattr(limits, "MOST_BYTES", 2**23)
    tracemalloc.start()
    with pytest.raises(InputError, match="too-large"):
        unpacked(f"a{ending}", bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size


def test_a_compressed_file_asks_for_as_much_memory_as_its_text_and_not_for_as_much_as_it_might_unpack_to():
    """A job of the service may ask for 8 GiB, which a file of 42 MB might unpack to."""
    # which hardly gets smaller
    text = b"".join(sha256(number.to_bytes(4)).digest() for number in range(2**15))
    packed_text = gzip.compress(text, 1)
    tracemalloc.start()
    assert unpacked("a.gz", packed_text) == text
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(text)


@pytest.mark.parametrize("ending", [".zip", ".tar.zst", *TARS])
def test_an_archive_of_submissions_is_their_folder(ending, tmp_path):
    """Whatever wraps it, and whatever an operating system put into it; the runs of a team may be in it too."""
    members = {
        "all/A.csv": ANSWERS,
        "all/B/1.csv": ANSWERS,
        "all/B/2.csv": ANSWERS,
        "__MACOSX/all/._A.csv": b"\0",
        "all/.DS_Store": b"\0",
        "all/README.md": "x",
    }
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": GOLD, f"submissions{ending}": packed(members, ending)})
    )
    assert names(campaign) == [("A", None), ("B", "1"), ("B", "2")]
    assert campaign.submissions[0].source.path == f"submissions{ending}/A.csv"
    assert campaign.submissions[0].source.content == ANSWERS.encode()
    assert campaign.ignored == (f"submissions{ending}/README.md",)


def test_a_folder_counts_before_the_archive_that_it_was_unpacked_from(tmp_path):
    """Which is then only listed."""
    files = {**GOOD, "submissions.zip": zipped({"B.csv": ANSWERS}), "code.zip": b"none at all"}
    campaign = read_campaign(write(tmp_path, files))
    assert names(campaign) == [("A", None)]
    assert campaign.ignored == ("code.zip", "submissions.zip")


@pytest.mark.parametrize("ending", [".zip", ".tar.gz"])
def test_an_archive_of_a_team_is_its_submission_or_its_runs(ending, tmp_path):
    """One data file, the one called like answers, or several."""
    teams = {
        "A": {"predictions/res.csv": ANSWERS, "predictions/README.txt": "x"},
        "B": {"answer.txt": ANSWERS, "notes.csv": "x"},
        "C": {"x/run1.csv": ANSWERS, "y/run2.csv.gz": gzip.compress(ANSWERS.encode())},
        "D": {"code/main.py": "x", "out/final.csv": ANSWERS},
    }
    files = {
        f"submissions/{team}{ending}": packed(members, ending) for team, members in teams.items()
    }
    files[f"submissions/E/late{ending}"] = packed({"answer.txt": ANSWERS}, ending)
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, **files}))
    assert names(campaign) == [
        ("A", None),
        ("B", None),
        ("C", "x/run1"),
        ("C", "y/run2"),
        ("D", None),
        ("E", "late"),
    ]
    assert f"submissions/B{ending}/notes.csv" in campaign.ignored


def test_the_download_of_codalab_is_read_as_it_is(tmp_path):
    """A zip of zips: a user or a team with the number of the submission; scores and profiles lie beside."""
    members = {
        "ann - 3 submission.zip": zipped({"answer.txt": ANSWERS}),
        "ann - 3 output.zip": zipped({"scores.txt": "accuracy: 1"}),
        "ann - 3 profile.txt": "Organization: X",
        "ann - 3 method.txt": "method_name: None",
        "Team B-7  - 12 submission.zip": zipped(
            {"res/answer.txt": ANSWERS, "__MACOSX/res/._answer.txt": b"\0"}
        ),
        "team_names_and_members.txt": "Team: B-7; members: bob",
    }
    campaign = read_campaign(
        write(tmp_path, {"gold.csv": GOLD, "submissions.zip": zipped(members)})
    )
    assert names(campaign) == [("B-7", "12"), ("ann", "3")]
    assert (
        campaign.submissions[1].source.path == "submissions.zip/ann - 3 submission.zip/answer.txt"
    )


def test_the_download_of_codabench_is_found_by_a_pattern(tmp_path):
    """A zip of zips that are called by number and by the name the participant gave."""
    members = {
        "ID_511_uni x.zip": zipped({"prediction.csv": ANSWERS}),
        "ID_512_second.zip": zipped({"second/prediction.csv": ANSWERS}),
        "failed.txt": "The following submissions failed to download:",
    }
    toml = '[submissions]\nfiles = "bulk_submissions.zip/ID_*_{team}.zip"\n'
    files = {"gold.csv": GOLD, "task.toml": toml, "bulk_submissions.zip": zipped(members)}
    assert names(read_campaign(write(tmp_path, files))) == [("second", None), ("uni x", None)]
    write(tmp_path, {"task.toml": toml.replace("{team}.zip", "{team}.zip/prediction.csv")})
    assert names(read_campaign(tmp_path)) == [("second", None), ("uni x", None)]


@pytest.mark.parametrize(
    "pattern",
    ["r/{team}/out.csv", "r/{team}*/out.csv", "r/{team}/{run}.csv", "r/{team}/o*"],
)
def test_a_pattern_matches_packed_and_plain_alike(pattern, tmp_path):
    """A team that sent an archive, one that sent a folder, one that compressed its file, one that wrapped it."""
    files = {
        "r/A/out.csv": ANSWERS,
        "r/B.zip": zipped({"out.csv": ANSWERS}),
        "r/C/out.csv.gz": gzip.compress(ANSWERS.encode()),
        "r/D.tgz": tarred({"./D/out.csv": ANSWERS}, "w:gz"),
    }
    toml = f'[submissions]\nfiles = "{pattern}"\n'
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, "task.toml": toml, **files}))
    run = "out" if "{run}" in pattern else None
    assert names(campaign) == [(team, run) for team in "ABCD"]


def test_a_path_may_name_the_folder_that_wraps_an_archive_or_not(tmp_path):
    """In the pattern, and for gold, which is no submission either way."""
    members = {
        "all/data/gold.csv": GOLD,
        "all/data/runs/A.csv": ANSWERS,
        "all/data/runs/B.csv": ANSWERS,
    }
    data = zipped(members)
    for wrapper in ("all/data/", ""):
        toml = (
            f'[gold]\npath = "all.zip/{wrapper}gold.csv"\n[submissions]\nfiles = '
            f'"all.zip/{wrapper}runs/{{team}}.csv"\n'
        )
        campaign = read_campaign(write(tmp_path, {"all.zip": data, "task.toml": toml}))
        assert names(campaign) == [("A", None), ("B", None)]
        assert campaign.gold.source.path == "all.zip/gold.csv"


def test_gold_in_an_archive_is_the_only_file_in_it(tmp_path):
    """By convention or by path; with several it has to be said which."""
    for toml in ("", '[gold]\npath = "gold.zip"\n'):
        files = {
            "submissions/A.csv": ANSWERS,
            "gold.zip": zipped({"x/truth.csv": GOLD}),
            "task.toml": toml,
        }
        assert read_campaign(write(tmp_path, files)).gold.source.path == "gold.zip/truth.csv"
    write(tmp_path, {"gold.zip": zipped({"a.csv": GOLD, "b.csv": GOLD})})
    assert caught_issues(tmp_path) == [("missing-file", "gold.zip")]


def test_a_draft_looks_into_archives(tmp_path):
    """And its files.csv reads them."""
    runs = {f"runs/{team}.zip": zipped({"out.csv": ANSWERS}) for team in "ABC"}
    root = write(tmp_path, {"eval.zip": zipped({"truth.csv": GOLD, "x.csv": "y"}), **runs})
    assert names(read_campaign(init(root))) == [(team, None) for team in "ABC"]


@pytest.mark.parametrize(
    ("plain", "stored", "name"),
    [
        ("T__m", "Tüm".encode(), ("Tüm", None)),
        ("Zo_", "Zoë".encode("cp437"), ("Zoë", None)),
        ("A_run", b"A\\run", ("A", "run")),
    ],
)
def test_names_in_zips_are_read_as_they_were_meant(plain, stored, name, tmp_path):
    """UTF-8 that does not say so, as macOS writes it; code page 437; backslashes for slashes."""
    data = zipped({f"{plain}.csv": ANSWERS, "README.md": "x"}).replace(plain.encode(), stored)
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, "submissions.zip": data}))
    assert names(campaign) == [name]


def _link(kind, target="A.csv"):
    header = tarfile.TarInfo("B.csv")
    header.type, header.linkname = kind, target
    return header


def _zip_link():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        entry = zipfile.ZipInfo("B.csv")
        entry.create_system, entry.external_attr = 3, 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    return file.getvalue()


def _twice():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("A.csv", ANSWERS)
        archive.writestr("B.csv", ANSWERS.replace("no", "yes"))
    return file.getvalue().replace(b"B.csv", b"A.csv")


def _lying_zip():
    """A zip whose entry holds more than it says."""
    data = zipped({"A.csv": b"id,label\n" + b"1,no\n" * 1000})
    return data.replace(struct.pack("<L", 5009), struct.pack("<L", 50))


ENTRIES = whole_or(100, limits.MOST_ENTRIES)
"""As many as an archive may have, fewer in the gate."""

UNSAFE = {
    "absolute.zip": (lambda: zipped({"/etc/A.csv": ANSWERS}), "unsafe-archive"),
    "upwards.zip": (lambda: zipped({"a/../../A.csv": ANSWERS}), "unsafe-archive"),
    "drive.zip": (lambda: zipped({"C:\\A.csv": ANSWERS}), "unsafe-archive"),
    "backslash.zip": (lambda: zipped({"..\\A.csv": ANSWERS}), "unsafe-archive"),
    "link.zip": (_zip_link, "unsafe-archive"),
    "twice.zip": (_twice, "unsafe-archive"),
    "folder-and-file.zip": (lambda: zipped({"A": ANSWERS, "A/b.csv": ANSWERS}), "unsafe-archive"),
    "link.tar": (lambda: tarred({"B.csv": _link(tarfile.SYMTYPE)}), "unsafe-archive"),
    "hard-link.tar.gz": (
        lambda: tarred({"B.csv": _link(tarfile.LNKTYPE)}, "w:gz"),
        "unsafe-archive",
    ),
    "device.tar": (lambda: tarred({"B.csv": _link(tarfile.CHRTYPE)}), "unsafe-archive"),
    "pipe.tgz": (lambda: tarred({"B.csv": _link(tarfile.FIFOTYPE)}, "w:gz"), "unsafe-archive"),
    "upwards.tar": (lambda: tarred({"../A.csv": ANSWERS}), "unsafe-archive"),
    "twice.tar": (lambda: tarred({"A.csv": ANSWERS, "./A.csv": ANSWERS}), "unsafe-archive"),
    "long-name.tar": (lambda: tarred({"../" + "x" * 200: ANSWERS}), "unsafe-archive"),
    "entries.zip": (lambda: zipped({f"{n}.csv": "" for n in range(ENTRIES + 1)}), "too-large"),
    "entries.tar.gz": (
        lambda: tarred({f"{n}.csv": "" for n in range(ENTRIES + 1)}, "w:gz"),
        "too-large",
    ),
    "bomb.zip": (lambda: zipped({"A.csv": bytes(2**27)}), "too-large"),
    "bomb.tar.gz": (lambda: tarred({"A.csv": bytes(2**27)}, "w:gz"), "too-large"),
    "lying.zip": (_lying_zip, "damaged-file"),
    "text.zip": (ANSWERS.encode, "damaged-file"),
    "text.tar": (lambda: ANSWERS.encode() * 40, "damaged-file"),
    "short.tar": (lambda: tarred({"A.csv": ANSWERS * 100})[:900], "damaged-file"),
    "short.tar.gz": (lambda: tarred({"A.csv": os.urandom(5000)}, "w:gz")[:-900], "damaged-file"),
    "empty.zip": (lambda: zipped({"README.md": "x"}), "empty-file"),
    "deep.zip": (lambda: nested({"A.csv": ANSWERS}, whole_or(100, 1000)), "unsafe-archive"),
}


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_archive_is_refused_by_name_and_the_rest_is_read(name, tmp_path, monkeypatch):
    """With one issue that says why; nothing stands anywhere afterwards that did not stand there before."""
    monkeypatch.setattr(limits, "MOST_ENTRIES", ENTRIES)
    make, slug = UNSAFE[name]
    root = write(tmp_path, {**GOOD, f"submissions/{name}": make()})
    before = sorted(tmp_path.rglob("*"))
    inside = {"lying.zip": "/A.csv", "deep.zip": "/again.zip" * DEEPEST}.get(name, "")
    assert caught_issues(root) == [(slug, f"submissions/{name}{inside}")]
    campaign = read_campaign(root, skip_rejected=True)
    assert names(campaign) == [("A", None)]
    assert [rejection.path for rejection in campaign.rejections] == [f"submissions/{name}{inside}"]
    assert sorted(tmp_path.rglob("*")) == before


def test_archives_in_one_another_are_opened_so_deep_and_no_deeper(tmp_path):
    """Whatever opens them: a pattern, the look around of a draft, and the check of a file."""
    gold = read_campaign(write(tmp_path / "gold", GOOD)).gold
    for depth in range(1, DEEPEST + 2):
        packed = nested({"A.csv": ANSWERS}, depth)
        toml = f'[submissions]\nfiles = "all.zip/{"again.zip/" * (depth - 1)}{{team}}.csv"\n'
        root = write(
            tmp_path / str(depth), {"gold.csv": GOLD, "task.toml": toml, "all.zip": packed}
        )
        checked = check_submission("all.zip", packed, AnswerKey(gold))
        too_deep = ("unsafe-archive", "all.zip" + "/again.zip" * DEEPEST)
        if depth > DEEPEST:
            assert too_deep in caught_issues(root)
            assert [(issue.slug, issue.file) for issue in checked.issues] == [too_deep]
        else:
            assert names(read_campaign(root)) == [("A", None)]
            assert checked.is_accepted
        assert init(root)


def test_archives_in_an_archive_unpack_together_to_no_more_than_it_may_itself(tmp_path):
    """Each of these unpacks to less than is free, and all of them to more; what fits is read."""
    bomb = zipped({"answer.csv": bytes(limits.ANY_RATIO // 2)})
    teams = {"A.zip": zipped({"answer.csv": ANSWERS}), **{f"{team}.zip": bomb for team in "XY"}}
    root = write(tmp_path / "teams", {"gold.csv": GOLD, "submissions.zip": zipped(teams)})
    assert caught_issues(root) == [
        ("too-large", "submissions.zip/Y.zip"),
        ("binary-file", "submissions.zip/X.zip/answer.csv"),
    ]
    assert names(read_campaign(root, skip_rejected=True)) == [("A", None)]


def test_a_bomb_that_was_packed_again_is_refused_before_it_is_unpacked(tmp_path):
    """Level by level it shrinks by less than an archive may, and as a whole by far more."""
    once = zipped({"A.csv": os.urandom(2**14) * 2**12 + bytes(9)})
    packed = zipped({"again.zip": once})
    assert limits.most_unpacked(len(once)) > limits.ANY_RATIO  # what each level may
    assert limits.most_unpacked(len(packed)) == limits.ANY_RATIO
    root = write(tmp_path, {**GOOD, "submissions/B.zip": packed})
    assert caught_issues(root) == [("too-large", "submissions/B.zip/again.zip")]
    (issue,) = check_submission(
        "B.zip", packed, AnswerKey(read_campaign(root, skip_rejected=True).gold)
    ).issues
    assert (issue.slug, issue.file) == ("too-large", "B.zip/again.zip")


def test_an_archive_in_another_counts_once_however_often_it_is_opened(tmp_path, monkeypatch):
    """More of them than stay open, each read twice, with a limit that holds for all of them once."""
    teams = {f"T{number:02}.zip": zipped({"answer.csv": ANSWERS * 500}) for number in range(20)}
    monkeypatch.setattr(limits, "ANY_RATIO", len(teams) * len(ANSWERS * 500))
    monkeypatch.setattr(limits, "MOST_RATIO", 0)
    with Tree(write(tmp_path, {"all.zip": zipped(teams)})) as tree:
        paths = [f"all.zip/{name}/answer.csv" for name in teams]
        assert {tree.read(path) for path in paths * 2} == {(ANSWERS * 500).encode()}
    monkeypatch.setattr(limits, "ANY_RATIO", limits.ANY_RATIO - 1)
    with Tree(tmp_path) as tree, pytest.raises(InputError, match="too-large"):
        [tree.listing(f"all.zip/{name}") for name in teams]


CODALAB = {
    f"{team} - {number} submission.zip": team
    for number, team in enumerate(("ann", "Ben", "x y"), start=3)
}
CODABENCH = {
    f"ID_{number}_{team}.zip": team for number, team in enumerate(("ann", "Ben", "x y"), start=511)
}


@pytest.mark.parametrize(
    "names_of_teams", [CODALAB, CODABENCH, {f"{team}.zip": team for team in ("ann", "Ben", "x y")}]
)
@pytest.mark.parametrize(
    ("place", "folder"),
    [
        ("submissions.zip", ""),
        ("submissions/bulk_submissions.zip", ""),
        ("bulk_submissions.zip", ""),
        ("submissions.zip", "submissions.zip"),
        ("submissions.zip", "download.zip"),
        ("everything.zip", "submissions.zip"),
        ("everything.zip", "submissions"),
        ("everything.zip", "flood/submissions.zip"),
        ("again.zip", "everything.zip/submissions.zip"),
    ],
)
def test_what_a_platform_gives_is_read_however_it_was_packed_again(
    names_of_teams, place, folder, tmp_path
):
    """With gold beside it, or packed in with it: as the draft has it, every team is found once, by its own name."""
    whole = {name: zipped({"answers.csv": ANSWERS}) for name in names_of_teams}
    files = {"gold.csv": GOLD}
    for number, level in enumerate(folder.split("/")[::-1] if folder else []):
        beside = (
            {"gold.csv": GOLD} if number == 0 and place in {"everything.zip", "again.zip"} else {}
        )
        whole = (
            {**beside, level: zipped(whole)}
            if level.endswith(".zip")
            else {**beside, **{f"{level}/{name}": data for name, data in whole.items()}}
        )
        files = {} if beside else files
    root = write(tmp_path, {**files, place: zipped(whole)})
    init(root)
    found = read_campaign(root)
    assert sorted(each.team for each in found.submissions) == sorted(names_of_teams.values())
    assert all(each.codes.tolist() == [0, 0, 0, 1] for each in found.submissions)


def test_one_archive_in_the_folder_of_the_submissions_is_a_team_unless_it_holds_those_of_all(
    tmp_path,
):
    """Several archives in it are teams; files are the runs of one, unless it is called as the folder is."""
    runs = {"gold.csv": GOLD, "submissions/A.zip": zipped({"1.csv": ANSWERS, "2.csv": ANSWERS})}
    assert names(read_campaign(write(tmp_path / "runs", runs))) == [("A", "1"), ("A", "2")]
    all_of_them = {"gold.csv": GOLD, "submissions/Submissions.zip": runs["submissions/A.zip"]}
    assert names(read_campaign(write(tmp_path / "all", all_of_them))) == [("1", None), ("2", None)]
    teams = {"A.zip": zipped({"1.csv": ANSWERS}), "B.zip": zipped({"1.csv": ANSWERS})}
    several = {
        "gold.csv": GOLD,
        "submissions/x.zip": zipped({**teams, "README.md": "x"}),
        "submissions/notes.md": "x",
    }
    assert names(read_campaign(write(tmp_path / "several", several))) == [("A", None), ("B", None)]
    beside = {**several, "submissions/C.csv": ANSWERS}
    assert names(read_campaign(write(tmp_path / "beside", beside))) == [
        ("C", None),
        ("x", "A/1"),
        ("x", "B/1"),
    ]


def test_what_is_beyond_the_limits_together_is_refused(tmp_path, monkeypatch):
    """Every entry may be small, and a file that is not compressed may be too large."""
    monkeypatch.setattr(limits, "MOST_BYTES", 10_000)
    root = write(
        tmp_path, {**GOOD, "submissions/B.zip": zipped({f"{n}.csv": "x" * 999 for n in range(20)})}
    )
    assert caught_issues(root) == [("too-large", "submissions/B.zip")]
    write(
        root, {"submissions/B.zip": zipped({"a.csv": ANSWERS}), "submissions/C.csv": "1" * 10_001}
    )
    assert caught_issues(root) == [("too-large", "submissions/C.csv")]


def _tar_header(**attributes):
    """A tar of one header, which may say what no packer would."""
    header = tarfile.TarInfo("A.csv")
    for name, value in attributes.items():
        setattr(header, name, value)
    return header.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


UNBELIEVED = {
    "contents.zip": (zipped({"A.csv": ANSWERS}), "too-large"),
    "held.tar.gz": (tarred({"A.csv": ANSWERS}, "w:gz"), "too-large"),
    "header.tar": (_tar_header(type=tarfile.XHDTYPE, size=20), "damaged-file"),
    "negative.tar": (_tar_header(size=-1), "damaged-file"),
}


@pytest.mark.parametrize("name", UNBELIEVED)
def test_what_an_archive_says_of_itself_is_not_believed(name, tmp_path, monkeypatch):
    """A table of contents, a header, or a compressed whole that would take much memory, and a size below 0."""
    for limit in ("_MOST_DIRECTORY", "_MOST_HELD", "_MOST_HEADER"):
        monkeypatch.setattr(archives_module, limit, 10)
    data, slug = UNBELIEVED[name]
    root = write(tmp_path, {**GOOD, f"submissions/{name}": data})
    assert caught_issues(root) == [(slug, f"submissions/{name}")]


def test_a_tar_that_is_not_compressed_is_read_where_it_stands(tmp_path, monkeypatch):
    """Nothing of it is held: with a large file beside the answers it is read as a zip is."""
    monkeypatch.setattr(archives_module, "_MOST_HELD", 10)
    root = write(tmp_path, {**GOOD, "submissions/B.tar": tarred({"a/answer.csv": ANSWERS})})
    assert [each.team for each in read_campaign(root).submissions] == ["A", "B"]


def test_a_link_to_an_archive_outside_is_not_followed(tmp_path):
    """Neither listed nor read."""
    write(tmp_path, {"secret.zip": zipped({"A.csv": ANSWERS})})
    root = write(tmp_path / "campaign", {**GOOD, "submissions/B.zip": link_to("../../secret.zip")})
    assert caught_issues(root) == [("path-outside", "submissions/B.zip")]


def test_long_names_and_sizes_of_tars_are_read(tmp_path):
    """As GNU and as POSIX write them, with characters beyond ASCII."""
    team = "Tür" + "x" * 150
    for kind in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w:gz", format=kind) as archive:
            header = tarfile.TarInfo(f"{'y' * 120}/{team}.csv")
            header.size = len(ANSWERS)
            archive.addfile(header, io.BytesIO(ANSWERS.encode()))
        root = write(
            tmp_path / str(kind), {"gold.csv": GOLD, "submissions.tar.gz": file.getvalue()}
        )
        campaign = read_campaign(root)
        assert names(campaign) == [(team, None)]
        assert campaign.submissions[0].source.path.endswith(f"/{team}.csv")


def test_more_archives_than_stay_open_are_read(tmp_path):
    """Each is opened again when it is needed."""
    files = {f"submissions/T{n:02}.tgz": tarred({"answer.txt": ANSWERS}, "w:gz") for n in range(40)}
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, **files}))
    assert len(campaign.submissions) == 40


def test_a_tree_tells_files_folders_and_archives_apart(tmp_path):
    """On the disk and in archives."""
    root = write(
        tmp_path,
        {"a.zip": zipped({"x/b.csv": "1", "x/y/c.csv": "2"}), "d/e.csv": "3", "f.zip/g.csv": "4"},
    )
    with Tree(root) as tree:
        assert tree.listing("").folders == ("a.zip", "d", "f.zip")
        assert (tree.listing("a.zip").files, tree.listing("a.zip").folders) == (
            ("a.zip/b.csv",),
            ("a.zip/y",),
        )
        assert tree.read("a.zip/x/y/c.csv") == tree.read("a.zip/y/c.csv") == b"2"
        assert tree.read("f.zip/g.csv") == b"4"
        assert [tree.is_archive(path) for path in ("a.zip", "a.zip/y", "d", "f.zip")] == [
            True,
            False,
            False,
            False,
        ]
        assert all(tree.is_folder(path) for path in ("a.zip", "a.zip/y", "a.zip/x/y", "d", "f.zip"))
        assert not any(
            tree.is_folder(path) for path in ("a.zip/b.csv", "d/e.csv", "nowhere", "a.zip/nowhere")
        )
        assert all(tree.exists(path) for path in ("a.zip", "a.zip/b.csv", "a.zip/y", "d"))
        assert not any(tree.exists(path) for path in ("b", "a.zip/nowhere"))
        for path, slug in {
            "a.zip/no": "missing-file",
            "a.zip": "missing-file",
            "a.zip/y": "missing-file",
        }.items():
            with pytest.raises(InputError, match=slug):
                tree.read(path)
        with pytest.raises(InputError, match="missing-file"):
            tree.listing("a.zip/no")


MEMBERS = st.dictionaries(
    st.text(st.sampled_from("ab./\\_é\0"), min_size=1, max_size=6),
    st.sampled_from([ANSWERS, "", "x" * 600]),
    max_size=4,
)


def _valid(draw, ending):
    try:
        return packed(draw(MEMBERS), ending)
    except (ValueError, IndexError, UserWarning):  # Python refuses to write it
        return b""


@st.composite
def archives(draw):
    """An archive of some kind, whole or mutated; or any bytes."""
    ending = draw(
        st.sampled_from([".zip", ".tar", ".tar.gz", ".tar.zst", ".csv.gz", ".csv.zst", ".csv.xz"])
    )
    data = (
        _valid(draw, ending) if ending[:4] != ".csv" else COMPRESSED[ending[4:]](ANSWERS.encode())
    )
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        piece = draw(st.binary(max_size=6))
        data = data[:at] + piece + data[at + draw(st.integers(0, 8)) :]
    return ending, draw(st.sampled_from([data, data[: len(data) // 2]]) | st.binary(max_size=300))


@examples(75)
@given(archive=archives(), place=st.sampled_from(["submissions/A", "submissions", "gold"]))
@example((".zip", zipped({"nameless": ""}).replace(b"nameless", bytes(8))), "submissions/A")
def test_any_bytes_of_an_archive_are_submissions_or_listed_issues(archive, place):
    """Never another exception than InputError, every issue of the catalogue, and nothing written."""
    ending, data = archive
    with tempfile.TemporaryDirectory() as name:
        others = {"gold": {"submissions/Z.csv": ANSWERS}, "submissions": {"gold.csv": GOLD}}
        root = write(Path(name), {**others.get(place, {**GOOD}), f"{place}{ending}": data})
        before = sorted(root.rglob("*"))
        read_or_refused(lambda: draft(root))
        issues = issues_of(root)
        assert {issue.slug for issue in issues} <= set(ISSUE_KINDS)
        assert sorted(root.rglob("*")) == before


def test_an_archive_that_holds_nothing_but_archives_is_what_is_in_them(tmp_path):
    """The submission in the only one, or each of several a run; beside a data file they say nothing."""
    one = zipped({"answer.csv": ANSWERS, "__MACOSX/._answer.csv": "x"})
    files = {
        "gold.csv": GOLD,
        "submissions/A.zip": zipped({"final/final.zip": one, "__MACOSX/._final.zip": "x"}),
        "submissions/B.zip": zipped(
            {"first.zip": one, "second.tar.gz": tarred({"x/answer.csv": ANSWERS}, "w:gz")}
        ),
        "submissions/C.zip": zipped({"answer.csv": ANSWERS, "code.zip": zipped({"main.csv": "x"})}),
    }
    campaign = read_campaign(write(tmp_path, files))
    runs = [(each.team, each.run) for each in campaign.submissions]
    assert runs == [("A", None), ("B", "first/answer"), ("B", "second/answer"), ("C", None)]
    assert campaign.submissions[0].source.path == "submissions/A.zip/final.zip/answer.csv"


def test_a_check_looks_into_an_archive_as_a_load_does(tmp_path):
    """One in one; not beside a data file."""
    gold = read_campaign(write(tmp_path, GOOD)).gold
    once = zipped({"answer.csv": ANSWERS})
    twice, beside = zipped({"a.zip": once}), zipped({"b.csv": ANSWERS, "code.zip": once})
    for content in (once, twice, beside):
        assert check_submission("A.zip", content, AnswerKey(gold)).is_accepted


@pytest.mark.parametrize(
    "top", ["submissions", "submissions/Submissions", "submissions/submissions/submissions"]
)
def test_a_folder_of_submissions_in_one_of_that_name_is_no_team(top, tmp_path):
    """As an archive of that name is none; beside a team's file it is one."""
    files = {
        f"{top}/A.csv": ANSWERS,
        f"{top}/B/1.csv": ANSWERS,
        f"{top}/README.md": "x",
        "submissions/README.txt": "x",
    }
    campaign = read_campaign(write(tmp_path, {"gold.csv": GOLD, **files}))
    assert names(campaign) == [("A", None), ("B", "1")]
    assert {*campaign.ignored} == {f"{top}/README.md", "submissions/README.txt"}
    if top.count("/") == 1:
        write(tmp_path, {"submissions/C.csv": ANSWERS})
        assert names(read_campaign(tmp_path)) == [("C", None), ("Submissions", "A")]


def test_a_folder_of_submissions_in_an_archive_of_that_name_is_no_team(tmp_path):
    """Though documentation stands beside it."""
    members = {
        "submissions/A.csv": ANSWERS,
        "submissions/C.csv": ANSWERS,
        "submissions/B/run1.csv": ANSWERS,
    }
    files = {"gold.csv": GOLD, "submissions.zip": zipped({**members, "README.md": "x"})}
    assert names(read_campaign(write(tmp_path, files))) == [("A", None), ("B", "run1"), ("C", None)]


def test_held_files_are_told_apart_as_those_on_a_disk():
    """By their paths in archives, too; a folder that wrapped an archive may be written, and is in no path."""
    held = HeldFiles({"a.zip/b.csv": b"1", "a.zip/y/c.csv": b"2", "d/e.csv": b"3"})
    assert (held.listing("").files, held.listing("").folders) == ((), ("a.zip", "d"))
    assert held.read("a.zip/x/y/c.csv") == held.read("a.zip/y/c.csv") == b"2"
    assert [held.is_archive(path) for path in ("a.zip", "a.zip/y", "d", "f.zip")] == [
        True,
        False,
        False,
        False,
    ]
    assert [held.exists(path) for path in ("a.zip/x/b.csv", "a.zip/x/z.csv", "d/x/e.csv")] == [
        True,
        False,
        False,
    ]
    assert held.wrappers("a.zip", ("x", "{team}")) == [("x",)]
    assert held.size(["a.zip/x/b.csv", "d/e.csv"]) == 2
    for path, slug in (("a.zip/y", "missing-file"), ("d/x.csv", "missing-file")):
        with pytest.raises(InputError, match=slug):
            held.original(path)
    with pytest.raises(InputError, match="no such folder"):
        held.listing("e")
