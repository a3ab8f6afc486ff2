"""How often intervals, comparisons, best sets and leaders' intervals are right: a judge that is not the judged.

Run `python benchmarks/coverage.py --write` (about 50 minutes on one core; `--quick` takes two minutes and writes
nothing; `--only sets`, `--only ratings` and `--only groups` judge tasks of several labels, on a scale, and of items in
groups, in some minutes each, and write their sections). Test sets are drawn from populations whose scores are known;
populations, true scores and the counting are the judge's own code, in benchmarks/judge. The program is asked through
`audit.evaluate` alone. `--results FILE` keeps what is finished, so that a run that was stopped goes on where it stood.
"""

import argparse
import json
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

# before NumPy is imported: two processes, two cores
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# not this folder: it has a module called coverage
sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np  # noqa: E402

from benchmarks.judge.cells import Cell, all_cells, quick_cells  # noqa: E402
from benchmarks.judge.findings import all_findings, second_looks  # noqa: E402
from benchmarks.judge.groups import group_cells, group_tables, judge_groups  # noqa: E402
from benchmarks.judge.judging import Outcome, judge  # noqa: E402
from benchmarks.judge.page import page  # noqa: E402
from benchmarks.judge.program import ask, offers_strata  # noqa: E402
from benchmarks.judge.ratings import rating_cells  # noqa: E402
from benchmarks.judge.sections import judge_cell, tables  # noqa: E402
from benchmarks.judge.sets import set_cells  # noqa: E402

PAGE = Path(__file__).with_name("coverage.md")


def main() -> None:
    """Judge every cell, look at suspects again, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--quick", action="store_true", help="a few small cells with few repetitions"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--scale", type=float, default=1.0, help="so many times the repetitions")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument(
        "--second-looks",
        type=int,
        default=12,
        help="cells that are looked at again, the worst first",
    )
    parser.add_argument(
        "--second-repetitions",
        type=int,
        default=2000,
        help="intervals of each system looked at again",
    )
    parser.add_argument("--results", type=Path, help="a file that keeps what is finished")
    parser.add_argument(
        "--so-far", action="store_true", help="compute nothing: the page of what --results keeps"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"write {PAGE.name} instead of printing it"
    )
    parser.add_argument(
        "--only", choices=SECTIONS, help="one of the sections at the end of the page alone"
    )
    arguments = parser.parse_args()
    if arguments.only:
        _of_section(SECTIONS[arguments.only], arguments)
        return
    if arguments.so_far:
        kept = _read(arguments.results, arguments.seed).values()
        looks = [[each for each in kept if each.look == look] for look in (0, 1)]
        _print_or_write(page(looks[0], looks[1], arguments.seed), arguments)
        return
    cells = [
        cell
        for cell in (quick_cells() if arguments.quick else all_cells(arguments.scale))
        if _possible(cell)
    ]
    run = partial(_judged, jobs=arguments.jobs, seed=arguments.seed, results=arguments.results)
    first = run(cells, look=0)
    n_looks = 0 if arguments.quick else arguments.second_looks
    again = second_looks(all_findings(first), n_looks, arguments.second_repetitions)
    _print_or_write(page(first, run(again, look=1), arguments.seed), arguments)


OF_TRACKS = "## Campaigns of several tracks"
"""The section that tracks.py has the rows of."""


def _print_or_write(text: str, arguments: argparse.Namespace) -> None:
    if arguments.write:
        sections = [*SECTIONS.values(), Section(OF_TRACKS, "", set_cells)]
        kept = [section.parts(PAGE.read_text(encoding="utf-8"))[1] for section in sections]
        PAGE.write_text("\n\n".join([text.rstrip(), *kept]) + "\n", encoding="utf-8")
    else:
        print(text)


@dataclass(frozen=True)
class Section:
    """A section at the end of the page, which is written by itself."""

    heading: str
    introduction: str
    cells: Callable[[float], Sequence[Any]]  # times the repetitions → what is judged
    judge: Callable[..., Any] = judge_cell  # a cell and a seed → what was found
    tables: Callable[[Sequence[Any]], str] = tables

    def parts(self, page_text: str) -> tuple[str, str, str]:
        """The page before the section, the section, and the page behind it."""
        before, heading, behind = page_text.partition(f"{self.heading}\n")
        own, following, rest = behind.partition("\n## ")
        return before.rstrip(), f"{heading}{own}".rstrip(), f"{following}{rest}".strip()


SECTIONS = {
    "sets": Section(
        "## Sets",
        """Written by `python benchmarks/coverage.py --only sets --write`. Units have any of several labels,
