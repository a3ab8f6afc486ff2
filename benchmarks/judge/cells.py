"""What is judged: a cell is one population with one size of test set."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from benchmarks.judge.fields import COMPETITORS, FIELDS, staircase
from benchmarks.judge.populations import DISTRIBUTIONS, KINDS, Dependence, Population, systems
from benchmarks.judge.truths import AGGREGATES, CLASS_SCORES, GAP

CLASSES = (2, 3, 5, 10, 20, 50, 100)
SIZES = (100, 200, 500, 1000, 5000, 10000)
FEW_ITEMS = 5
"""Expected items of the rarest class below which a cell shows what the program marks."""
COMPARED = ("averaged_f1", "f1_of_averages", "averaged_f1~", "accuracy", "macro_precision", "mcc")
POWER = {
    "pair": (2, 3, 500, 0.05),
    "six": (6, 3, 1000, 0.03),
    "ten": (10, 5, 1000, 0.02),
    "twenty": (20, 5, 2000, 0.01),
}
"""Teams, classes, items and step of the four designs that power is measured by."""


@dataclass(frozen=True)
class Cell:
    """One population, one size of test set.

    Parameters
    ----------
    design : str
        ``systems``: copies of each kind of system; a name of `FIELDS`: competitors; ``power …``: a name of `POWER`.
    n_classes, n_items : int
        Of the test set.
    distribution : str
        Of the classes, a name of `DISTRIBUTIONS`.
    n_teams : int
        Competitors; copies of each kind for systems.
    n_repetitions : int
        Test sets drawn.
    kinds : tuple of str
        Of systems.
    group_size : int
        Mean items of a group; 1 for independent items.
    uneven : bool
        Whether a few groups have most of the items (Pareto).
    stratified : bool
        Whether class counts are fixed by design.
    """

    design: str
    n_classes: int
    n_items: int
    distribution: str
    n_teams: int
    n_repetitions: int
    kinds: tuple[str, ...] = ()
    group_size: int = 1
    stratified: bool = False
    uneven: bool = False

    @property
    def name(self) -> str:
        """What the population and the size of the test set are, whatever is drawn from it."""
        sizes = "Pareto-sized groups, on average" if self.uneven else "groups"
        groups = f", {sizes} of {self.group_size}" if self.group_size > 1 else ""
        strata = ", class counts fixed" if self.stratified else ""
        teams = "" if self.of_systems else f", T = {self.n_teams}"
        return f"{self.design}, C = {self.n_classes}, N = {self.n_items}, {self.distribution}{groups}{strata}{teams}"

    @property
    def of_systems(self) -> bool:
        """Whether single systems are judged, and no competition."""
        return self.design == "systems"

    @property
    def expected_items(self) -> float:
        """Expected gold items of the rarest class."""
        return float(self.n_items * DISTRIBUTIONS[self.distribution](self.n_classes).min())

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """One label for each class, in the order of their shares."""
        return tuple(f"c{code:03}" for code in range(self.n_classes))

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """The scores whose intervals are judged: all aggregates, Δ, and the class scores of three classes."""
        if not self.of_systems:
            return self.compared
        classes = dict.fromkeys((0, self.n_classes // 2, self.n_classes - 1))
        of_classes = [f"{kind}[{self.labels[code]}]" for kind in CLASS_SCORES for code in classes]
        observed = (*AGGREGATES, *of_classes)
        return (*observed, *(f"{name}~" for name in observed), GAP)

    @property
    def compared(self) -> tuple[str, ...]:
        """The metrics by which teams are compared; both macro F1s always are."""
        if self.of_systems:
            return COMPARED[:2]
        return ("accuracy",) if self.design.startswith("power") else COMPARED

    @property
    def team_kinds(self) -> tuple[str, ...]:
        """What kind each team is of."""
        if self.of_systems:
            return tuple(kind for kind in self.kinds for _ in range(self.n_teams))
        return ("team",) * self.n_teams

    def population(self, seed: int) -> Population:
        """The population: the same for every number of copies and repetitions."""
        own_seed = seed + zlib.crc32(self.name.encode())
        shares = DISTRIBUTIONS[self.distribution](self.n_classes)
        if self.of_systems:
            return systems(shares, self.kinds, self.n_teams, own_seed, self._dependence)
        if self.design.startswith("power"):
            return staircase(shares, self.n_teams, POWER[self.design.removeprefix("power ")][3])
        return FIELDS[self.design](shares, self.n_teams, np.random.default_rng(own_seed))

    @property
    def _dependence(self) -> Dependence:
        if self.group_size == 1:
            return Dependence()
        shape = 0.0 if self.uneven else Dependence.group_shape
        alike = Dependence(group=0.2, team_in_group=0.1, errors=COMPETITORS.errors)
        return replace(alike, group_size=self.group_size, group_shape=shape)

    def generator(self, seed: int, look: int) -> np.random.Generator:
        """What draws the test sets: other ones at every look."""
        return np.random.default_rng([seed, zlib.crc32(self.name.encode()), look])


def all_cells(scale: float = 1.0) -> list[Cell]:
    """Every cell of the whole run, with more or fewer repetitions."""
    cells = [*_systems(), *_rare(), *_grouped(), *_stratified(), *_fields(), *_power()]
    return [
        replace(cell, n_repetitions=max(4, round(scale * cell.n_repetitions))) for cell in cells
    ]


def quick_cells() -> list[Cell]:
    """A few small cells of each sort, for a look in two minutes."""
    return [
        cell
        for cell in all_cells(1 / 3)
        if (cell.n_classes, cell.n_items, cell.n_teams)
        in {(2, 100, 4), (5, 200, 4), (5, 500, 4), (5, 200, 10)}
        or cell.design == "power pair"
    ]


SAMPLES = {2: 30, 3: 30, 5: 30, 10: 30, 20: 24, 50: 16, 100: 12}
"""Test sets of a population of systems, by number of classes: one of many classes takes longer."""


def _system_cell(  # noqa: PLR0913 - what makes a cell
    n_classes: int,
    n_items: int,
    distribution: str,
    group_size: int = 1,
    *,
    strata: bool = False,
    uneven: bool = False,
) -> Cell:
    """Four copies of all kinds; with two classes a system that never predicts one predicts the other only."""
    kinds = tuple(kind for kind in KINDS if n_classes > 2 or kind != "never predicts a class")
    return Cell(
        "systems",
        n_classes,
        n_items,
        distribution,
        n_teams=4,
        n_repetitions=SAMPLES[n_classes],
        kinds=kinds,
        group_size=group_size,
        stratified=strata,
        uneven=uneven,
    )


def _systems() -> Iterator[Cell]:
    """All classes and sizes: up to 20 classes all distributions of small test sets, else one after the other.

    Left out are those in which the rarest class has less than one expected item.
    """
    for row, n_classes in enumerate(CLASSES):
        for column, n_items in enumerate(SIZES):
            names = list(DISTRIBUTIONS)
            whole = n_items in ({100, 200, 1000} if n_classes <= 20 else {1000})
            for distribution in names if whole else [names[(row + column) % len(names)]]:
                cell = _system_cell(n_classes, n_items, distribution)
                if cell.expected_items >= 1:
                    yield cell


def _rare() -> Iterator[Cell]:
    """The rarest class is expected .5 to 8 times, so that a team seldom or never predicts it, or gold lacks it."""
    for n_classes, distribution, sizes in (
        (5, "skewed", (40, 80)),
        (5, "Zipf", (40, 80)),
        (10, "Zipf", (60, 120)),
        (10, "uniform", (40, 80)),
        (20, "skewed", (50, 150)),
        (20, "Zipf", (40, 70, 400)),
        (50, "Zipf", (110, 250, 700)),
    ):
        for n_items in sizes:
            yield _system_cell(n_classes, n_items, distribution)


def _grouped() -> Iterator[Cell]:
    for n_classes, n_items, group_size in (
        (2, 500, 50),
        (3, 1000, 50),
        (5, 1000, 10),
        (5, 2000, 10),
        (20, 2000, 20),
    ):
        yield _system_cell(n_classes, n_items, "skewed", group_size, uneven=True)
    for n_classes, n_items in ((2, 200), (2, 1000), (5, 500), (5, 5000), (20, 1000), (20, 5000)):
        for distribution in ("uniform", "Zipf"):
            yield _system_cell(n_classes, n_items, distribution, group_size=10)
    yield _system_cell(3, 1000, "uniform", group_size=200)
    yield _system_cell(3, 1000, "uniform", group_size=50)


def _stratified() -> Iterator[Cell]:
    for n_classes, n_items in ((2, 100), (2, 1000), (5, 200), (5, 1000), (20, 200), (20, 1000)):
        for distribution in ("uniform", "Zipf"):
            cell = _system_cell(n_classes, n_items, distribution, strata=True)
            if cell.expected_items >= 1:
                yield cell


def _fields() -> Iterator[Cell]:
    """Two teams, ten and fifty in every field that can be made of them, a hundred in two."""
    pairs = ("tied", "tied otherwise", "a class rarely predicted", "groups")
    for n_teams, designs, sizes, repetitions in (
        (2, pairs, ((2, 200), (5, 200), (20, 1000)), 150),
        (2, ("tied",), ((3, 500), (5, 1000)), 400),
        (10, FIELDS, ((2, 200), (5, 200), (5, 1000), (20, 1000), (5, 5000)), 80),
        (50, FIELDS, ((5, 200), (20, 1000)), 40),
        (100, ("tied", "one never predicts a class"), ((5, 1000),), 20),
    ):
        for design in designs:
            for n_classes, n_items in sizes:
                yield Cell(
                    design,
                    n_classes,
                    n_items,
                    "uniform" if design == "tied otherwise" else "skewed",
                    n_teams,
                    repetitions,
                    group_size=10 if design == "groups" else 1,
                )
    for n_items in (200, 1000):
        yield Cell("tied", 5, n_items, "skewed", 10, 80, stratified=True)


def _power() -> Iterator[Cell]:
    for name, (n_teams, n_classes, n_items, _) in POWER.items():
        yield Cell(f"power {name}", n_classes, n_items, "skewed", n_teams, 100)
