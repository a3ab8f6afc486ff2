"""Evaluations for the paper, and a page to set them on."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from audit.domain import Resampling, Role
from audit.evaluation import evaluate
from audit.formats import read_campaign
from audit.report.paper import paper_files
from audit.resources import samples

HOSTILE = (
    r"A_B & C",
    r"50% #1 ~x^y$z$ {q} \end",
    "Ünïcødé Łódź ş ğ \u0131 ŷ ßæœ",
    "Жар-птица Ђ",
    "Ομάδα λάμδα",
    '<a>|"b"`c\' ,, << >> ?` !`',
    "--- ---",
    "a very long team name that goes on and on for ever and ever",
    r"\input{/etc/passwd}",
    "^^41 \u202eevil",
    "W" * 60,
    "¿½ ² € “q” — …",
)
PAGE = r"""\documentclass[10pt,twocolumn]{article}
\usepackage[a4paper,textwidth=6.3in,columnsep=0.24in,textheight=9.7in]{geometry}
%s
\usepackage{booktabs}
\begin{document}
\input{formulas}\input{methods}\input{results}\input{numbers}\input{arr_checklist}
%s
\begin{table}\input{main_table_narrow}\end{table}
\begin{table*}\input{main_table_wide}\end{table*}
\begin{table*}\input{per_class}\end{table*}
\begin{table*}\input{pairwise}\end{table*}
\begin{table*}\input{metric_agreement}\end{table*}
\clearpage\onecolumn\input{main_table_long}
\bibliographystyle{plain}\bibliography{references}
\end{document}
"""
PDFLATEX = r"\usepackage[LGR,T2A,T1]{fontenc}"


@pytest.fixture(scope="session")
def flood():
    """The sample campaign."""
    campaign = read_campaign(samples() / "flood-posts")
    return evaluate(replace(campaign, task=replace(campaign.task, resampling=Resampling(300, 1))))


@pytest.fixture(scope="session")
def hostile():
    """The sample campaign under names that would be commands, with every role."""
    campaign = read_campaign(samples() / "flood-posts")
    roles = {1: Role.BASELINE, 2: Role.LATE, 3: Role.UNOFFICIAL}
    renamed = tuple(
        replace(submission, team=name, role=roles.get(number, Role.PRIMARY))
        for number, (submission, name) in enumerate(zip(campaign.submissions, HOSTILE, strict=True))
    )
    return evaluate(replace(campaign, submissions=renamed, task=replace(campaign.task, resampling=Resampling(300, 1))))


def compiled(folder, files, look_ups="", fonts=PDFLATEX, engine="pdflatex"):
    """The log and the text of the paper that holds all files."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "paper.tex").write_text(PAGE % (fonts, look_ups), encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for step in (command, ["bibtex", "paper"], command, command):
        done = subprocess.run(step, cwd=folder, capture_output=True, check=False, timeout=180)
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    text = subprocess.run(["pdftotext", "-layout", "paper.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return (folder / "paper.log").read_text(encoding="utf-8", errors="replace"), text.stdout.decode("utf-8")


def needs(*programs):
    """Skip where TeX is missing, with the reason."""
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="session")
def flood_files(flood):
    return {name: content.decode("utf-8") for name, content in paper_files(flood).items()}
