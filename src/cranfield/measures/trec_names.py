"""The measures of trec_eval in its order, its nicknames, and the meaning of each name.

Decided here: which measures trec_eval's names and groups of names (`official`, `all_trec`) mean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.frozen import frozen
from cranfield.measures.registry import Measure, bound, declared_as
from cranfield.measures.sets import root
from cranfield.settings import ELEVEN_RECALLS
from cranfield.tables.numbers import short_number

Form = Literal["plain", "cutoffs", "levels", "numbers", "gains"]
Format = Literal["", "qrels", "qrels_jg", "prefs"]

_DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@frozen
class Listed:
    """A measure of trec_eval: the declared measure, its parameters, and how it is printed."""

    name: str
    declared: str = ""
    form: Form = "plain"
    default: tuple[float, ...] = ()
    setting: str = ""  # setting of the declared measure for each parameter
    pairs: str = ""  # the preferences that a preference measure counts
    graded: bool = False  # not affected by -l
    needs: Format = "qrels"
    whole: bool = False
    summary_only: bool = False
    new: bool = False  # in 10.0


def _cut(name: str, declared: str, default: tuple[int, ...] = _DEPTHS, graded: bool = False) -> Listed:
    return Listed(name, declared, "cutoffs", default, "k", graded=graded)


def _count(name: str, declared: str, graded: bool = False) -> Listed:
    return Listed(name, declared, graded=graded, whole=True)


def _gained(name: str, declared: str, new: bool = False) -> Listed:
    return Listed(name, declared, "gains", setting="gain", graded=True, new=new)


def _preferred(name: str, declared: str, pairs: str = "all", whole: bool = False) -> Listed:
    return Listed(name, declared, pairs=pairs, graded=True, needs="prefs", whole=whole)


TABLE = (
    Listed("runid", needs="", summary_only=True),
    Listed("num_q", needs="", summary_only=True, whole=True),
    _count("num_ret", "NumRet", graded=True),
    _count("num_rel", "NumRel"),
    _count("num_rel_ret", "NumRelRet"),
    Listed("map", "AP"),
    Listed("gm_map", "GMAP", summary_only=True),
    Listed("Rprec", "Rprec"),
    Listed("bpref", "Bpref"),
    Listed("recip_rank", "RR"),
    Listed("iprec_at_recall", "IPrec", "levels", ELEVEN_RECALLS, "recall"),
    _cut("P", "P"),
    Listed("relstring", "", "numbers", (10.0,), graded=True),
    _cut("recall", "R"),
    Listed("infAP", "infAP"),
    Listed("gm_bpref", "GMBpref", summary_only=True),
    Listed("Rprec_mult", "Rprec", "levels", _MULTIPLES, "multiple"),
    Listed("utility", "Utility", "numbers", (1.0, -1.0, 0.0, 0.0)),
    Listed("11pt_avg", "IAP", "numbers", ELEVEN_RECALLS, "levels"),
    Listed("binG", "BinG"),
    _gained("G", "G"),
    _gained("dcg", "DCG", new=True),
    _gained("ideal_dcg", "IDCG", new=True),
    _gained("ndcg", "nDCG"),
    _gained("ndcg_rel", "NdcgRel"),
    _gained("Rndcg", "Rndcg"),
    _cut("ndcg_cut", "nDCG", graded=True),
    _cut("map_cut", "AP"),
    _cut("relative_P", "RelP"),
    _cut("success", "Success", (1, 5, 10)),
    Listed("set_P", "P"),
    Listed("set_relative_P", "RelP"),
    Listed("set_recall", "R"),
    Listed("set_map", "SetAP"),
    Listed("set_F", "F", "numbers", (1.0,)),
    _count("num_nonrel_judged_ret", "NumNonrelRet"),
    _preferred("prefs_num_prefs_poss", "NumPrefs", whole=True),
    _preferred("prefs_num_prefs_ful", "NumPrefsMet", whole=True),
    _preferred("prefs_num_prefs_ful_ret", "NumPrefsMet", "both", whole=True),
    _preferred("prefs_simp", "Prefs"),
    _preferred("prefs_pair", "PrefPairs"),
    _preferred("prefs_avgjg", "PrefGroups"),
    _preferred("prefs_avgjg_Rnonrel", "PrefGroupsEven"),
    _preferred("prefs_simp_ret", "Prefs", "both"),
    _preferred("prefs_pair_ret", "PrefPairs", "both"),
    _preferred("prefs_avgjg_ret", "PrefGroups", "both"),
    _preferred("prefs_avgjg_Rnonrel_ret", "PrefGroupsEven", "both"),
    _preferred("prefs_simp_imp", "Prefs", "either"),
    _preferred("prefs_pair_imp", "PrefPairs", "either"),
    _preferred("prefs_avgjg_imp", "PrefGroups", "either"),
    Listed("map_avgjg", "AP_JG", needs="qrels_jg"),
    Listed("P_avgjg", "P_JG", "cutoffs", _DEPTHS, "k", needs="qrels_jg"),
    Listed("Rprec_mult_avgjg", "Rprec_JG", "levels", _MULTIPLES, "multiple", needs="qrels_jg"),
    Listed("yaap", "Yaap"),
    Listed("rbp", "RBP", "gains", graded=True, new=True),
    Listed("rbp_resid", "RBPRes", "gains", graded=True, new=True),
    Listed("unj", "Unjudged", "cutoffs", (5, 10, 20), "k", graded=True, new=True),
)

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
_PREFS = (
    "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg"
)

NICKNAMES = {
    "official": _OFFICIAL.split(),
    "set": _SET.split(),
    "all_trec": [
        listed.name
        for listed in TABLE
        if listed.needs in ("", "qrels") and listed.name not in ("dcg", "ideal_dcg", "yaap")
    ],
    "all_prefs": [listed.name for listed in TABLE if listed.needs in ("", "prefs")],
    "prefs": _PREFS.split(),
    "qrels_jg": [listed.name for listed in TABLE if listed.needs in ("", "qrels_jg")],
}


_BY_NAME = {listed.name: listed for listed in TABLE}
_TEXTS = ("runid", "relstring")
_LONGEST_FIRST = "|".join(sorted(map(re.escape, _BY_NAME), key=len, reverse=True))
_WRITTEN = re.compile(rf"(?P<name>{_LONGEST_FIRST})(?:[._](?P<given>[-+0-9.,=ep]+))?")  # trec_eval prints them with _
_WORTH = ("found_relevant", "found_other", "missed", "spared")


def trec_measures(text: str) -> tuple[Measure, ...]:
    """The measures that trec_eval computes for a name such as `ndcg_cut`, `P.5,10`, `ndcg.1=3,2=9` or `official`."""
    if text in NICKNAMES:
        numbers = [name for name in NICKNAMES[text] if name not in _TEXTS]
        return tuple(measure for name in numbers for measure in _measures(_BY_NAME[name], None))
    written = _WRITTEN.fullmatch(text)
    if written is None:
        return ()
    if written["name"] in _TEXTS:
        raise UnknownMeasure(f"{written['name']} is a text, not a number; cranfield trec_eval prints it")
    return _measures(_BY_NAME[written["name"]], written["given"])


def _measures(listed: Listed, parameters: str | None) -> tuple[Measure, ...]:
    declared = declared_as(listed.declared or "NumQ")  # num_q, the only one not computed per topic, is a measure here
    fixed = _FIXED.get(listed.name, {})
    return tuple(bound(declared, fixed | settings) for settings in _settings(listed, parameters))


def _settings(listed: Listed, parameters: str | None) -> list[dict[str, Any]]:
    """The settings of each measure requested by the parameters, or the default ones."""
    if listed.form == "plain":
        if parameters is not None:
            raise BadSetting(f"trec_eval's {listed.name} has no parameters, but got {parameters}")
        return [{"pairs": listed.pairs} if listed.pairs else {}]
    if listed.form == "gains":
        return [_in_pairs(listed, parameters or "")]
    if parameters is None:
        numbers = [short_number(number) for number in listed.default]
    else:
        numbers = [_number(part, listed, parameters) for part in parameters.split(",")]
    if listed.form == "numbers":
        return [_several(listed, numbers)]
    return [{listed.setting: number} for number in numbers]


def _several(listed: Listed, numbers: Sequence[float]) -> dict[str, Any]:
    """The settings of a measure that takes all numbers at once."""
    n_expected = {"utility": 4, "set_F": 1}.get(listed.name, len(numbers))
    if len(numbers) != n_expected:
        raise BadSetting(f"trec_eval's {listed.name} takes {n_expected} numbers, not {len(numbers)}")
    if listed.name == "utility":
        return dict(zip(_WORTH, numbers, strict=True))
    if listed.name == "set_F":
        return {"beta": root(numbers[0])}  # the parameter is beta²
    return {listed.setting: tuple(numbers)}


_FIXED: dict[str, dict[str, Any]] = {  # what a name implies
    "iprec_at_recall": {"rounding": "trec10"},
    "11pt_avg": {"rounding": "trec10"},
    "rbp": {"p": 0.9, "gain": "linear", "top": "query"},
    "rbp_resid": {"p": 0.9, "rule": "trec"},
}


def _in_pairs(listed: Listed, parameters: str) -> dict[str, Any]:
    """The settings in pairs such as `p=0.8,1=3`: p is the persistence, a number is a grade with its gain."""
    settings: dict[str, Any] = {}
    gains: dict[float, float] = {}
    for name, _, value in (pair.partition("=") for pair in parameters.split(",") if parameters):
        if name == "p":
            settings["p"] = _number(value, listed, parameters)
        else:
            gains[_number(name, listed, parameters)] = _number(value, listed, parameters)
    if listed.name == "rbp" and gains:
        raise BadSetting(
            f"trec_eval rescales the gains of rbp.{parameters} in each topic: use cranfield trec_eval, or "
            f"RBP(gain={gains}), which divides by the largest gain"
        )
    return settings | ({"gain": gains} if gains else {})


def _number(text: str, listed: Listed, parameters: str) -> float:
    try:
        return short_number(float(text))
    except ValueError:
        form = "pairs such as 1=3,2=9" if listed.form == "gains" else "numbers such as 5,10"
        raise BadSetting(f"trec_eval's {listed.name} takes {form}, not {parameters}") from None
