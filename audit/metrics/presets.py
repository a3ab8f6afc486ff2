"""The registry of presets: which reading a known scorer computes, by its own source."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from audit.domain import LabelSet, Named, Reading
from audit.errors import MetricNameError
from audit.metrics.names import parse_reading
from audit.metrics.registry import METRICS


@dataclass(frozen=True)
class Preset:
    """The metric that one known scorer computes."""

    slug: str  # the name of the preset here
    title: str  # the scorer, and the call or the line of its output
    signature: str  # the reading, as :func:`audit.metrics.parse_reading` takes it
    rule: str  # the scorer's rule in a sentence, as its source has it
    used_by: str  # who takes this scorer, or is known to compute the same
    source: str  # the place where the rule stands

    def reading(self, label_set: LabelSet) -> Reading | None:
        """The reading for a task; None where the task lacks a label that the scorer names.

        A scorer that is told of no rest class averages over it like over any other.
        """
        try:
            parsed = parse_reading(self.signature, label_set)
        except MetricNameError:
            return None
        if label_set.rest is None or parsed.brackets or not METRICS[parsed.slug].averages:
            return parsed
        if METRICS[parsed.slug].takes == "classes":
            return replace(parsed, named=Named.WITH_REST)
        return None

    @property
    def labels(self) -> LabelSet:
        """A label set that the signature can be read with: the labels that it names, or any."""
        _, bracket, rest = self.signature.partition("[")
        if bracket:
            return LabelSet(tuple(rest.rstrip("]").split(",")))
        return LabelSet(("a", "b"))


_SKLEARN = "https://scikit-learn.org/stable/modules/generated/sklearn.metrics."
_TORCHMETRICS = (
    "https://github.com/Lightning-AI/torchmetrics/blob/master/src/torchmetrics/utilities/compute.py"
)
_PYCM = "https://github.com/sepandhaghighi/pycm/blob/master/pycm/overall_funcs.py"
_PYEVALL = "https://github.com/UNEDLENAR/PyEvALL/blob/main/pyevall/metrics/metrics.py"
_WEKA = "https://github.com/Waikato/weka-3.8/blob/master/weka/src/main/java/weka/classifiers/evaluation/Evaluation.java"

_PRESETS = (
    Preset(
        "scikit-learn-f1-macro",
        'scikit-learn: f1_score(average="macro")',
        "averaged_f1(union-per-team)",
        "The mean of the class F1s over the labels that occur in the gold or in this submission; a class F1 is "
        "2·correct/(bias + prevalence), which over these labels is always defined.",
        "most Python evaluations; also classification_report, Hugging Face evaluate, spaCy’s and AllenNLP’s users",
        f"{_SKLEARN}f1_score.html",
    ),
    Preset(
        "scikit-learn-f1-macro-labels",
        'scikit-learn: f1_score(average="macro", labels=the label set)',
        "averaged_f1(declared)",
        "The mean over the labels given; a class that is neither in gold nor predicted has F1 0 (zero_division).",
        "evaluations with a fixed label set",
        f"{_SKLEARN}f1_score.html",
    ),
    Preset(
        "scikit-learn-f1-macro-zero-division-1",
        'scikit-learn: f1_score(average="macro", labels=the label set, zero_division=1)',
        "averaged_f1(declared,undefined=1)",
        "As with labels, but a class that is neither in gold nor predicted has F1 1.",
        "evaluations that silence the warning about zero division with 1",
        f"{_SKLEARN}f1_score.html",
    ),
    Preset(
        "scikit-learn-f1-macro-zero-division-nan",
        'scikit-learn: f1_score(average="macro", labels=the label set, zero_division=nan)',
        "averaged_f1(declared,undefined=dropped)",
        "As with labels, but a class that is neither in gold nor predicted joins no average.",
        "scikit-learn from 1.3 on",
        f"{_SKLEARN}f1_score.html",
    ),
    Preset(
        "scikit-learn-precision-macro",
        'scikit-learn: precision_score(average="macro")',
        "macro_precision(union-per-team)",
        "The mean of the class precisions over the labels in the gold or in this submission; 0 for a class never "
        "predicted.",
        "most Python evaluations",
        f"{_SKLEARN}precision_score.html",
    ),
    Preset(
        "scikit-learn-precision-macro-zero-division-1",
        'scikit-learn: precision_score(average="macro", zero_division=1)',
        "macro_precision(union-per-team,undefined=1)",
        "The same, but 1 for a class never predicted: a constant predictor gains.",
        "evaluations that silence the warning about zero division with 1",
        f"{_SKLEARN}precision_score.html",
    ),
    Preset(
        "scikit-learn-recall-macro",
        'scikit-learn: recall_score(average="macro")',
        "macro_recall(union-per-team)",
        "The mean of the class recalls over the labels in the gold or in this submission; 0 for a class without gold.",
        "most Python evaluations",
        f"{_SKLEARN}recall_score.html",
    ),
    Preset(
        "scikit-learn-balanced-accuracy",
        "scikit-learn: balanced_accuracy_score",
        "macro_recall",
        "The mean of the class recalls over the classes in gold; a predicted class without gold only draws a warning.",
        "AvgRec of SemEval-2017 task 4, where gold has every class",
        f"{_SKLEARN}balanced_accuracy_score.html",
    ),
    Preset(
        "torchmetrics-f1-macro",
        'torchmetrics: MulticlassF1Score(average="macro")',
        "averaged_f1(union-per-team)",
        "Every class counts whose correct, wrongly predicted or missed items are more than 0; divisions by 0 give 0.",
        "PyTorch evaluations",
        _TORCHMETRICS,
    ),
    Preset(
        "torchmetrics-accuracy-macro",
        'torchmetrics: MulticlassAccuracy(average="macro"), the default average',
        "macro_recall(union-per-team)",
        "The mean of the class recalls over the same classes: a predicted class without gold adds a recall of 0, so "
        "this is not balanced accuracy.",
        "PyTorch evaluations",
        _TORCHMETRICS,
    ),
    Preset(
        "pycm-f1-macro",
        "PyCM: F1_Macro",
        "averaged_f1(union-per-team,undefined=whole)",
        "The mean of the class F1s over the labels in the gold or in the predictions, “None” if any of them is; class "
        "F1 is computed from counts, so that over these labels none is.",
        "PyCM",
        _PYCM,
    ),
    Preset(
        "pycm-precision-macro",
        "PyCM: PPV_Macro",
        "macro_precision(union-per-team,undefined=whole)",
        "The mean of the class precisions, “None” as soon as a class is never predicted.",
        "PyCM",
        _PYCM,
    ),
    Preset(
        "pycm-recall-macro",
        "PyCM: TPR_Macro",
        "macro_recall(union-per-team,undefined=whole)",
        "The mean of the class recalls, “None” as soon as a predicted class has no gold.",
        "PyCM",
        _PYCM,
    ),
    Preset(
        "seqeval-f1-macro",
        'seqeval: f1_score(average="macro")',
        "averaged_f1(union-per-team,all-but)[O]",
        "The mean over the entity types in the gold or in the predictions; O is no type. (Exact where an entity is one "
        "token.)",
        "sequence labelling",
        "https://github.com/chakki-works/seqeval/blob/master/seqeval/metrics/sequence_labeling.py",
    ),
    Preset(
        "pyevall-f1",
        "PyEvALL: FMeasure",
        "averaged_f1",
        "The mean over the classes in gold; 0 for a class never predicted or without a correct item.",
        "EXIST and other tasks at CLEF and IberLEF",
        _PYEVALL,
    ),
    Preset(
        "pyevall-precision",
        "PyEvALL: Precision",
        "macro_precision(undefined=dropped)",
        "The mean over those classes in gold that were predicted at all: a class never predicted is skipped, so a "
        "submission gains by never predicting a hard class.",
        "EXIST and other tasks at CLEF and IberLEF",
        _PYEVALL,
    ),
    Preset(
        "yardstick-f-macro",
        'yardstick: f_meas(estimator = "macro")',
        "averaged_f1(declared,undefined=dropped,f1-undefined=one-sided,missing=dropped)",
        "The mean over the factor levels; a class F1 is NA where precision or recall is, and NA is removed from the "
        "mean; precision and recall 0 give 0; missing answers are removed first.",
        "tidymodels (three or more classes; with two it is the F1 of the first)",
        "https://github.com/tidymodels/yardstick/blob/main/R/class-f_meas.R",
    ),
    Preset(
        "caret-mean-f1",
        "caret: multiClassSummary, Mean_F1",
        "averaged_f1(declared,undefined=whole,f1-undefined=none-correct,missing=dropped)",
        "The mean over the factor levels of 2PR/(P + R), which is NaN where P or R is undefined or both are 0; one NaN "
        "makes the mean NaN; table() leaves out missing answers.",
        "caret (three or more classes; with two it is the F1 of the first)",
        "https://github.com/topepo/caret/blob/master/pkg/caret/R/postResample.R",
    ),
    Preset(
        "weka-3.6-macro-f",
        "Weka 3.6 and 3.7: unweightedMacroFmeasure",
        "averaged_f1",
        "The mean over the classes with gold items; precision is 0 for a class never predicted.",
        "Weka, MEKA and what builds on them",
        "https://svn.cms.waikato.ac.nz/svn/weka/branches/stable-3-6/weka/src/main/java/weka/classifiers/Evaluation.java",
    ),
    Preset(
        "weka-3.8-macro-f",
        "Weka 3.8: unweightedMacroFmeasure",
        "averaged_f1(undefined=whole,f1-undefined=one-sided)",
        "The mean over the classes with gold items; precision is NaN for a class never predicted, and with it the "
        "class’s F measure and the mean.",
        "Weka",
        _WEKA,
    ),
    Preset(
        "germeval-2018",
        "GermEval 2018: evaluationScriptGermeval2018.pl, AVERAGE fscore",
        "f1_of_averages(declared)",
        "The F1 of average precision and average recall over the labels of the task, 0 where a denominator is 0; "
        "printed as percentages rounded half up to two decimals.",
        "GermEval 2018 and 2019 task 2",
        "https://github.com/uds-lsv/GermEval-2018-Data/blob/master/evaluationScriptGermeval2018.pl",
    ),
    Preset(
        "germeval-2021",
        "GermEval 2021: evaluate.py, Sub1_F1",
        "f1_of_averages(union-per-team)",
        "The F1 of the macro precision and macro recall that scikit-learn’s classification_report gives; 0 where their "
        "sum is.",
        "GermEval 2021",
        "https://github.com/germeval2021toxic/SharedTask/blob/main/evaluate.py",
    ),
    Preset(
        "semeval-2010-task-8",
        "SemEval-2010 task 8: scorer, MACRO-averaged F1 (excluding Other)",
        "averaged_f1(all-but)[Other]",
        "The mean of the relations’ F1s over the relations in the answer key but Other; 0 where a denominator is 0. "
        "(The official line also merges the two directions of a relation.)",
        "relation classification",
        "https://github.com/vzhong/semeval/blob/master/dataset/SemEval2010_task8_scorer-v1.2/"
        "semeval2010_task8_scorer-v1.2.pl",
    ),
    Preset(
        "semeval-2013-2016-sentiment",
        "SemEval-2013 task 2, 2014 task 9, 2015 task 10, 2016 task 4: OVERALL SCORE",
        "averaged_f1(declared)[negative,positive]",
        "Half the sum of the F1s of positive and negative; neutral counts only through the errors it makes; 0 where a "
        "denominator is 0.",
        "sentiment in Twitter, 2013–2016",
        "http://alt.qcri.org/semeval2016/task4/, score-semeval2016-task4-subtaskA.pl",
    ),
    Preset(
        "semeval-2016-task-6",
        "SemEval-2016 task 6: eval.pl, Macro F",
        "averaged_f1(declared)[AGAINST,FAVOR]",
        "Half the sum of the F1s of FAVOR and AGAINST; 0 where a denominator is 0.",
        "stance detection",
        "http://alt.qcri.org/semeval2016/task6/, eval.pl",
    ),
    Preset(
        "semeval-2016-task-3-f1",
        "SemEval-2016 task 3: scorer, F1 of “true”",
        "f1(missing=dropped)[true]",
        "The F1 of the class “true” on the items that the submission answers; the others are left out of gold.",
        "community question answering",
        "http://alt.qcri.org/semeval2016/task3/, semeval2016_task3_submissions_and_scores",
    ),
    Preset(
        "semeval-2018-task-2",
        "SemEval-2018 task 2: scorer_semeval18.py, Macro F-Score (official)",
        "averaged_f1",
        "The sum of the class F1s over the number of classes in gold; 0 for a class never predicted.",
        "emoji prediction",
        "https://github.com/fvancesco/Semeval2018-Task2-Emoji-Detection/blob/master/tools/evaluation%20script/"
        "scorer_semeval18.py",
    ),
)

# every preset, by slug
PRESETS: Mapping[str, Preset] = {preset.slug: preset for preset in _PRESETS}
