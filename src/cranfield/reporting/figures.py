"""The figures of reports: the choice of plots, and plots as inline SVG in the colours of the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from html import escape, unescape
from typing import Any

from cranfield.classification.plots.confusion import confusion
from cranfield.classification.plots.curves import calibration, cost, decision, prg
from cranfield.classification.plots.roc import roc
from cranfield.classification.plots.scorers import distributions
from cranfield.classification.result import Classification
from cranfield.comparison.plots import differences, measured, systems, tiers_of
from cranfield.comparison.result import Comparison
from cranfield.errors import BadInput
from cranfield.present.plots.plot import Plot, first_rows
from cranfield.present.plots.theme import COLOURS, Theme, configuration
from cranfield.present.plots.vega import vl_convert
from cranfield.present.table import visible
from cranfield.present.values import ranked
from cranfield.rankings.plots.cost_quality import cost_quality
from cranfield.rankings.plots.precision_recall import precision_recall
from cranfield.rankings.plots.ranks import Rankings, buildup
from cranfield.reporting.content import WIDTH, Figure, embedded
from cranfield.results.values import Result, of_systems
from cranfield.tables.items import numeric_columns

# The marks of an SVG image, with tooltip texts and the system that each belongs to


_LABELLED = re.compile(r"<[a-z]+ [^>]*aria-label=[^>]*>")
_LABEL = re.compile(r' aria-label="([^"]*)"')
_KIND = re.compile(r' aria-roledescription="([^"]*)"')
_ARIA = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_LONG_NUMBER = re.compile(r"^-?\d+\.\d{5,}(?:e-?\d+)?$")
_CONNECTED = ("line mark", "area mark", "trail mark")  # one path for many rows, described by the first
_HIDDEN = ("place", "at", "jitter", "index", "order")  # fields used only for positions


def described(svg: str) -> str:
    """The SVG with a tooltip (`data-tip`) and a system (`data-system`) for each mark, without ARIA labels."""
    return _ARIA.sub("", _LABELLED.sub(lambda tag: _described(tag[0]), svg))


def _described(tag: str) -> str:
    label, kind = _LABEL.search(tag), _KIND.search(tag)
    if label is None or kind is None or kind[1] in ("axis", "title", "subtitle", "legend", "header"):
        return tag
    fields = _fields(unescape(label[1]))
    system = fields.get("system", fields.get("text") if kind[1] == "text mark" else None)
    tip = _tip(fields, connected=kind[1] in _CONNECTED) if kind[1] != "text mark" else ""
    added = (f' data-tip="{escape(tip)}"' if tip else "") + (f' data-system="{escape(system)}"' if system else "")
    return re.sub(r"^<[a-z]+", lambda start: start[0] + added, tag)


def _fields(label: str) -> dict[str, str]:
    """The fields of a label such as `rank: 1; DCG: 3; system: bm25`."""
    parts = (part.partition(": ") for part in label.split("; "))
    return {name: value for name, colon, value in parts if colon}


def _tip(fields: dict[str, str], *, connected: bool) -> str:
    """One line per field, the system first; only the system for connected marks."""
    if connected:
        return fields.get("system", "")
    texts = {name: _short(text) for name, text in fields.items() if name not in _HIDDEN and text != "null"}
    system = texts.pop("system", "")
    lines = [f"{name}: {text}" for name, text in texts.items() if not _repeated(name, text, texts)]
    return "\n".join([system, *lines] if system else lines)


def _repeated(name: str, text: str, texts: dict[str, str]) -> bool:
    """Whether a column repeats the value of an axis, which has a better title."""
    return name in ("value", "mean") and list(texts.values()).count(text) > 1


def _short(text: str) -> str:
    return f"{float(text):.4g}" if _LONG_NUMBER.match(text) else text


SEVERAL = 7  # most systems in one plot
BOXES = 20  # most systems in a box plot
SHOWN = 60  # rows of a plot's data shown in the page; the file contains all
KEPT = 5_000  # maximum rows of a plot's file; per-query values are in the page anyway

DEEP, SHALLOW = 100, 20  # most ranks in a build-up plot
CLASSES = 12  # most curves of one system, one per class
LEAST = 0.78  # smallest scale of a plot, so that text stays readable

_COLOUR = re.compile(r'"(#[0-9a-fA-F]{6})"')
_COMPUTED = re.compile(r'"rgb\([^"]*\)"')
_NAME = re.compile(r'\bid="([^"]+)"')


def figure(name: str, plot: Plot) -> Figure:
    """The figure of a plot, with a name unique in the page; a plot that cannot be drawn still has its data."""
    logarithmic = ""
    try:
        light, dark = _drawn(name, plot.spec)
        if log := _logarithmic(plot.spec):
            logarithmic, _ = _drawn(f"{name}-log", log)
        failed = ""
    except ValueError as error:  # raised by vl-convert
        light, dark = "", ""
        failed = f"This plot could not be drawn: {str(error).partition(' at ')[0]}"
    return Figure(
        name=name,
        title=visible(plot.title),
        caption=visible("; ".join(text for text in (failed, plot.subtitle, *plot.notes) if text)),
        light=light,
        dark=dark,
        logarithmic=logarithmic,
        data=first_rows(plot.data, SHOWN, digits=4),
        file=embedded(f"{name}.csv", plot.title, plot.to_csv()) if plot.data.num_rows <= KEPT else None,
    )


def _drawn(name: str, spec: dict[str, Any]) -> tuple[str, str]:
    """The SVG for a light and a dark page; the latter is empty if the colours are variables of the page."""
    light = _svg(spec, "light")
    if not _COMPUTED.search(light):
        return _placed(_of_page(light), f"{name}-l"), ""
    return _placed(light, f"{name}-l"), _placed(_svg(spec, "dark"), f"{name}-d")


def _logarithmic(spec: dict[str, Any]) -> dict[str, Any] | None:
    """The plot with a logarithmic rank axis, if it has ranks."""
    logarithmic: dict[str, Any] = _with_log_ranks(spec)
    return None if logarithmic == spec else logarithmic


def _with_log_ranks(part: Any) -> Any:
    if isinstance(part, list):
        return [*map(_with_log_ranks, part)]
    if not isinstance(part, dict):
        return part
    if part.get("field") == "rank" and isinstance(part.get("scale"), dict):
        return part | {"scale": part["scale"] | {"type": "log"}, "title": "rank (logarithmic)"}
    return {name: value if name == "datasets" else _with_log_ranks(value) for name, value in part.items()}


def colour_names() -> dict[str, dict[Theme, str]]:
    """The CSS variables for the colours of plots, with their values on light and dark pages."""
    light, dark = COLOURS["light"], COLOURS["dark"]
    named = [(_OF_TOKENS.get(name, f"plot-{name}"), getattr(light, name), getattr(dark, name)) for name in _SINGLE]
    named += [(f"series-{place}", *pair) for place, pair in enumerate(zip(light.series, dark.series, strict=True))]
    return {name: {"light": one, "dark": other} for name, one, other in named}


_SINGLE = ("paper", "ink", "soft", "faint", "good", "bad")
_OF_TOKENS = {"paper": "paper", "ink": "ink", "soft": "ink-3", "faint": "line-strong"}  # variables of tokens.css


def _svg(spec: dict[str, Any], theme: Theme) -> str:
    """The SVG without title, which the page has; labels of marks become tooltips."""
    untitled = {name: value for name, value in spec.items() if name not in ("title", "padding")}
    return described(str(vl_convert.vegalite_to_svg(untitled | {"config": configuration(theme)})))


def _of_page(svg: str) -> str:
    """The SVG with CSS variables as colours."""
    variables = {shades["light"]: f'"var(--{name})"' for name, shades in reversed(colour_names().items())}
    return _COLOUR.sub(lambda colour: variables.get(colour[1].lower(), colour[0]), svg)


def _placed(svg: str, prefix: str) -> str:
    """The SVG with unique ids and a minimum width."""
    for name in sorted(set(_NAME.findall(svg)), key=len, reverse=True):
        svg = svg.replace(f'id="{name}"', f'id="{prefix}-{name}"').replace(f"url(#{name})", f"url(#{prefix}-{name})")
    width = WIDTH.search(svg)
    least = f'style="min-width: {LEAST * float(width[1]):.0f}px" ' if width else ""
    return svg.replace("<svg ", f'<svg aria-hidden="true" focusable="false" {least}', 1)


def tier_plot(result: Result, compared: Comparison | None) -> Plot | None:
    """The tiers for the first measure, if all pairs were compared."""
    if compared is None or compared.baseline is not None:
        return None
    return tiers_of(*measured(result, None), compared)


def ranking_figures(result: Result, tiers: Plot | None, baseline: str | None) -> tuple[Figure, ...]:
    """The figures of a result whose first system is the best."""
    return tuple(figure(name, plot) for name, plot in _plots(result, tiers, baseline))


def _plots(result: Result, tiers: Plot | None, baseline: str | None) -> Iterator[tuple[str, Plot]]:
    several = len(result.systems) > 1 and result.counted.all(axis=0).sum() > 1
    if several:
        shown = _best_systems(result, BOXES)
        yield "systems", _of_few(systems(shown), shown, result)
        best, other = result.systems[0], baseline or result.systems[1]
        if best == other:
            best = result.systems[1]
        yield "differences", differences(result, baseline=other, system=best)
    few = _best_systems(result, SEVERAL)
    if few.evidence:
        rankings = Rankings(few.evidence)
        yield "precision-recall", _of_few(precision_recall(rankings), few, result)
        yield "build-up", _of_few(buildup(rankings, k=_depth(few)), few, result)
    if several:
        yield from (
            (f"cost-quality-{place}", cost_quality(result, against=column))
            for place, column in enumerate(numeric_columns(result.info), 1)
        )
    if tiers is not None:
        yield "tiers", tiers


def _depth(result: Result) -> int:
    """The depth of the build-up plot: 100 if a ranking is that long, otherwise 20."""
    longest = max(int(hits.n_retrieved.max(initial=0)) for hits in result.evidence.values())
    return DEEP if longest >= DEEP else SHALLOW


def _best_systems(result: Result, most: int) -> Result:
    """The first systems of a result."""
    first = of_systems(result, range(min(most, len(result.systems))))
    return replace(first, evidence={name: result.evidence[name] for name in first.systems if name in result.evidence})


def _of_few(plot: Plot, shown: Result, result: Result) -> Plot:
    """The plot, with a note if it does not show all systems."""
    if len(shown.systems) == len(result.systems):
        return plot
    note = f"the best {len(shown.systems)} of {len(result.systems)} systems"
    return replace(plot, notes=(*plot.notes, note))


def classification_figures(classification: Classification) -> Iterator[Figure]:
    """Confusion matrices, then the curves of systems with scores."""
    systems = ranked(classification.result, classification.measures[0]).systems
    ordered = sorted(classification.evaluated, key=lambda one: systems.index(one.predictions.system))
    first = replace(classification, evaluated=tuple(ordered[:SEVERAL]))
    best = replace(classification, evaluated=tuple(ordered[:1]))
    plots = [*_matrices(first), *_curves(first), *_of_each_class(best, len(systems) > 1)]
    for place, (name, plot) in enumerate(plots):
        yield figure(f"{name}-{place}", plot)


def _matrices(classification: Classification) -> Iterator[tuple[str, Plot]]:
    for evaluated in classification.evaluated:
        if evaluated.confusion is not None:
            alone = replace(classification, evaluated=(evaluated,))
            yield "confusion", _named(confusion(alone), evaluated.predictions.system, classification)


def _curves(classification: Classification) -> Iterator[tuple[str, Plot]]:
    """Curves of the systems with scores, with their thresholds."""
    with_scores = tuple(one for one in classification.evaluated if one.thresholds is not None)
    scored = replace(classification, evaluated=with_scores)
    if not with_scores:
        return
    yield "roc", roc(scored)
    yield "precision-recall", precision_recall(scored)
    yield "precision-recall-gain", prg(scored)
    for evaluated in scored.evaluated:
        if evaluated.thresholds is not None and evaluated.threshold is not None:
            plot = distributions(evaluated.thresholds, threshold=evaluated.threshold)
            yield "distributions", _named(plot, evaluated.predictions.system, scored)
    yield "cost", cost(scored)
    with_probabilities = tuple(one for one in with_scores if one.predictions.is_probability)
    if with_probabilities:
        probabilistic = replace(scored, evaluated=with_probabilities)
        yield "calibration", calibration(probabilistic)
        yield "decision", decision(probabilistic)


def _of_each_class(best: Classification, several: bool) -> Iterator[tuple[str, Plot]]:
    """The curves of each class against the rest, of the best system."""
    (evaluated,) = best.evaluated
    n_classes = len(evaluated.of_each_class)
    if evaluated.thresholds is not None or not 0 < n_classes <= CLASSES:
        return
    drawn: list[tuple[str, Callable[..., Plot]]] = [("roc", roc), ("precision-recall", precision_recall)]
    if evaluated.predictions.is_probability and n_classes <= SEVERAL:
        drawn.append(("calibration", calibration))
    for name, draw in drawn:
        with suppress(BadInput):  # a class that does not occur
            plot = draw(best)
            system = f"{evaluated.predictions.system}: " * several
            yield name, plot.titled(f"{system}{plot.title}, each class against the rest")


def _named(plot: Plot, system: str, classification: Classification) -> Plot:
    """The plot, titled with its system if there are several."""
    return plot.titled(f"{system}: {plot.title}") if len(classification.evaluated) > 1 else plot