which are correlated within a unit and a document; what one team gets wrong, others do too. All
teams are equally good, but for one that is *shy* of a label. Decisions by macro precision and
F1 of averages use the one-sided bound for labels that one of two teams never predicts, and a
variance of few answers, as for classes. The true means over units are those of 100 test sets
more.""",
        set_cells,
    ),
    "ratings": Section(
        "## Ratings",
        """Written by `python benchmarks/coverage.py --only ratings --scale 2.5 --write`. Ratings from
1 to 5 are intervals of grades that nobody sees; what gold and teams see of them is correlated
(*agreement*), within an annotator more. What one team gets wrong, others do too. All teams are
equally good, but for one that seldom says 1 or 5. True scores are those of the expected
confusion, which annotators do not change, by the judge’s own formulas. Of 300 items at an
agreement of .97 only .13 are expected to be more than a step off.""",
        rating_cells,
    ),
    "groups": Section(
        "## Signs of groups",
        """Written by `python benchmarks/coverage.py --only groups --write`. All teams are equally
good, and find the same groups hard. Percent of test sets in which any team is called ahead of
another, in brackets those in which the interval of any difference leaves out 0; behind, the
claims of all cells, and of the cell that has most, with 99% Monte Carlo intervals. Class `a` is
the commonest, half of the items, `d` the rarest, a twentieth.""",
        group_cells,
        judge_groups,
        group_tables,
    ),
}


def _of_section(section: Section, arguments: argparse.Namespace) -> None:
    """One section, printed, or written in place of the one on the page, or at its end."""
    with ProcessPoolExecutor(arguments.jobs) as pool:
        outcomes = list(
            pool.map(partial(section.judge, seed=arguments.seed), section.cells(arguments.scale))
        )
    text = f"{section.heading}\n\n{section.introduction}\n\n{section.tables(outcomes)}"
    if not arguments.write:
        print(text)
        return
    before, _, behind = section.parts(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text("\n\n".join(filter(None, [before, text, behind])) + "\n", encoding="utf-8")


def _possible(cell: Cell) -> bool:
    return offers_strata() or not cell.stratified


def _judged(
    cells: Sequence[Cell], *, look: int, jobs: int, seed: int, results: Path | None
) -> list[Outcome]:
    """The outcomes of cells, those that a file keeps included."""
    kept = _read(results, seed) if results else {}
    todo = [cell for cell in cells if (cell, look) not in kept]
    # shuffled: what a stopped run has is a sample of all
    todo.sort(key=lambda cell: zlib.crc32(cell.name.encode()))
    with ProcessPoolExecutor(jobs) as pool:
        for number, outcome in enumerate(
            pool.map(partial(_judge, seed=seed, look=look), todo), start=1
        ):
            kept[outcome.cell, look] = outcome
            print(f"{number}/{len(todo)} {outcome.cell.name}", file=sys.stderr, flush=True)
            if results:
                _keep(results, outcome, seed)
    return [kept[cell, look] for cell in cells]


def _judge(cell: Cell, *, seed: int, look: int) -> Outcome:
    return judge(cell, ask, seed, look)


def _keep(results: Path, outcome: Outcome, seed: int) -> None:
    line = {
        "seed": seed,
        "look": outcome.look,
        "cell": asdict(outcome.cell),
        "intervals": outcome.intervals.tolist(),
        "decisions": outcome.decisions.tolist(),
    }
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _read(results: Path, seed: int) -> dict[tuple[Cell, int], Outcome]:
    if not results.is_file():
        return {}
    kept = {}
    for line in map(json.loads, results.read_text(encoding="utf-8").splitlines()):
        cell = Cell(**{**line["cell"], "kinds": tuple(line["cell"]["kinds"])})
        if line["seed"] == seed:
            outcome = Outcome(
                cell, line["look"], np.array(line["intervals"]), np.array(line["decisions"])
            )
            kept[cell, outcome.look] = outcome
    return kept


if __name__ == "__main__":
    main()
