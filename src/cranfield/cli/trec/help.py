"""What `trec_eval -h` says: the options, the formats of the files, and the measures asked for."""

from __future__ import annotations

from cranfield.cli.trec.options import Options
from cranfield.cli.trec.versions import VERSIONS
from cranfield.measures.trec_names import NICKNAMES, TABLE, Listed
from cranfield.registry import families

_RULE = "\n-----------------------\n"

_OPTIONS = f"""\
trec_eval [options] rel_info_file results_file

Prints measures of how well the rankings in results_file put what rel_info_file
says is relevant first: for all topics, and with -q for each. If results_file
is -, it is read from standard input.

 -q  --query_eval_wanted           a line for each measure and topic too
 -n  --nosummary                   no lines for all topics
 -m  --measure NAME[.PARAMETERS]   a measure, or one of these sets of measures:
                                   {", ".join(NICKNAMES)}
                                   (may be given again; official if it is not)
 -c  --complete_rel_info_wanted    average over all topics of rel_info_file;
                                   one without an answer counts 0
 -l  --level_for_rel N             the lowest grade that is relevant (1)
 -M  --Max_retrieved_per_topic N   look only at the first N of each ranking
 -J  --Judged_docs_only            leave unjudged documents out of the rankings
 -N  --Number_docs_in_coll N       documents in the collection, for utility (0)
 -Z  --Zscore FILE                 print how far from the mean of other runs a
                                   value is, in standard deviations; FILE has
                                   lines of topic, measure, mean, deviation
 -R  --Rel_info_format FORMAT      qrels, qrels_jg, prefs or qrels_prefs
 -T  --Results_format FORMAT       trec_results
 -D  --Debug_level N[.TOPIC]       evaluate only this topic
 -o                                (no longer does anything)
 -v  --version                     print the version and end
 -h  --help                        print this and end
     --compat VERSION              the version to be: {", ".join(VERSIONS)}"""

_RUN = """\
results_file: a line a document, its fields apart by blanks
   topic  Q0  document  rank  score  run
Documents are ranked by score; those with the same score by name, the last one
first (with preferences the first one first). Rank and second field mean nothing.
Blank lines and those that begin with # are passed over."""

_JUDGMENTS = {
    "qrels": """\
qrels: a line a judgment
   topic  iteration  document  grade
The grade is a whole number; a negative one says that the document was pooled
and not judged. The iteration means nothing.""",
    "qrels_jg": """\
qrels_jg: as qrels, the second field naming the group that judged: measures
of this format are means over the groups of a topic.""",
    "prefs": """\
prefs: a line a judgment
   topic  group  subgroup  document  level
Of two documents in a subgroup the one with the higher level is preferred. What
follows from several subgroups of a group is preferred too. Groups may disagree.
A level of 0 is not relevant.""",
    "qrels_prefs": """\
qrels_prefs: qrels taken for preferences, the second field naming the group.""",
}


def help_text(asked: Options) -> bytes:
    """The help for the options, the formats chosen and the measures asked for."""
    parts = [_OPTIONS]
    if asked.results_format == "trec_results":
        parts.append(_RUN)
    if asked.rel_format in _JUDGMENTS:
        parts.append(_JUDGMENTS[asked.rel_format])
    wanted = [_explained(listed) for listed in TABLE if listed.name in asked.measures]
    parts.append("Measures\n" + ("\n".join(wanted) or "   (those named with -m are explained here)"))
    return (_RULE.join(parts) + "\n").encode()


def _explained(listed: Listed) -> str:
    definition = families()[listed.declared].definition if listed.declared else _PLAIN[listed.name]
    default = ",".join(f"{number:g}" for number in listed.default)
    return f"{listed.name}\n    {definition}" + (f"\n    Parameters: {default}" if default else "")


_PLAIN = {
    "runid": "Name of the run: the last field but those after it of the last line.",
    "num_q": "Number of topics averaged over.",
    "relstring": "Grades of the first documents, a character each: - not in the pool, . not judged, > above 9.",
}
