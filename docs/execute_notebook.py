"""Runs docs/notebook.ipynb as a notebook does, and writes into it what its cells then show.

Run `python docs/execute_notebook.py` after a change of a cell or of what the program shows; a test holds the outputs up
to date. IPython runs the cells, in this process: a kernel would do the same behind a socket.
"""

import json
import os
import sys
import warnings
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")


def executed(path: Path) -> str:
    """The notebook with the outputs of a fresh run from its own folder."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    with TemporaryDirectory() as settings:
        os.environ["IPYTHONDIR"] = settings  # nobody's own settings and start-up files
        os.chdir(path.parent)
        shell = _shell()
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = _outputs(shell, cell)
                cell["execution_count"] = shell.execution_count - 1
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _shell() -> Any:  # noqa: ANN401 - IPython's attributes are traits, which types do not know
    """A fresh IPython, which keeps no history and prints no tracebacks."""
    from IPython.core.interactiveshell import InteractiveShell  # noqa: PLC0415 - only a run needs it
    from traitlets.config import Config  # noqa: PLC0415 - likewise

    settings = Config()
    settings.HistoryManager.enabled = False
    shell: Any = InteractiveShell.instance(config=settings)
    shell.shown, shell.failures = [], []
    shell.display_trap.hook = partial(_keep, shell)
    shell._showtraceback = lambda kind, error, lines: shell.failures.append((kind, error, lines))  # noqa: SLF001
    return shell


def _keep(shell: Any, value: object) -> None:  # noqa: ANN401 - likewise
    """Keep the value of a cell in every form in which IPython shows it, as a kernel would send it to the browser."""
    if value is not None:
        shell.shown.append(shell.display_formatter.format(value)[0])


def _outputs(shell: Any, cell: dict[str, Any]) -> list[dict[str, Any]]:  # noqa: ANN401 - likewise
    """What a cell prints, shows and raises, as the format of notebooks has it.

    Raises
    ------
    RuntimeError
        When a cell fails that is not marked as one that does, or the other way round.
    """
    shell.shown.clear()
    shell.failures.clear()
    with redirect_stdout(StringIO()) as captured, warnings.catch_warnings():
        warnings.simplefilter("error")
        shell.run_cell("".join(cell["source"]), store_history=True)
    if bool(shell.failures) != ("raises-exception" in cell["metadata"].get("tags", [])):
        raise RuntimeError(f"cell {cell['id']}: {shell.failures or 'no error'}")
    printed = captured.getvalue()
    return [
        *(
            [{"name": "stdout", "output_type": "stream", "text": _lines(printed)}]
            if printed
            else []
        ),
        *(_shown(forms, shell.execution_count - 1) for forms in shell.shown),
        *(
            {
                "ename": kind.__name__,
                "evalue": str(error),
                "output_type": "error",
                "traceback": lines,
            }
            for kind, error, lines in shell.failures
        ),
    ]


def _shown(forms: dict[str, str], number: int) -> dict[str, Any]:
    """The value of a cell in every form that a notebook may choose from."""
    data = {form: _lines(text) for form, text in forms.items()}
    return {
        "data": data,
        "execution_count": number,
        "metadata": {},
        "output_type": "execute_result",
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    fresh = executed(NOTEBOOK)
    if "--stdout" in sys.argv:
        sys.stdout.buffer.write(fresh.encode())
    else:
        NOTEBOOK.write_text(fresh, encoding="utf-8", newline="\n")
