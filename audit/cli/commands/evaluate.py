"""The store scored, and the scores kept in it."""

from audit.cli.failures import fail_on, reporting_errors
from audit.cli.output import print_json
from audit.cli.parameters import (
    DEFAULT_STORE,
    ClusterAddress,
    Fail,
    Json,
    NoCertainty,
    Replicates,
    Seed,
    Store,
    TaskSlug,
)
from audit.cli.program import app
from audit.cli.steps import executor_of, stated_options


@app.command(epilog="Example: audit evaluate flood-posts --fail-on winner")
@reporting_errors
def evaluate(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskSlug,
    store: Store = DEFAULT_STORE,
    *,
    replicates: Replicates = None,
    seed: Seed = None,
    no_certainty: NoCertainty = False,
    cluster: ClusterAddress = None,
    fail: Fail = None,
    as_json: Json = False,
) -> None:
    """Score every team by every metric; keep it."""
    from audit import workflow
    from audit.cli.progress_bar import progress_bar

    chosen_options = stated_options(replicates, seed, no_certainty=no_certainty)
    with progress_bar() as on_step:
        evaluation = workflow.evaluate_task(task, store, chosen_options, executor=executor_of(cluster), on_step=on_step)
    if as_json:
        from audit.writers.data.export import evaluation_data

        print_json(evaluation_data(evaluation))
    else:
        from audit.questions.short import show_blocks
        from audit.writers.terminal import write

        write(*show_blocks(evaluation, evaluation.task.ranking_metric))
    fail_on(evaluation.flags, fail)
