"""The LaTeX files compile as they stand inside a two-column page: nothing overfull, undefined or without its glyph."""

import re
import shutil
import subprocess
import unicodedata
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import CarriedBy, Options, Policies, Power, Prevalence, Role, ScoreKey
from audit.domain.campaign import SliceColumn
from audit.evaluation import evaluate
from audit.findings.shown_intervals import possible_ranks_text
from audit.report.printing import printing
from audit.writers.latex import paper_files
from audit.writers.latex.numbers import unique_keys
from tests.nightly import by_day, slow
from tests.report.campaigns import in_halves, random_campaign

from .conftest import needs

TABLES = ["main_table_wide", "macro_f1", "per_class", "classes", "metric_agreement"]
INLINE = ("methods", "results", "numbers")
NARROW = "main_table_narrow"
LONG_NAMES = [f"Wolverhampton at Task 2, submission {place:02} WW" for place in range(48)]
LONG_LABELS = [f"a_long_label_of_class_number_{place:02}" for place in range(20)]

PAGE = r"""\documentclass[10pt,twocolumn]{article}
\usepackage[a4paper,textwidth=6.3in,columnsep=0.24in,textheight=9.7in]{geometry}
%s
\usepackage{booktabs}
\setcounter{dbltopnumber}{9}\extrafloats{200}
\begin{document}
%s
\bibliographystyle{plain}\bibliography{flood/references}
\end{document}
"""
PDFLATEX = r"\usepackage[LGR,T2A,T1]{fontenc}"
LUALATEX = r"\usepackage{fontspec}\setmainfont{DejaVu Serif}[Scale=0.8]"
WARNED = re.compile(
    r"^(?:Over|LaTeX Warning|LaTeX Font Warning|Package \w+ Warning|Missing character).*$",
    re.MULTILINE,
)
PDFTEX = needs(
    "pdflatex", "bibtex", "pdftotext", "pdffonts", "lgrenc.def", "t2aenc.def", "booktabs.sty"
)
LUATEX = needs("lualatex", "bibtex", "pdftotext", "fc-list", "fontspec.sty", "booktabs.sty")


def section(name, files):
    """Every file of one campaign: prose in the column, tables in their widths."""
    tables = [*TABLES, *(each for each in ("slices", "pairs") if f"{each}.tex" in files)]
    return "\n".join(
        [
            r"\begingroup",
            *(rf"\input{{{name}/{file}}}" for file in INLINE),
            rf"\begin{{table}}\input{{{name}/{NARROW}}}\end{{table}}",
            *(rf"\begin{{table*}}\input{{{name}/{table}}}\end{{table*}}" for table in tables),
            r"\clearpage\endgroup",
        ]
    )


def compiled(folder, campaigns, fonts, engine, more=""):
    """The log and the text of a paper that holds all files of all campaigns."""
    for name, files in campaigns.items():
        (folder / name).mkdir()
        for file, content in files.items():
            (folder / name / file).write_bytes(content)
    body = "\n".join([*(section(name, files) for name, files in campaigns.items()), more])
    return typeset(folder, PAGE % (fonts, body), engine, again=True)


