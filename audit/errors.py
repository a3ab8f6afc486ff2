"""What can be wrong with an input: the catalogue of issues, and the exceptions that carry them.

AuditError
├── InputError        the user's files are at fault; carries every Issue found; exit code 1
│   └── NotLoadedError    and nothing of them was loaded
├── StoreError        the store is at fault; carries one Issue; exit code 1
├── MissingLibraryError   an optional library is not installed; carries one Issue; exit code 1
└── UsageError        the command or call is at fault; exit code 2
    └── MetricNameError   a metric name that does not exist, or means two things
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from audit.text import cut_off, listed, plural, visible

SETTINGS_FILE = "task.toml"  # the file of a campaign's settings, in its folder

MANIFEST = "files.csv"  # the file that says what each file of a campaign is, in its folder


@dataclass(frozen=True, slots=True)
class IssueKind:
    """One entry of the input catalogue."""

    slug: str  # the public name, as it stands in messages, ``--json`` and the docs
    title: str  # what it is, in a few words
    explanation: str  # when it arises and why it matters
    expected: str  # what a good input has instead
    remedy: str  # what the organiser can do
    fatal: bool = True
    """Whether the file is rejected; otherwise it is loaded, and the issue is reported."""


_NAME_FILES = "name the files: audit run --gold GOLD SUBMISSIONS…"


_KINDS = (
    # The folder and its settings
    IssueKind(
        "no-folder",
        "No such folder",
        "A campaign is a folder; the path given is none.",
        "an existing folder with a gold file and submissions",
        "check the path; a single file goes into a folder of its own",
    ),
    IssueKind(
        "no-gold",
        "No gold file",
        "Neither task.toml nor the conventions name a gold file that exists.",
        "a file gold.* at the top of the folder, or [gold] path in task.toml",
        _NAME_FILES,
    ),
    IssueKind(
        "several-golds",
        "More than one gold file",
        "Several files answer to the convention gold.*, and which one counts is not for a program to guess.",
        "one gold file",
        'decide in task.toml: [gold] path = "…"; or ' + _NAME_FILES,
    ),
    IssueKind(
        "no-submissions",
        "No submissions",
        "No file was found where submissions are expected.",
        "files submissions/TEAM.ext or submissions/TEAM/RUN.ext",
        f"put them there; or {_NAME_FILES}",
    ),
    IssueKind(
        "missing-file",
        "A file that is not there",
        "What task.toml or the command names is no file: there is none in this place, or a folder, or an archive of "
        "several.",
        "a file at this path; in task.toml, relative to the campaign folder",
        "correct the path, or name the file inside it",
    ),
    IssueKind(
        "path-outside",
        "A path leaves the campaign folder",
        "Absolute paths, paths through .., and links that lead out of the folder are not followed.",
        "a relative path inside the campaign folder",
        "copy the file into the folder and name it there",
    ),
    IssueKind(
        "bad-toml",
        "task.toml is not valid TOML",
        "The settings could not be read.",
        "TOML 1.0, in UTF-8",
        "correct the line; text values need quotes",
    ),
    IssueKind(
        "bad-setting",
        "A setting that does not exist, or has an unusable value",
        "A misspelt setting would silently do nothing; a value has to be of the type that the setting allows.",
        "a setting and a value that the docs describe",
        "correct or remove it",
    ),
    IssueKind(
        "bad-metric",
        "A metric name that cannot be used",
        "The official metric does not exist, or its name means two different formulas.",
        "a slug that `audit metrics` lists",
        "write the slug of the metric that the campaign announced",
    ),
    IssueKind(
        "bad-manifest",
        "A files.csv that cannot be used",
        "files.csv says what each file is and whose; it has to be plain, and must not contradict task.toml.",
        "a header with file and kind, and any of role, team, run, part, why, affiliation and paper; each file once",
        "correct files.csv, or leave out of it what task.toml says",
    ),
    # Any file
    IssueKind(
        "unreadable-file",
        "A file that cannot be opened",
        "The operating system refused to read it.",
        "a readable file",
        "check its permissions and the disk",
    ),
    IssueKind(
        "empty-file",
        "An empty file",
        "The file has no content but blanks or comments.",
        "one label per item",
        "ask the team for the file again, or remove it",
    ),
    IssueKind(
        "binary-file",
        "A binary file",
        "The file is not text: an archive, a workbook, or damaged.",
        "a text file (delimited, JSON Lines, or one label per line)",
        "unpack or export it as text",
    ),
    IssueKind(
        "unsafe-archive",
        "An archive that reaches beyond itself",
        "It holds a path or link that leads out of it, a device, a name twice, or too many archives in one another.",
        "plain files and folders, each name once, and at most 4 archives in one another",
        "check where the archive comes from; unpack it and put its files there",
    ),
    IssueKind(
        "too-large",
        "A file that is too large once unpacked",
        "It holds more than any label file needs, or shrinks further than text does: it could exhaust the machine.",
        "at most 10,000 entries, 2 GiB, 10 million rows, 4 million characters a line; beyond 64 MiB, 200 "
        "bytes a packed one",
        "check the file; hand in the answers alone, as text",
    ),
    IssueKind(
        "wrong-encoding",
        "Bytes that are not in the expected encoding",
        "Reading on would change labels or ids silently.",
        "UTF-8, or the encoding that task.toml names",
        'save the file as UTF-8, or state its encoding under [gold] or [submissions]: encoding = "latin-1"',
    ),
    IssueKind(
        "wrong-columns",
        "A line with too few or too many columns",
        "The line does not have as many columns as the rest of the file.",
        "the same number of columns on every line",
        "correct the line; a cell that contains the delimiter needs double quotes",
    ),
    IssueKind(
        "open-quote",
        "A quote that is never closed",
        "From this line on the rest of the file would be one cell.",
        "a closing double quote, or none at all",
        'close the quote, or write into task.toml: quote = ""',
    ),
    IssueKind(
        "bad-json",
        "JSON that cannot be read",
        "A line or entry is not what JSON allows, nested too deeply, or its id or label is no plain value.",
        'objects like {"id": "17", "label": "positive"}, one per line in JSON Lines',
        "correct the line",
    ),
    IssueKind(
        "damaged-file",
        "A file that is damaged or locked",
        "It is not what its ending or beginning says, ends too early, contradicts itself, or is encrypted.",
        "a whole file without a password: an archive as .zip, .tar, .tar.gz, .gz, .zst, .bz2 or .xz",
        "get the file again; or unpack an archive, and export a table as text",
    ),
    IssueKind(
        "missing-library",
        "A library that is not installed",
        "Some files, and the service, need it. Nothing goes on without: no result depends on what is installed.",
        "an installation with the extra that reads such files: parquet, excel or zst; for the service, web",
        "run the command that the message names; pip install 'shared-task-auditor[all]' installs these four extras",
    ),
    IssueKind(
        "formula-without-value",
        "A formula whose value the workbook does not hold",
        "A formula is never computed here; the program that wrote the workbook stored none of its results.",
        "a value in every cell that holds an id or a label",
        "open the workbook in Excel and save it again, or paste the values in place of the formulas",
    ),
    IssueKind(
        "doubtful-id",
        "An id that may not be what was meant",
        "Kept as a float, as in Excel, an id of more than 15 digits is rounded; and parts of an id hold no tab.",
        "ids as text",
        "format the column as text and fill in the ids again, or hand in a text file",
    ),
    IssueKind(
        "no-such-column",
        "A named column does not exist",
        "task.toml, or the file's own header, lacks the column that holds the ids or labels.",
        "a column of this name",
        'name the column in task.toml: id = "…", label = "…" (a number counts columns from 1)',
    ),
    IssueKind(
        "ambiguous-reading",
        "A file that can be read in two ways",
        "Two readings fit the file and give different labels. Recognising is allowed, guessing is not.",
        "one possible reading",
        "write the line that decides into task.toml",
    ),
    IssueKind(
        "unrecognised",
        "A file that no reading fits",
        "No known format and no column gives an id and a label for the gold items.",
        "delimited text, JSON, a workbook, a Parquet table, tag sequences, or one label per line",
        "state under [gold] or [submissions] how to read it: skip = 1 (lines above the header), "
        "format = …, id = … or label = …",
    ),
    IssueKind(
        "header-as-answer",
        "The name of a column among the labels",
        "A header taken for data, or repeated where files were joined, would be an item, and shift or hide others.",
        "labels alone, below at most one header",
        "leave it out, skip = 1 under [gold] or [submissions]; or, if it is a class, declare it: labels = […]",
    ),
    # Gold
    IssueKind(
        "gold-one-class",
        "Gold with fewer than two classes",
        "With one class every metric is degenerate and no ranking means anything; without items there is none.",
        "items of at least two classes",
        "check that this is the gold file, and which column of it holds the label",
    ),
    IssueKind(
        "gold-missing-label",
        "A gold item without a label",
        "Every item of gold needs a class.",
        "a label",
        "add the label",
    ),
    IssueKind(
        "gold-bad-groups",
        "Groups that do not fit gold",
        "An item or sequence has no group, no line stands between two groups, or names of groups look the same.",
        "a group for every sequence or item",
        "correct the file, or what [gold] group says; group = false takes items as independent",
    ),
    IssueKind(
        "too-many-labels",
        "More labels than memory is meant for",
        "Counts of pairs of gold label and answer would take more than 256 megabytes, and a report several "
        "times as much.",
        "at most 34 million counts: entries × different pairs of gold label and answer",
        "group rare labels into classes, evaluate fewer entries at a time, or score labels as items with two classes",
    ),
    IssueKind(
        "gold-bad-slices",
        "A column that cuts no test set",
        "A column of slices has a value for every item, and few, no two alike; it is named once, and no id or label.",
        "a column of 2 to 30 values",
        "correct the file, or what slices says; leave slices out to evaluate the whole test set alone",
    ),
    IssueKind(
        "missing-score",
        "Items without a score",
        "The labels count; AUC, average precision and Brier score are undefined without a number for every item.",
        "a finite number for every item, like 0.25 or 1e-3",
        "ask the team for the missing scores; nothing is to be done where it has none",
        fatal=False,
    ),
    IssueKind(
        "no-number",
        "Cells that hold no number",
        "Numbers are scored, and what stands there is none.",
        "a number, or an empty cell",
        "correct the cells, or name the column of the numbers: label = …",
    ),
    IssueKind(
        "outside-range",
        "Numbers outside the range of their column",
        "A range that is stated must hold: intervals rest on it.",
        "numbers in the range that is stated",
        "correct the range, or the numbers",
    ),
    IssueKind(
        "gold-bad-weights",
        "Items whose weight is not above 0",
        "A weight says what an item counts in a mean.",
        "a number above 0 for every item",
        "leave out items that count nothing, or give them a weight",
    ),
    IssueKind(
        "score-outside",
        "Scores that are no probabilities",
        "The Brier score is undefined then. AUC and average precision look at the order of scores alone, and stand.",
        "numbers from 0 to 1",
        "ask the team for probabilities where the Brier score is wanted",
        fatal=False,
    ),
    IssueKind(
        "bad-label-names",
        "A file of label names that does not fit",
        "The file that task.toml names has no column with every label of the label set, or no name for one.",
        "a table with a column of labels and one of names, or a JSON object from labels to names",
        "correct the file; or name its column: label_names_column = 3; or write the names under [label_names]",
    ),
    IssueKind(
        "gold-unknown-label",
        "A gold label outside the label set",
        "task.toml declares the label set, and this label is not in it.",
        "a label that task.toml declares",
        "correct the label, or add it to labels in task.toml",
    ),
    # Submissions
    IssueKind(
        "duplicate-team",
        "Two submissions under one name",
        "Team names that differ only in case, blanks, hyphens or ending would be one row of the ranking.",
        "one submission for each team and run",
        "rename one, or remove the one that does not count",
    ),
    IssueKind(
        "gold-copy",
        "A submission that is the gold file",
        "It has gold's columns and order, however it is packed or written. Left there by mistake, it would be first.",
        "a system’s answers",
        'remove the copy; or, if a system gave these answers, write under [policies]: gold_copy = "accept"',
    ),
    IssueKind(
        "duplicate-item",
        "An item that a file has twice",
        "Which of the two lines counts is not for a program to guess.",
        "each item id once",
        'remove the line that does not count, or decide for all teams under [policies]: duplicates = "first" or "last"',
    ),
    IssueKind(
        "unknown-item",
        "An item id that gold does not have",
        "The answer belongs to no gold item, while other items have no answer.",
        "item ids exactly as gold has them",
        'correct the id, which is compared as text; or leave such lines out, under [policies]: extra = "ignore"',
    ),
    IssueKind(
        "extra-item",
        "More items than gold has",
        "Every gold item is answered, and the file has further ids.",
        "the items of gold and no others",
        'remove the extra lines; or leave them out for all teams alike, under [policies]: extra = "ignore"',
    ),
    IssueKind(
        "line-count",
        "Fewer or more lines, or tags of a sequence, than gold",
        "Alignment is by position, so one line or tag too few or too many shifts every answer after it.",
        "one line per gold item, empty where there is no answer; one tag for every token of a sequence",
        "find the lost or extra line or tag, such as that of a token split in another way; never fill up at the end",
    ),
    IssueKind(
        "no-usable-answer",
        "A submission without a usable answer",
        "A file read by the wrong column, or with labels in another spelling, looks like this; 0 would be no score.",
        "a label of the label set",
        "correct the labels, accept their spelling under [aliases], or name their column under "
        "[submissions]: label = …",
    ),
    IssueKind(
        "missing-item",
        "Gold items without an answer",
        "The submission does not name these items. They count as unanswered, which is wrong for every metric.",
        "every item of gold",
        "ask the team, or state the policy in the paper",
        fatal=False,
    ),
    IssueKind(
        "missing-label",
        "An answer without a label",
        "The line names an item and gives no label. The item counts as unanswered.",
        "a label of the label set",
        "ask the team, or state the policy in the paper",
        fatal=False,
    ),
    IssueKind(
        "contradicted-label",
        "A label that its scores contradict",
        "The answer is the greatest of several scores, as task.toml says, and a column of labels says another.",
        "one answer to each item",
        "ask the team which of the two it meant; label = names the column that counts",
        fatal=False,
    ),
    IssueKind(
        "unusable-label",
        "A label outside the label set",
        "Labels are compared as text, as they stand. The item counts as unanswered. [aliases] accepts a spelling.",
        "a label of the label set",
        "ask the team, or accept the spelling under [aliases] in task.toml",
        fatal=False,
    ),
    IssueKind(
        "bad-set",
        "A cell that holds no set",
        "The cell cannot be read as a set of labels or spans, or its spans are counted otherwise than gold's.",
        "a list of labels in the form that [sets] in task.toml states; an empty cell for an empty set",
        "correct the cell, or state the form: form = … under [sets] in task.toml",
    ),
    # A published table
    IssueKind(
        "bad-table",
        "A published table that cannot be used",
        "It needs a column with the campaign’s teams, each once, and at least one column of scores or ranks.",
        "a heading row, then a row for each team, or run: its name, and one or more scores or ranks",
        "write it as CSV: team,score; names as `audit submissions TASK` lists them, marks in columns of their own",
    ),
    # A confusion matrix
    IssueKind(
        "bad-confusion",
        "A confusion matrix that cannot be used",
        "It needs a row for each gold class, a column for each predicted one, and counts of items, not shares.",
        "as many rows as columns, the same names on both axes, whole numbers of items in the cells",
        "correct the file; write the counts without marks between thousands, and 0 where there are none",
    ),
    IssueKind(
        "confusion-orientation",
        "Rows that may be gold or predicted classes",
        "Read the wrong way round, precision is recall, and the file does not say which axis is gold.",
        "names on both axes, or one word on which of them is gold",
        "say --rows gold or --rows predicted, or write gold/predicted into the corner",
    ),
    # What leaves the house
    IssueKind(
        "unsettable-name",
        "A name that pdfLaTeX cannot set",
        "pdfLaTeX has Latin, Greek and Cyrillic letters. A name in another script would stop it, or come out wrong.",
        "letters that pdfLaTeX has, or TeX written by hand",
        'write under [latex_names] in task.toml: "name" = "…" and load it again; or export for LuaLaTeX: '
        "--engine lualatex",
    ),
    # The store and the machine
    IssueKind(
        "store-corrupt",
        "A store that is damaged",
        "The file is no SQLite database of this program, or its content contradicts itself.",
        "a store that audit wrote",
        "restore a copy, or load the campaign into a new store (--store other.db)",
    ),
    IssueKind(
        "store-version",
        "A store of another version",
        "A program would lose what a newer one wrote, and reads no draft from before the first release.",
        "a store of this version or an older one",
        "upgrade the program: pip install --upgrade shared-task-auditor",
    ),
    IssueKind(
        "store-read-only",
        "A store that cannot be written",
        "The file or its folder is read-only. Nothing was changed.",
        "a writable place",
        "name another store: --store PATH, or AUDIT_STORE",
    ),
    IssueKind(
        "disk-full",
        "No space left",
        "What was being written was undone; what was finished before stays, as a load whose evaluation does not fit.",
        "free space on the disk",
        "free some, or name a store elsewhere: --store PATH",
    ),
    IssueKind(
        "store-busy",
        "A store that somebody else is writing",
        "Another process held the store longer than this one waits. Nothing was changed.",
        "one writer at a time",
        "try again when the other process is done",
    ),
    IssueKind(
        "cannot-write",
        "An output file that cannot be written",
        "The report or table could not be saved.",
        "a writable path",
        "name another path",
    ),
    IssueKind(
        "bad-bundle",
        "A bundle that cannot be used",
        "The file is no bundle.zip of this program, is damaged, or holds what no bundle does. Nothing was computed.",
        "a bundle.zip that audit export wrote",
        "get the bundle again from where it was published",
    ),
    IssueKind(
        "input-differs",
        "An input that is not the bundle’s",
        "Its bytes differ from those that the published numbers were computed from, it is missing, or it came later.",
        "the file that the bundle names, byte for byte",
        "get the file from where the bundle was published, or say in the paper that the numbers are of other files",
    ),
)

ISSUE_KINDS: Mapping[str, IssueKind] = {kind.slug: kind for kind in _KINDS}
"""The input catalogue: every kind of issue, by slug."""

NOT_RECOGNISED = frozenset({"no-gold", "several-golds", "no-submissions"})
"""Issues of a folder in which no campaign is recognised."""


MOST_LINES = 5  # how many line numbers are listed for an issue


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to decide what a file leaves open."""

    section: str  # the table of task.toml, in brackets
    settings: str  # what to write there: keys and values as TOML has them, parted by commas
    meaning: str  # what the file then says


