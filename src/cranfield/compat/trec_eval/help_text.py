"""The text of `trec_eval -h`: the options, the file formats, and the requested measures."""

from __future__ import annotations

from cranfield.compat.trec_eval.getopt import Options
from cranfield.compat.trec_eval.versions import VERSIONS
from cranfield.measures.registry import declarations
from cranfield.measures.trec_names import NICKNAMES, TABLE, Listed

_RULE = "\n-----------------------\n"

_OPTIONS = f"""\
trec_eval [options] rel_info_file results_file

Evaluates the rankings in results_file against the judgments in rel_info_file:
over all topics, and with -q for each topic. If results_file is -, it is read
from standard input.

 -q  --query_eval_wanted           print the values of each topic as well
 -n  --nosummary                   do not print the values over all topics
 -m  --measure NAME[.PARAMETERS]   a measure, or one of these sets of measures:
                                   {", ".join(NICKNAMES)}
                                   (may be repeated; default: official)
 -c  --complete_rel_info_wanted    average over all topics of rel_info_file;
                                   missing topics score 0
 -l  --level_for_rel N             relevant at grade N or higher (1)
 -M  --Max_retrieved_per_topic N   evaluate only the first N documents
 -J  --Judged_docs_only            remove unjudged documents from rankings
 -N  --Number_docs_in_coll N       documents in the collection, for utility (0)
 -Z  --Zscore FILE                 print z-scores relative to other runs; FILE
                                   has lines with topic, measure, mean and
                                   standard deviation
 -R  --Rel_info_format FORMAT      qrels, qrels_jg, prefs or qrels_prefs
 -T  --Results_format FORMAT       trec_results
 -D  --Debug_level N[.TOPIC]       evaluate only this topic
 -o                                (has no effect)
 -v  --version                     print the version and exit
 -h  --help                        print this help and exit
     --compat VERSION              emulate a version: {", ".join(VERSIONS)}"""

_RUN = """\
results_file: one line per document, fields separated by blanks
   topic  Q0  document  rank  score  run
Documents are ranked by score; ties are broken by document id, in descending
order (with preferences, in ascending order). The rank and the second field are
ignored, and so are blank lines and lines that begin with #."""

_JUDGMENTS = {
    "qrels": """\
qrels: one line per judgment
   topic  iteration  document  grade
The grade is an integer; a negative one means that the document was pooled but
not judged. The iteration is ignored.""",
    "qrels_jg": """\
qrels_jg: as qrels, with the judgment group in the second field: measures of
this format are means over the groups of a topic.""",
    "prefs": """\
prefs: one line per judgment
   topic  group  subgroup  document  level
Of two documents in a subgroup, the one with the higher level is preferred.
Preferences within a group are transitive across its subgroups; groups may
disagree. A level of 0 is not relevant.""",
    "qrels_prefs": """\
qrels_prefs: qrels read as preferences, with the group in the second field.""",
}


def help_text(chosen: Options) -> bytes:
    """The help on the options, the chosen formats and the requested measures."""
    parts = [_OPTIONS]
    if chosen.results_format == "trec_results":
        parts.append(_RUN)
    if chosen.rel_format in _JUDGMENTS:
        parts.append(_JUDGMENTS[chosen.rel_format])
    described = [_explained(listed) for listed in TABLE if listed.name in chosen.measures]
    parts.append("Measures\n" + ("\n".join(described) or "   (measures requested with -m are described here)"))
    return (_RULE.join(parts) + "\n").encode()


def _explained(listed: Listed) -> str:
    definition = declarations()[listed.declared].definition if listed.declared else _PLAIN[listed.name]
    default = ",".join(f"{number:g}" for number in listed.default)
    return f"{listed.name}\n    {definition}" + (f"\n    Parameters: {default}" if default else "")


_PLAIN = {
    "runid": "Name of the run: the sixth field of the last line.",
    "num_q": "Number of topics that are averaged.",
    "relstring": "Grades of the first documents, one character each: - not in the pool, . not judged, > above 9.",
}
