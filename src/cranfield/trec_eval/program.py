"""An evaluation in trec_eval's order (files, measures, topics, summary), up to the first error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.measures.registry import declarations
from cranfield.measures.trec_names import NICKNAMES, TABLE, Listed
from cranfield.tables.names import decode
from cranfield.trec_eval.aggregates import Setting, lines
from cranfield.trec_eval.columns import Column, columns
from cranfield.trec_eval.conventions import VERSIONS, Quit
from cranfield.trec_eval.files import Means, Ran, Read, read_judgments, read_means, read_run
from cranfield.trec_eval.options import Options, options
from cranfield.trec_eval.output import Line, per_topic, summary
from cranfield.trec_eval.topics import Topics

_WRONG_FORMAT = {
    "qrels": "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n",
    "qrels_jg": "trec_eval: rel_info format not qrels_jg or results format not trec_results\n",
    "prefs": "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) "
    "or results format not trec_results\n",
}
_REPEATED = {
    "qrels": "trec_eval.form_res_rels: duplicate docs {}\n",
    "prefs": "trec_eval.form_prefs_counts: doc '{}' occurs with different rel_level in same jsg\n",
}


def evaluated(arguments: Sequence[str]) -> Iterator[bytes]:
    """The output of trec_eval for these arguments, in parts, up to the first error."""
    chosen = options(arguments)
    if chosen.help:
        yield help_text(chosen)
        return
    judged = read_judgments(chosen.files[0], chosen.rel_format, chosen.version)
    ran = read_run(chosen.files[1], judged.judged, chosen)
    means = None if chosen.zscores is None else read_means(chosen.zscores)
    chosen.measures = chosen.measures or set(NICKNAMES["official"])
    yield from Evaluation(chosen, columns(chosen), judged, ran, means).printed()


@frozen
class Evaluation:
    """The topics of a run in their order, up to the first that cannot be evaluated."""

    options: Options
    columns: list[Column]
    judged: Read
    ran: Ran
    means: Means | None

    def printed(self) -> Iterator[bytes]:
        """The lines of the topics, then the summary."""
        places, end = self._until_refused(*self._until_missing(self._places()))
        topics, made, end = self._until_contradicted(places, end)
        if self.options.per_query:
            yield from per_topic(topics.judged.queries.tolist(), made)
        if end is not None:
            raise end
        if not len(topics):
            raise Quit("trec_eval: No queries with both results and relevance info\n", 7)
        if self.options.summary:
            yield from summary(made)

    @cached_property
    def topics(self) -> Topics:
        """All judged topics, with rankings truncated at the evaluated depth."""
        every = Topics(self.judged.judged, self.ran.judged_ranks, self.options.judged_only)
        if self.options.version.newer and self.options.complete:
            every = every.answered()
        return every if self.options.depth is None else every.truncated(max(self.options.depth, 0))

    def _places(self) -> Ints:
        """The topics to evaluate: all of them, those in the run, or the one given by -D."""
        topics = np.array(self.judged.judged.queries.tolist(), object)
        evaluated = np.ones(len(topics), np.bool_) if self.options.query is None else topics == self.options.query
        return np.flatnonzero(evaluated if self.options.version.newer else evaluated & self.ran.judged_ranks.answered)

    def _until_missing(self, places: Ints) -> tuple[Ints, Quit | None]:
        """The topics before the first one that is missing from the run but required."""
        missing = np.flatnonzero(~self.ran.judged_ranks.answered[places])
        if self.options.complete or not len(missing):
            return places, None
        topic = decode(self.judged.judged.queries[places[missing[0]]])
        return places[: missing[0]], Quit(f"trec_eval: result qid '{topic}' not found in qrels\n", 4)

    def _until_refused(self, places: Ints, end: Quit | None) -> tuple[Ints, Quit | None]:
        """The topics before the first for which a measure cannot be calculated."""
        repeated = self.ran.repeated.keys() | self.judged.repeated.keys()
        for count, place in enumerate(places):
            if count == 0 or self.judged.judged.queries[place] in repeated:
                for column in self.columns:
                    why = self._refusal(column, int(place), count == 0)
                    if why is not None:
                        return places[:count], self._cannot(column, why)
            elif not repeated:
                break
        return places, end

    def _refusal(self, column: Column, place: int, first: bool) -> str | None:
        """Why a measure cannot be calculated for a topic; None if it can."""
        needs, topic = column.listed.needs, self.judged.judged.queries[place]
        if not needs:
            return None
        if needs != self.options.rel_format.replace("qrels_prefs", "prefs"):
            return _WRONG_FORMAT[needs]
        if topic in self.ran.repeated:
            procedure = "form_prefs_counts" if needs == "prefs" else "form_res_qrels"
            return f"trec_eval.{procedure}: duplicate docs {decode(self.ran.repeated[topic])}"  # without a line end
        if topic in self.judged.repeated:
            return _REPEATED[needs].format(decode(self.judged.repeated[topic]))
        if first and needs == "qrels" and (self._grades(place) < 0).all():
            return ""
        return column.refusal

    def _grades(self, place: int) -> Floats:
        judged = self.judged.judged
        return judged.grade[judged.unit == place]

    def _until_contradicted(self, places: Ints, end: Quit | None) -> tuple[Topics, list[Line], Quit | None]:
        """The topics before the first whose preferences contradict each other, and their lines."""
        try:
            return self._lines(places, end)
        except BadInput:
            column = next(column for column in self.columns if column.listed.needs)
            for count in range(len(places)):
                try:
                    self._lines(places[count : count + 1], end)
                except BadInput as why:
                    refused = self._cannot(column, f"trec_eval.form_prefs_counts: {why}\n")
                    return self._lines(places[:count], refused)
            raise

    def _lines(self, places: Ints, end: Quit | None) -> tuple[Topics, list[Line], Quit | None]:
        topics = self.topics.chosen(places)
        n_relevant = int((self.judged.judged.grade > 0).sum())
        setting = Setting(self.options, self.ran.name, len(self.topics), n_relevant, self.means)
        return topics, lines(self.columns, topics, setting) if len(topics) else [], end

    @staticmethod
    def _cannot(column: Column, why: str) -> Quit:
        return Quit(f"{why}trec_eval: Can't calculate measure '{column.listed.name}'\n", 4)


# The text of `trec_eval -h`: the options, the file formats, and the requested measures


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