@dataclass(frozen=True, slots=True)
class Issue:
    """One defect found in one input file."""

    slug: str  # the entry of the catalogue
    file: str  # relative to the campaign folder
    found: str  # what stands there; like the next two without item ids
    expected: str  # what should stand there
    remedy: str  # what to do
    lines: tuple[int, ...] = ()
    """The first lines concerned, counted from 1; empty where the whole file is."""
    count: int = 1  # how many lines or items are concerned
    fatal: bool = True  # whether the file is rejected for it
    items: str = field(default="", compare=False)
    """Which items, by their ids, in words that go on from `found`.

    Whoever reads the file sees them; neither report nor store has them, because a report must not give away a test set
    that is still in use.
    """
    choices: tuple[Choice, ...] = field(default=(), compare=False)
    """The ways to decide, where settings do."""

    @classmethod
    def of(  # noqa: PLR0913 - an issue has these parts, each optional but the first three
        cls,
        slug: str,
        file: str,
        found: str,
        *,
        lines: Iterable[int] = (),
        count: int | None = None,
        expected: str | None = None,
        remedy: str | None = None,
        fatal: bool | None = None,
        items: str = "",
        choices: Iterable[Choice] = (),
    ) -> Self:
        """An issue whose unspoken parts come from the catalogue; of all lines it concerns, the first five are named.

        Examples
        --------
        >>> print(Issue.of("empty-file", "submissions/a.csv", "0 bytes"))
        submissions/a.csv: empty-file: 0 bytes
            expected: one label per item
            to do: ask the team for the file again, or remove it
        """
        kind = ISSUE_KINDS[slug]
        concerned = tuple(lines)
        return cls(
            slug=slug,
            file=file,
            found=found,
            expected=kind.expected if expected is None else expected,
            remedy=kind.remedy if remedy is None else remedy,
            lines=concerned[:MOST_LINES],
            count=max(1, len(concerned)) if count is None else count,
            fatal=kind.fatal if fatal is None else fatal,
            items=items,
            choices=tuple(choices),
        )

    def data(self) -> dict[str, Any]:
        """The issue as plain data for JSON, in the same form at every exit."""
        parts = ((_IN_DATA.get(name, name), part) for name, part in asdict(self).items())
        return {name: list(part) if isinstance(part, tuple) else part for name, part in parts}

    def __str__(self) -> str:
        """Message in full: where, what, expected, what to do."""
        return Cause((self,)).message(_UNCUT)


