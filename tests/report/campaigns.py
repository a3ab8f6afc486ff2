"""Campaigns in memory: any size, spotless, or as hostile as they come."""

from dataclasses import replace

import numpy as np

import audit
from audit.domain import (
    Campaign,
    Gold,
    LabelSet,
    Options,
    Prevalence,
    PrintedScore,
    Published,
    PublishedColumn,
    Rejection,
    Role,
    ScoreKey,
    SliceColumn,
    SourceFile,
    Submission,
    Task,
)
from audit.domain.campaign import code_dtype
from audit.errors import Issue
from audit.evaluation import evaluate
from audit.readings import identify

HOSTILE = (
    "<script>alert(1)</script>",
    "../x",
    "\u202eevil\u2066\u200f",
    "x" * 300,
    "%s%(a)s%",
    "{{ 7*7 }}{% raw %}",
    "a\x00b",
    "]]>",
    "</style></title><!--",
    "=1+1",
    "\"quoted\", 'it'",
    "line\r\nfeed\u2028",
    "\x1b[31mred",
    "\U0001f600",
    "&amp;&lt;",
    "javascript:alert(1)",
    "`${7*7}`",
    "[a],~@b",
)
LONE_SURROGATE = "caf\udce9"
HOSTILE_FILES = (*HOSTILE, LONE_SURROGATE)


def random_campaign(  # noqa: PLR0913 - each may be said
    n_teams,
    n_items,
    n_classes,
    *,
    quality=(0.9, 0.3),
    names=None,
    labels=None,
    options=None,
    **task,
):
    """Teams of every quality on a skewed gold; every twentieth answer is missing or unusable for the last team."""
    rng = np.random.default_rng(7)
    shares = 1 / np.arange(1, n_classes + 1)
    gold = np.concatenate(
        [np.arange(n_classes), rng.choice(n_classes, n_items - n_classes, p=shares / shares.sum())]
    )
    right = rng.random((n_teams, n_items)) < np.linspace(*quality, n_teams)[:, None]
    codes = np.where(right, gold, rng.integers(0, n_classes, (n_teams, n_items)))
    codes[-1, ::20] = n_classes + rng.integers(0, 2, codes[-1, ::20].size)
    label_set = LabelSet(
        tuple(labels or (f"class {code}" for code in range(n_classes))), declared=True
    )
    dtype = code_dtype(n_classes)
    submissions = tuple(
        Submission(
            name, row.astype(dtype), source=SourceFile.of(f"submissions/{name}.txt", row.tobytes())
        )
        for name, row in zip(names or map("team {:03}".format, range(n_teams)), codes, strict=True)
    )
    settings = {
        "slug": "random",
        "title": "Random",
        "official_metric": ScoreKey("averaged_f1"),
        **task,
    }
    task = Task(label_set=label_set, **settings)
    return Campaign(
        task, Gold(label_set, gold.astype(dtype)), submissions, options=options or Options()
    )


def hostile_campaign():
    """Every name, label, path and text of it tries to be something else."""
    labels = LabelSet(HOSTILE)
    base = random_campaign(
        len(HOSTILE_FILES),
        900,
        len(HOSTILE),
        quality=(0.5, 0.45),
        names=HOSTILE_FILES,
        labels=HOSTILE,
        slug=HOSTILE[1],
        title="".join(HOSTILE),
        official_metric=ScoreKey("recall[\u202eevil\u2066\u200f]"),
        prevalences=tuple(
            Prevalence(name, tuple((label, 1 / len(labels)) for label in labels))
            for name in (HOSTILE[0], HOSTILE[2])
        ),
    )
    *others, last = base.submissions
    answers = Submission(
        last.team,
        last.codes,
        unusable_labels=tuple((label + "?", 2) for label in HOSTILE),
        issues=(Issue.of("unusable-label", HOSTILE_FILES[-1], "a label", lines=(3, 4), count=9),),
        source=last.source,
    )
    return Campaign(
        base.task,
        in_halves(base.gold, HOSTILE[0], (HOSTILE[2], "=1+1")),
        (*others, answers),
        rejections=tuple(
            Rejection(path, (Issue.of("empty-file", path, "0 bytes"),)) for path in HOSTILE_FILES
        ),
        ignored=HOSTILE_FILES,
        published=(
            Published(
                HOSTILE[0],
                (*HOSTILE_FILES, f"{HOSTILE[0]}?"),
                tuple(
                    PublishedColumn(
                        f"Macro-F1 {heading}",
                        (*(PrintedScore(heading, 500, 3) for _ in HOSTILE_FILES), None),
                    )
                    for heading in HOSTILE
                ),
                ((HOSTILE[2], "ranks"),),
            ),
        ),
    )


def checked(evaluation):
    """A published table of an evaluation's F1s of averages, under the name that both macro F1s have, checked."""
    printed = [
        PrintedScore(f"{score:.3f}", round(score * 1000), 3)
        for score in evaluation.scores["f1_of_averages"]
    ]
    first, *others = evaluation.names
    columns = (
        PublishedColumn("Macro-F1", (*printed, printed[0])),
        PublishedColumn("Kappa", (*printed, None)),
    )
    table = Published(
        "published.csv", (first.upper(), *others, "Nobody"), columns, (("Rank", "ranks"),)
    )
    return identify(evaluation, table)


def spotless_evaluation(*, certainty=False, slices=None, **settings):
    """Three teams in the same order by every metric, at every prevalence: nothing to report."""
    gold = ["no"] * 40 + ["yes"] * 40

    def answers(errors):
        return ["yes"] * errors + ["no"] * (40 - errors) + ["no"] * errors + ["yes"] * (40 - errors)

    predictions = {"first": answers(2), "second": answers(8), "third": answers(13)}
    return audit.evaluate(
        gold,
        predictions,
        official_metric="averaged_f1",
        title="Spotless",
        certainty=certainty,
        slices=slices,
        **settings,
    )


def random_evaluation(*size, **options):
    """The evaluation of a random campaign."""
    return evaluate(random_campaign(*size, **options))


def with_teams_only(campaign):
    """A campaign in which every submission takes a rank."""
    return replace(
        campaign,
        submissions=tuple(replace(each, role=Role.PRIMARY) for each in campaign.submissions),
    )


def in_halves(gold, column="half", values=("even", "odd")):
    """Gold that is cut: every other item."""
    half = SliceColumn(column, values, (np.arange(gold.n_items) % 2).astype(np.uint8))
    return replace(gold, slices=(half,))