def typeset(folder, page, engine, *, again=False):
    """The log and the text of a page; again for its references."""
    (folder / "paper.tex").write_text(page, encoding="utf-8")
    command = [
        engine,
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "paper.tex",
    ]
    # labels take a second run
    for step in (command, *([["bibtex", "paper"], command] if again else []), command):
        done = subprocess.run(step, cwd=folder, capture_output=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    text = subprocess.run(
        ["pdftotext", "-layout", "paper.pdf", "-"], cwd=folder, capture_output=True, check=True
    )
    return (folder / "paper.log").read_text(encoding="utf-8", errors="replace"), text.stdout.decode(
        "utf-8"
    )


def warnings_in(log):
    """What TeX was not content with."""
    return WARNED.findall(log)


def squeezed(text):
    """Letters without their accents' order, blanks as one."""
    return unicodedata.normalize("NFKD", " ".join(text.split()))


@pytest.fixture(scope="module")
def evaluations(flood, hostile):
    """Many classes and teams, the fewest, long labels in the metric's name, every role, groups, and no certainty."""
    labels = [f"label_{code} & {'long' * (code % 4)}" for code in range(20)]
    names = ["Ψ" * 60, "x" * 60, "m " * 30, *map("team {:02}".format, range(44))]
    names.insert(6, "Щ" * 60)  # neither first nor named in prose: no column has room for it
    own = ScoreKey(f"averaged_f1[{labels[3]},{labels[7]}]", "balanced")
    street = Prevalence(
        "street_#1", tuple((f"class {code}", share) for code, share in enumerate((0.5, 0.5)))
    )
    wide = random_campaign(
        48, 600, 20, names=names, labels=labels, official_metric=own, slug="wide"
    )
    two = random_campaign(
        3,
        90,
        2,
        slug="two",
        prevalences=(street,),
        official_metric=ScoreKey("kappa", "street_#1"),
        policies=Policies(missing="drop", unusable="reject"),
    )
    grouped = random_campaign(4, 90, 3, slug="grouped")
    cut = random_campaign(30, 600, 3, names=LONG_NAMES[:30], slug="cut")
    whole = replace(
        two, submissions=tuple(replace(each, role=Role.LATE) for each in two.submissions[:2])
    )
    return {
        "flood": flood,
        "hostile": hostile,
        "wide": evaluate(wide),
        "alike": evaluate(
            random_campaign(48, 600, 20, names=LONG_NAMES, labels=LONG_LABELS, slug="alike")
        ),
        "two": evaluate(whole),
        "lone": evaluate(random_campaign(1, 60, 2, slug="lone")),
        "bare": evaluate(random_campaign(3, 60, 2, slug="bare"), Options(certainty=False)),
        "cut": evaluate(replace(cut, gold=in_languages(cut.gold))),
        "grouped": with_power(
            evaluate(replace(grouped, gold=replace(grouped.gold, groups=np.arange(90) // 3)))
        ),
    }


def in_languages(gold):
    """Gold that is cut by two columns, one of them into twenty parts with names that TeX has to be told."""
    names = tuple(f"język_{place:02} & {'long' * (place % 3)}" for place in range(20))
    languages = SliceColumn(
        "language & dialect", names, (np.arange(gold.n_items) % 20).astype(np.uint8)
    )
    return replace(gold, slices=(languages, *in_halves(gold).slices))


def with_power(evaluation):
    """The evaluation with what a test set may tell about its first two, none of which is computed here."""
    key = evaluation.task.ranking_metric
    first, second = evaluation.order(key)[:2]
    carried = CarriedBy(second, ((0, 0, 1, 3),))
    power = Power(key, first, second, 0.01, 0.02, 3.25, 0.025, evaluation.gold.n_items, carried)
    return evaluation.given(power=(power,))


@PDFTEX
def test_every_file_of_every_campaign_compiles_with_pdflatex(evaluations, tmp_path):
    """No error, overfull box, undefined reference or missing glyph; names are printed, and none is run."""
    look_up = r"\input{flood/numbers}" + " ".join(
        rf"\auditnum{{kingfisher}}{{averaged-f1}}{{{what}}}"
        for what in ("score", "rank", "lower", "possibleranks")
    )
    look_up += r" \auditnum{kingfisher}{averaged-f1}{couldbebest}"
    look_up += r" \auditnum{plumbline}{averaged-f1}{p} \auditfact{items} \edef\audited{\auditfact{seed}}\audited"
    files = {name: paper_files(evaluation) for name, evaluation in evaluations.items()}
    log, text = compiled(tmp_path, files, PDFLATEX, "pdflatex", look_up)
    assert warnings_in(log) == []
    flood = evaluations["flood"]
    comparison, first, other = (
        flood.certainty.comparisons[0],
        *map(flood.names.index, ("Kingfisher", "Plumbline")),
    )
    score = printing(flood).score(flood.scores_of(ScoreKey("averaged_f1"))[first])
    lower = printing(flood).score(comparison.leader_interval[0])
    p = (
        f"{comparison.adjusted_p[first, other]:.4f}"[1:]
        if comparison.adjusted_p[first, other] < 1
        else "1.0000"
    )
    ranks = possible_ranks_text(comparison, first)
    assert f"{score} 1 {lower} {ranks} yes {p} 1,024 1" in " ".join(text.split())
    plain = squeezed(text)
    for name in (
        "A_B & C",
        "50% #1",
        "Жар-птица",
        "Ομάδα λάμδα",
        "\\input{/etc/passwd}",
        "ΨΨΨΨ",
        "ЩЩЩЩ",
        "label_19",
    ):
        assert squeezed(name) in plain, name
    assert "root:" not in text
    fonts = subprocess.run(
        ["pdffonts", "paper.pdf"], cwd=tmp_path, capture_output=True, check=True, text=True
    ).stdout
    assert {line.split()[-5] for line in fonts.splitlines()[2:]} == {"yes"}  # embedded


@slow("the same test with pdfLaTeX")
@LUATEX
def test_every_file_of_every_campaign_compiles_with_lualatex(evaluations, tmp_path):
    """With a main font that has the letters."""
    files = {
        name: paper_files(evaluation, engine="lualatex") for name, evaluation in evaluations.items()
    }
    log, text = compiled(tmp_path, files, LUALATEX, "lualatex")
    assert warnings_in(log) == []
    assert squeezed("Жар-птица") in squeezed(text)


def family_of(language):
    """An installed font for a language, or the test is skipped."""
    listed = subprocess.run(
        ["fc-list", f":lang={language}", "family"], capture_output=True, check=True, text=True
    )
    families = sorted({line.split(",")[0] for line in listed.stdout.splitlines() if line})
    if not families:
        pytest.skip(f"no font for the language {language} is installed")
    return families[0]


@by_day(1)
@LUATEX
@pytest.mark.parametrize(
    ("language", "name"), [("zh", "名前 Team"), ("ar", "فريق الترجمة"), ("he", "צוות")]
)
def test_other_scripts_are_set_by_lualatex_with_a_named_font(language, name, tmp_path):
    """As the first comment of each file says; scripts that run from the right do."""
    family = family_of(language)
    evaluation = evaluate(random_campaign(2, 60, 2, names=[name, "Plain & simple"]))
    (tmp_path / "table.tex").write_bytes(
        paper_files(evaluation, engine="lualatex")["main_table_wide.tex"]
    )
    script = {"ar": "Arabic", "he": "Hebrew"}.get(language)
    own = rf"\newfontfamily\auditother{{{family}}}"
    if script:
        own = rf"\newfontfamily\auditarabic{{{family}}}[Script={script}]"
        own += r"\newcommand\auditrtl{\textdir TRT\auditarabic}"
    head = rf"\documentclass{{article}}{LUALATEX}\usepackage{{booktabs}}\usepackage[textwidth=6.3in]{{geometry}}{own}"
    log, text = typeset(
        tmp_path, rf"{head}\begin{{document}}\input{{table}}\end{{document}}", "lualatex"
    )
    assert warnings_in(log) == []
    # an extracted ligature need not be its letters
    classes = {"zh": {"L"}, "ar": {"AL"}, "he": {"R"}}[language]
    assert {unicodedata.bidirectional(letter) for letter in text if not letter.isascii()} >= classes


@PDFTEX
@pytest.mark.parametrize(
    "look_up",
    ["{nobody}{averaged-f1}{score}", "{kingfisher}{f1-damage}{p}", "{kingfisher}{mcc}{x}"],
)
def test_a_number_that_does_not_exist_is_an_error_in_tex(flood, tmp_path, look_up):
    """Of a team, by a metric, or of a kind that is not there: never an empty place in the text."""
    (tmp_path / "numbers.tex").write_bytes(paper_files(flood)["numbers.tex"])
    page = rf"\documentclass{{article}}\begin{{document}}\input{{numbers}}\auditnum{look_up}\end{{document}}"
    with pytest.raises(AssertionError, match="Package audit Error: There is no number"):
        typeset(tmp_path, page, "pdflatex")


def test_keys_of_the_look_ups_are_those_of_the_listing(evaluations):
    """Every team and metric of the campaign has one in numbers.tex."""
    for evaluation in evaluations.values():
        text = paper_files(evaluation, engine="lualatex")["numbers.tex"].decode()
        for keys in (
            unique_keys(evaluation.names),
            unique_keys([str(key) for key in evaluation.keys]),
        ):
            assert all(f"%   {key}: " in text for key in keys)


def test_texlive_is_named_where_it_is_missing():
    """The tests above are skipped with the names of what is not installed."""
    mark = needs("a program that nobody has", "a_package_that_nobody_has.sty", "sh")
    assert mark.args == (True,)
    assert (
        mark.kwargs["reason"]
        == "not installed: a program that nobody has, a_package_that_nobody_has.sty"
    )
    assert shutil.which("sh")