_IN_DATA = {"fatal": "rejects", "remedy": "to_do"}  # what JSON calls otherwise
_QUOTES = re.compile(r"“[^”]*”(?:(?:, | and | or )“[^”]*”)*(?: (?:and|or) [\d,]+ more)?")
_NUMBERS = re.compile(r"\d[\d,.]*(?:, \d+)*(?: and [\d,]+ more)?")
_COUNTED = re.compile(r"(# \w+?)s?\b|\b(?:is|are|has|have)\b")
_SENTENCE = re.compile(r"(?<=[^.][.;]) ")
_REST = re.compile(r"and [\d,]+ more")  # issues of a kind that a file has too many of


@dataclass(frozen=True, slots=True)
class Cause:
    """Issues that say the same but for what they count and quote: one thing to be mended, in one file or in many."""

    issues: tuple[Issue, ...]

    @property
    def first(self) -> Issue:
        """The issue that stands for all."""
        return self.issues[0]

    @property
    def files(self) -> tuple[str, ...]:
        """The files that have it."""
        return tuple(dict.fromkeys(issue.file for issue in self.issues))

    def data(self) -> dict[str, Any]:
        """The cause as plain data: its first issue, all its files, and the number of lines or items concerned."""
        also = self._also()
        if also:
            found = f"{self.first.found} ({also})"
        else:
            found = self.first.found
        count = sum(issue.count for issue in self.issues)
        return self.first.data() | {"found": found, "files": list(self.files), "count": count}

    def __str__(self) -> str:
        """Message of at most 300 characters."""
        return self.message(_LONGEST)

    def message(self, longest: int) -> str:
        """What in which files, what is expected where that fits, and what to do, in so many characters."""
        first = self.first
        n_files = len(self.files)
        place = visible(first.file, 80 if longest == _LONGEST else 200) + (
            f":{first.lines[0]}" if first.lines else ""
        )
        if n_files > 1:
            place = f"{n_files:,} files, the first {place}"
        defect = f"{first.found}: {first.items}" if first.items else first.found
        if len({(issue.found, issue.items) for issue in self.issues}) > 1:
            also = self._also()
            defect = f"{defect} ({also})" if also else f"for example: {defect}"
        where = self._lines() if n_files == 1 else ""
        head = f"{place}: {first.slug}: "
        way = "\n    to do: "
        room = longest - len(head) - len(where) - len(way)
        expected = f"\n    expected: {first.expected}"
        # it says more than the kind
        own = len(expected) if first.expected != ISSUE_KINDS[first.slug].expected else 0
        # settings are copied whole
        most = room - _FEWEST_OF_DEFECT if " = " in first.remedy else _FEWEST_OF_REMEDY
        remedy = _ways(first.remedy, max(room - len(defect) - own, most))
        defect = cut_off(
            defect, max(room - len(remedy) - own, min(_FEWEST_OF_DEFECT, room - len(remedy)))
        )
        left = room - len(remedy) - len(defect)
        expected = cut_off(expected, left) if own and left > _FEWEST_OF_DEFECT else expected
        return f"{head}{defect}{where}{expected if len(expected) <= left else ''}{way}{remedy}"

    def _lines(self) -> str:
        """How many lines of one file have it, and the first ones; nothing of one."""
        count = sum(issue.count for issue in self.issues)
        lines = [
            line
            for issue in self.issues
            for line in issue.lines[: None if len(self.issues) == 1 else 1]
        ]
        if count > len(lines[:MOST_LINES]):
            more = ", …"
        else:
            more = ""
        if lines:
            shown = f": {', '.join(map(str, lines[:MOST_LINES]))}{more}"
        else:
            shown = ""
        if lines and count > 1:
            return f" ({count:,} lines{shown})"
        return ""

    def _also(self) -> str:
        """The other labels that are none."""
        if self.first.slug not in {"unusable-label", "gold-unknown-label"}:
            return ""
        quotes = dict.fromkeys(
            match[0] for issue in self.issues if (match := _QUOTE.search(issue.found))
        )
        if len(quotes) > 1:
            return f"also {cut_off(listed(list(quotes)[1:], limit=3), 80)}"
        return ""


