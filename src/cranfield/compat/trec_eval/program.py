"""An evaluation in trec_eval's order (files, measures, topics, summary), up to the first error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.compat.trec_eval.aggregates import Setting, lines
from cranfield.compat.trec_eval.evaluated_topics import Topics
from cranfield.compat.trec_eval.getopt import Options, options
from cranfield.compat.trec_eval.input_files import Means, Read, read_judgments, read_means
from cranfield.compat.trec_eval.measure_columns import Column, columns
from cranfield.compat.trec_eval.printed_lines import Line, per_topic, summary
from cranfield.compat.trec_eval.quit import Quit
from cranfield.compat.trec_eval.runs import Ran, read_run
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.measures.trec_names import NICKNAMES
from cranfield.tables.names import decode

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
        from cranfield.compat.trec_eval.help_text import help_text

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
