"""Processor time of `audit run` and `audit load` on emoji-en, beside what a participant would write with scikit-learn.

Run `OPENBLAS_NUM_THREADS=1 python benchmarks/whole_run.py`; each side runs in processes of its own, by turns, so that
the ratio tells on a busy machine, too. The peer of `audit run` reads the same files and computes eight metrics of every
team; the peer of `audit load` reads them with pandas.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.processor import of_command, of_process
from benchmarks.run import campaign_folder

ROUNDS = 2

EIGHT_METRICS = """
import sys
from pathlib import Path
from sklearn.metrics import (accuracy_score, balanced_accuracy_score, cohen_kappa_score, f1_score, matthews_corrcoef,
                             precision_score, recall_score)
folder = Path(sys.argv[1])
gold = (folder / "gold.labels").read_text().splitlines()
for path in sorted(folder.glob("teams/*/english.output.txt")):
    predicted = (path.read_text().splitlines() + [""] * len(gold))[:len(gold)]
    options = dict(labels=sorted(set(gold)), average="macro", zero_division=0)
    scores = [f1_score(gold, predicted, **options), precision_score(gold, predicted, **options),
              recall_score(gold, predicted, **options), accuracy_score(gold, predicted),
              balanced_accuracy_score(gold, predicted), cohen_kappa_score(gold, predicted),
              matthews_corrcoef(gold, predicted),
              f1_score(gold, predicted, labels=options["labels"], average="weighted", zero_division=0)]
    print(path.parent.name, *scores)
"""

READ_BY_PANDAS = """
import sys
from pathlib import Path
import pandas
folder = Path(sys.argv[1])
for path in [folder / "gold.labels", *sorted(folder.glob("teams/*/english.output.txt"))]:
    pandas.read_csv(path, header=None, names=["label"], dtype=str, skip_blank_lines=False)
"""


def ratio(ours: list[float], theirs: list[float]) -> str:
    """The least times of both sides, and their ratio."""
    return f"{min(ours):.2f} s | {min(theirs):.2f} s | {min(ours) / min(theirs):.2f}"


def main() -> None:
    """Both ratios, as rows of a table."""
    with tempfile.TemporaryDirectory() as folder:
        what = campaign_folder(Path(folder))
        print("| what | ours | peer | ratio |\n| --- | --- | --- | --- |")
        for command, script, most in (("load", READ_BY_PANDAS, 1.5), ("run", EIGHT_METRICS, 0.12)):
            ours, theirs = [], []
            # Both leave byte code first, as an installation does
            of_command(command, folder, "--store", f"{folder}/{command}.db")
            for number in range(ROUNDS):
                theirs.append(of_process("-W", "ignore", "-c", script, folder))
                ours.append(
                    of_command(command, folder, "--store", f"{folder}/{command}-{number}.db")
                )
            print(f"| `audit {command}`, {what} | {ratio(ours, theirs)}, at most {most} |")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.stderr.decode())