_QUOTE = re.compile("“[^”]*”")


def causes_of(issues: Iterable[Issue]) -> tuple[Cause, ...]:
    """The issues by their causes: what rejects files first, what concerns most files before that."""
    groups: dict[tuple[object, ...], list[Issue]] = {}
    latest: dict[tuple[str, str], list[Issue]] = {}
    for issue in issues:
        of_file = issue.slug, issue.file
        if _REST.fullmatch(issue.found) and of_file in latest:
            group = latest[of_file]
        else:
            group = groups.setdefault(
                (issue.slug, issue.fatal, issue.remedy, _skeleton(issue.found)), []
            )
        latest[of_file] = group
        group.append(issue)
    causes = [Cause(tuple(group)) for group in groups.values()]
    return tuple(sorted(causes, key=lambda cause: (not cause.first.fatal, -len(cause.files))))


def _skeleton(found: str) -> str:
    """The first sentence of a defect without what it counts and quotes."""
    text = _NUMBERS.sub("#", _QUOTES.sub("“”", found))
    return _SENTENCE.split(_COUNTED.sub(lambda match: match[1] or "", text))[0]


def told(issues: Iterable[Issue], most: int = 12) -> str:
    """The causes of issues, one message each, and of how many more nothing is said."""
    causes = causes_of(issues)
    more = len(causes) - most
    if more > 0:
        rest = [f"… and {plural(more, 'more cause')}"]
    else:
        rest = []
    return "\n".join([*map(str, causes[:most]), *rest])


