"""The page of other tools' names: each is looked up in the catalogue, so that the page says what cranfield computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple, get_args

from cranfield.advice.measures import KINDS
from cranfield.measures.declaration import Kind
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, declarations
from cranfield.measures.trec_names import NICKNAMES, TABLE
from cranfield.present.formats import markdown
from cranfield.present.table import Column, Table, row

HEAD = """\
# Names in other tools

<!-- written by python -m tools.docs.generate: change the code, not this page -->

Every name in the left columns is accepted wherever a measure can be given, and stands for the measure next to it; a
test compares the values with those of the tools. [How to move from another tool](../howto/migrate.md) describes other
differences.
"""

RANX = ("hits@10", "hit_rate@10", "precision@10", "recall@10", "f1@10", "r-precision", "bpref", "mrr", "mrr@10", "map",
        "map@10", "dcg@10", "dcg_burges@10", "ndcg", "ndcg@10", "ndcg_burges@10", "precision@10-l2")  # fmt: skip
IR_MEASURES = (
    "AP", "AP(rel=2)@10", "Accuracy", "BPM(max_rel=3)@10", "Bpref", "Compat(p=0.9)", "ERR@10", "INSQ(max_rel=3)",
    "INST(max_rel=3)", "IPrec@0.2", "Judged@10", "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10",
    "NERR10(max_rel=3, p=0.9)", "NERR11(max_rel=3, T=1.0)", "NumQ", "NumRel", "NumRelRet", "NumRet", "P@10",
    "P(rel=2)@5", "R@100", "RBP(p=0.8, rel=1)", "RR", "RR@10", "Rprec", "SDCG(max_rel=3)@10", "SetAP", "SetF",
    "SetF(beta=2.0)", "SetP", "SetR", "Success@10", "infAP", "nDCG", "nDCG@10", "nDCG(judged_only=True)@10",
)  # fmt: skip
NDEVAL = ("alpha-DCG@10", "alpha-nDCG@10", "ERR-IA@10", "nERR-IA@10", "NRBP", "nNRBP", "MAP-IA", "P-IA@10", "strec@10")
RECBOLE = ("itemcoverage@10", "averagepopularity@10", "giniindex@10")


class Function(NamedTuple):
    """A function of another library, the kind of measure, and the settings or the option that make it the same."""

    name: str
    kind: Kind
    note: str = ""


_AVERAGE = 'labels such as 1 and 2: 1 is positive, as pos_label=1; average="macro", "micro", … is --average'
_OUTPUTS = 'several outputs: their mean, as multioutput="uniform_average"'
SCIKIT_LEARN = (
    Function("accuracy_score", "binary"),
    Function("balanced_accuracy_score", "binary"),
    Function("precision_score", "binary", _AVERAGE),
    Function("recall_score", "binary", _AVERAGE),
    Function("f1_score", "binary", _AVERAGE),
    Function("jaccard_score", "binary", _AVERAGE),
    Function("matthews_corrcoef", "binary"),
    Function("cohen_kappa_score", "binary"),
    Function("rand_score", "classes"),
    Function("adjusted_rand_score", "classes"),
    Function("fowlkes_mallows_score", "classes"),
    Function("mutual_info_score", "classes"),
    Function("normalized_mutual_info_score", "classes", 'average_method="min" is mean="min"'),
    Function("adjusted_mutual_info_score", "classes", 'average_method="min" is mean="min"'),
    Function("homogeneity_score", "classes"),
    Function("completeness_score", "classes"),
    Function("v_measure_score", "classes"),
    Function("hamming_loss", "binary", "of multilabel data"),
    Function("coverage_error", "binary", "of multilabel scores"),
    Function("label_ranking_average_precision_score", "binary", "of multilabel scores"),
    Function("label_ranking_loss", "binary", "of multilabel scores"),
    Function("roc_auc_score", "binary", 'several classes: one-vs-rest, as multi_class="ovr"'),
    Function("average_precision_score", "binary", "labels such as 1 and 2: 1 is positive, as pos_label=1"),
    Function("log_loss", "binary", "needs --probability"),
    Function("brier_score_loss", "binary", "needs --probability"),
    Function("d2_log_loss_score", "binary", "needs --probability"),
    Function("d2_brier_score", "binary", "needs --probability"),
    Function(
        "top_k_accuracy_score",
        "classes",
        "scores or probabilities of each class; k=3 is @3; tied classes count in their order, there in reverse",
    ),
    Function("hinge_loss", "binary", "scores, or scores of each class"),
    Function("mean_squared_error", "values", _OUTPUTS),
    Function("root_mean_squared_error", "values"),
    Function("mean_absolute_error", "values"),
    Function("median_absolute_error", "values"),
    Function("max_error", "values"),
    Function("mean_absolute_percentage_error", "values"),
    Function("r2_score", "values", 'multioutput="variance_weighted" is --average variance'),
    Function("explained_variance_score", "values"),
    Function("mean_squared_log_error", "values"),
    Function("root_mean_squared_log_error", "values"),
    Function("mean_pinball_loss", "values", "alpha=0.9 is quantile=0.9"),
    Function("mean_poisson_deviance", "values"),
    Function("mean_gamma_deviance", "values"),
    Function("mean_tweedie_deviance", "values"),
    Function("d2_absolute_error_score", "values"),
    Function("d2_pinball_score", "values", "alpha=0.9 is quantile=0.9"),
    Function("d2_tweedie_score", "values"),
)


PROPERSCORING = (
    Function("crps_ensemble", "forecasts", "samples; mean over items"),
    Function("crps_gaussian", "forecasts", "predicted mean and standard deviation; mean over items"),
)


NUGGETIZER = tuple(
    Function(name, "answers") for name in ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
)


_EXPOSURE = "expeval, for one ranking per query, with the user model rbp"
_NUGGETS = "no other tool: a formula of the TREC question answering track"
_CITATIONS = "no other tool: a formula of the TREC RAG track, whose scripts judge the citations"
COMPUTED_ELSEWHERE: MappingProxyType[tuple[Kind, str], str] = MappingProxyType(
    {
        (
            "ranking",
            "AWRF",
        ): "the TREC Fair Ranking Track 2021 with divergence='js-nats'; FairRankTune's AWRF is another "
        "measure: it compares the mean attention of the groups",
        ("ranking", "EE_L"): _EXPOSURE,
        ("ranking", "EE_D"): _EXPOSURE,
        ("ranking", "EE_R"): _EXPOSURE,
        ("ranking", "URisk"): "gdeval 1.3 with -baseline and -riskAlpha: of=nDCG(gain='exp2')@20 and its alpha",
        ("ranking", "Novelty"): "RecTools: MeanInvUserFreq, with users= the number of users",
        ("ranking", "ILD"): "RecTools: IntraListDiversity, with any distance",
        ("ranking", "Serendipity"): "RecTools and others use the name for other formulas",
        ("ranking", "APLT"): "Elliot: APLT, with another choice of the long tail",
        ("ranking", "ItemEntropy"): "Elliot: SEntropy",
        ("binary", "AUPR"): "scikit-learn: auc(recall, precision) of its precision_recall_curve",
        ("binary", "LRplus"): "scikit-learn: class_likelihood_ratios",
        ("binary", "LRminus"): "scikit-learn: class_likelihood_ratios",
        (
            "binary",
            "PartialAUC",
        ): "scikit-learn: roc_auc_score with max_fpr; pROC: partial.auc with partial.auc.correct",
        ("classes", "OneVsOneAUC"): 'scikit-learn: roc_auc_score with multi_class="ovo"; pROC: multiclass.roc',
        ("classes", "BCubedPrecision"): "bcubed: precision",
        ("classes", "BCubedRecall"): "bcubed: recall",
        ("classes", "BCubedF"): "bcubed: fscore",
        ("forecasts", "WIS"): "scoringutils: wis; yardstick: weighted_interval_score",
        ("forecasts", "IntervalScore"): "scoringrules: interval_score; scoringutils: interval_score with weigh = FALSE",
        ("forecasts", "Pinball"): "scoringrules: quantile_score",
        ("answers", "NuggetPrecision"): _NUGGETS,
        ("answers", "NuggetF"): _NUGGETS,
        ("answers", "CitationPrecision"): _CITATIONS,
        ("answers", "CitationRecall"): _CITATIONS,
        ("answers", "CitationF"): _CITATIONS,
        ("ratings", "Kappa"): "scikit-learn: cohen_kappa_score",
        ("ratings", "Fleiss"): "statsmodels: fleiss_kappa",
        ("ratings", "Alpha"): "krippendorff: alpha",
    }
)


class Tool(NamedTuple):
    """A tool, where its names are used, and the names with the measures they stand for and notes."""

    name: str
    use: str
    rows: Sequence[tuple[str, Measure, str]]


def tools() -> Iterator[Tool]:
    """Every tool with its names."""
    yield Tool("trec_eval", "`cranfield eval`, `evaluate`", list(_trec_eval()))
    yield Tool("ir_measures", "`cranfield eval`, `evaluate`", [(name, parse(name), "") for name in IR_MEASURES])
    yield Tool("ranx", "`cranfield eval`, `evaluate`", [(name, parse(name), "") for name in RANX])
    of_aspects = [(name, parse(name), "") for name in NDEVAL]
    yield Tool("ndeval", "`cranfield eval`, `evaluate`, with judgments of aspects", of_aspects)
    of_items = [(name, parse(name), "needs --item-info") for name in RECBOLE]
    yield Tool("RecBole", "`cranfield eval`, `evaluate`; compared with its formulas, not with the program", of_items)
    yield Tool("scikit-learn", "`cranfield classify` and `regress`", _functions(SCIKIT_LEARN))
    yield Tool("properscoring", "`cranfield regress`", _functions(PROPERSCORING))
    yield Tool("nuggetizer", "`cranfield answers`, `evaluate_answers`", _functions(NUGGETIZER))


def _functions(functions: Sequence[Function]) -> list[tuple[str, Measure, str]]:
    return [(one.name, parse(one.name, one.kind), one.note) for one in functions]


def _trec_eval() -> Iterator[tuple[str, Measure, str]]:
    for listed in TABLE:
        if listed.declared or listed.name == "num_q":
            notes = ("new in 10.0" if listed.new else "", _JUDGMENTS.get(listed.needs, ""))
            name = listed.name + _FORMS.get(listed.form, "").format(*listed.default[:1])
            yield name, parse(name), "; ".join(filter(None, notes))


_JUDGMENTS = {"prefs": "needs preferences: --judgments prefs", "qrels_jg": "needs judgment groups"}
_FORMS = {"cutoffs": "_{:.0f}", "levels": "_{:.2f}"}


@cache
def elsewhere() -> dict[tuple[Kind, str], list[str]]:
    """The names in other tools of each measure, by kind and name."""
    names: dict[tuple[Kind, str], list[str]] = {}
    for tool in tools():
        for name, measure, _ in tool.rows:
            names.setdefault((measure.kind, measure.name), []).append(f"{name} in {tool.name}")
    return names


def computed_by(kind: Kind, name: str) -> str:
    """The tools that also compute a measure, and under which name."""
    names = elsewhere()
    same = names.get((kind, name)) or names.get(("binary", name) if kind == "classes" else (kind, name), [])
    return ", ".join(same) or COMPUTED_ELSEWHERE.get((kind, name), _NONE)


def page() -> str:
    """One table per tool."""
    sections = (f"\n## {tool.name}\n\nIn {tool.use}.\n\n{_table(tool)}" for tool in tools())
    trec_eval, *others = sections
    return "".join([HEAD, trec_eval, _nicknames(), *others, _others(), _refused()])


def without_name() -> list[tuple[Kind, str]]:
    """The measures that no name of the tools above stands for, by kind."""
    named = set(elsewhere())
    named |= {("classes", name) for kind, name in named if kind == "binary"}  # scikit-learn's functions take both
    return [(kind, name) for kind in KINDS for name in declarations(kind) if (kind, name) not in named]


def _others() -> str:
    """All other measures of the catalogue, with tools that compute them."""
    rows = tuple(row(KINDS[one[0]], one[1], COMPUTED_ELSEWHERE.get(one, _NONE)) for one in without_name())
    columns = (Column("for"), Column("cranfield"), Column("other tools"))
    return f"\n## Other measures\n\n{_OTHERS}\n{markdown(Table(columns, rows))}"


_NONE = "none known"
_OTHERS = """\
No name above stands for these measures. Tests compare them with their formulas, each written a second time from the
cited paper; the names of other tools in this table are not accepted.
"""


def _table(tool: Tool) -> str:
    noted = any(note for *_, note in tool.rows)
    rows = tuple(row(name, str(measure), *[note][:noted]) for name, measure, note in tool.rows)
    return markdown(Table((Column(tool.name), Column("cranfield"), *[Column("note")][:noted]), rows))


def _refused() -> str:
    """The names of other tools that cranfield knows and does not take, and why."""
    known = {
        alias.pattern: alias.refused
        for kind in get_args(Kind)
        for declared in declarations(kind).values()
        for alias in declared.aliases
        if alias.refused
    }
    rows = tuple(row(name, why) for name, why in known.items())
    lead = "These names mean something that no one measure here means. They are refused, with what to use instead."
    return f"\n## Refused names\n\n{lead}\n\n{markdown(Table((Column('name'), Column('why')), rows))}"


def _nicknames() -> str:
    listed = ", ".join(f"`{name}`" for name in NICKNAMES)
    return (
        "\ntrec_eval's names may have other numbers, several of them (`P.5,10`), or none: then they stand for its\n"
        "default cutoffs, except that `P` and `recall` alone are precision and recall of all that was retrieved. Its\n"
        f"nicknames stand for the same lists of measures as there: {listed}.\n"
    )