_LONGEST = 300
_FEWEST_OF_REMEDY = 130
_FEWEST_OF_DEFECT = 80
"""Characters of a message, and of what is to be done and what was found where there is much to say."""
_UNCUT = 10**9
_WHOLE = " (whole: audit issues FOLDER)"
_BETWEEN_WAYS = re.compile(r"; or |; | · or · ")


def _ways(remedy: str, limit: int) -> str:
    """A remedy with as many of the ways that it names as fit, none cut unless the first is too long."""
    if len(remedy) <= limit:
        return remedy
    ends = [match.start() for match in _BETWEEN_WAYS.finditer(remedy) if match.start() < limit]
    if ends:
        return f"{remedy[: ends[-1]]}; …"
    return cut_off(remedy, limit - len(_WHOLE)) + _WHOLE


class AuditError(Exception):
    """Anything the program has to say about what it was given."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the message, which is meant for whoever wrote the cell, and no line of the program."""
        return [f"{type(self).__name__}: {self}"]


class InputError(AuditError):
    """The user's files are at fault; it carries everything found, of all files."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__(told(self.issues))


class NotLoadedError(InputError):
    """A load was refused: nothing of the folder went into the store."""


class StoreError(AuditError):
    """The store, or the disk it is on, is at fault; the issue says what is wrong with it."""

    def __init__(self, issue: Issue) -> None:
        self.issue = issue
        super().__init__(str(issue))


class MissingLibraryError(AuditError):
    """An optional library is not installed; the issue says what needs it, and the command that installs it.

    No InputError: a file is never left out, nor taken for another kind of file, because a library is missing.
    """

    def __init__(self, issue: Issue) -> None:
        self.issue = issue
        super().__init__(str(issue))


class UsageError(AuditError):
    """The command, or the call, is at fault."""


class AnotherTaskError(UsageError):
    """A campaign shares neither items nor teams with the task of the store that it would replace."""


class SupersededError(UsageError):
    """The result is of other data than the store holds now: the campaign was loaded again meanwhile."""


class MetricNameError(UsageError):
    """A metric name that does not exist, or that means two formulas."""
