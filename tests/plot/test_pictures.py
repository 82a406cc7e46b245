"""Every plot draws the table it gives, in every theme, format and notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cranfield import plot
from cranfield.errors import BadSetting, MissingExtra
from cranfield.present.plots.plot import DATA, UNSEEN, Plot
from cranfield.present.plots.theme import COLOURS
from cranfield.present.plots.vega import without_checks
from cranfield.rankings.evaluate import evaluate
from cranfield.results.writing import comma_separated
from plot.gallery import gallery, result, scorers

Golden = Callable[[str, str], None]

FITTED = ("difficulty", "fit")  # their figures come from an optimiser, and are the same to a few digits only
each = pytest.mark.parametrize("name", list(gallery()))


@each
def test_it_is_as_the_schema_of_vega_lite_has_it(name: str) -> None:
    drawn = gallery()[name].draw()  # with Altair's checks of every part
    assert drawn.to_dict(validate=True)["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


def test_no_class_of_a_channel_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Altair compares a channel that is a string or a dict with all of its classes, which takes 6 ms."""
    next(iter(gallery().values())).draw()  # Altair is imported
    monkeypatch.delattr("altair.utils.schemapi.SchemaBase.from_dict")
    with without_checks():
        for drawn in gallery().values():
            drawn.draw()


@each
def test_the_data_drawn_is_the_data_given(name: str) -> None:
    given = gallery()[name]
    drawn = given.spec["datasets"][DATA]
    assert len(drawn) == given.data.num_rows > 0
    assert [list(row.values()) for row in drawn] == [list(row.values()) for row in given.data.to_pylist()]


@each
def test_every_mark_takes_its_columns_from_its_own_rows(name: str) -> None:
    spec = gallery()[name].spec
    for view in _views(spec, {}):
        rows = spec["datasets"][view["data"]["name"]] if "name" in view["data"] else view["data"]["values"]
        made = {made["as"] for step in view["transform"] for made in [*step.get("window", []), step] if "as" in made}
        wanted = {channel["field"] for channel in _channels(view["encoding"]) if "field" in channel}
        assert wanted <= made.union(*(row.keys() for row in rows)), view["mark"]


def _views(spec: dict, above: dict) -> list[dict]:
    own = {
        "data": spec.get("data", above.get("data")),
        "transform": above.get("transform", []) + spec.get("transform", []),
        "encoding": above.get("encoding", {}) | spec.get("encoding", {}),
    }
    inner = [part for key in ("layer", "concat", "hconcat", "vconcat") for part in spec.get(key, [])]
    if not inner:
        return [own | {"mark": spec["mark"]}]
    return [view for part in inner for view in _views(part, own)]


def _channels(encoding: dict) -> list[dict]:
    return [one for channel in encoding.values() for one in (channel if isinstance(channel, list) else [channel])]


@each
def test_the_table_is_the_same_as_before(name: str, golden: Golden) -> None:
    table = gallery()[name].data
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    golden(f"plots/{name}.csv", comma_separated(table.column_names, rows, digits=1 if name in FITTED else 6))


@each
def test_it_is_drawn_without_a_warning(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    import vl_convert

    svg = vl_convert.vegalite_to_svg(gallery()[name].themed(), show_warnings=True)
    assert svg.startswith("<svg")
    assert capfd.readouterr().err == ""


@each
def test_a_plot_names_no_colour(name: str) -> None:
    spec = json.dumps({key: part for key, part in gallery()[name].spec.items() if key != "datasets"})
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(", spec)


@each
def test_a_plot_is_described_in_words(name: str) -> None:
    given = gallery()[name]
    assert given.title in given.spec["description"]
    assert given.about in given.spec["description"]


@pytest.mark.parametrize("name", ["roc", "precision-recall-recalls", "systems", "tiers", "cost"])
def test_systems_are_named_in_the_picture(name: str) -> None:
    given = gallery()[name]
    svg = given.to_svg()
    assert all(re.search(rf">{system}\b", svg) for system in given.data["system"].unique().to_pylist())


def test_a_dark_picture_has_the_same_marks_in_other_colours() -> None:
    light, dark, printed = (gallery()["roc"].to_svg(theme=theme) for theme in ("light", "dark", "print"))
    assert COLOURS["dark"].paper in dark
    assert COLOURS["dark"].paper not in light
    assert re.sub(r"#[0-9a-f]{6}", "", light) == re.sub(r"#[0-9a-f]{6}", "", dark)
    shades = set(re.findall(r"#([0-9a-f]{6})", printed))
    assert all(colour[:2] == colour[2:4] == colour[4:] for colour in shades)


SIGNATURES = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".json": b"{", ".csv": b"system,part,"}


@pytest.mark.parametrize("suffix", SIGNATURES)
def test_the_name_of_the_file_says_what_is_written(suffix: str, tmp_path: Path) -> None:
    gallery()["roc"].save(tmp_path / f"roc{suffix}")
    assert (tmp_path / f"roc{suffix}").read_bytes().startswith(SIGNATURES[suffix])


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"roc\.gif: the file name must end in one of \.svg, \.png"):
        gallery()["roc"].save(tmp_path / "roc.gif")


def test_a_page_needs_nothing_from_outside(tmp_path: Path) -> None:
    gallery()["roc"].save(tmp_path / "roc.html")
    page = (tmp_path / "roc.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", page.partition("<script>")[0])
    assert page.count("</script>") == 2
    assert "<td>first</td>" in page


def test_no_name_can_break_out_of_a_page(tmp_path: Path) -> None:
    odd = "</script><script>alert(1)</script>"
    plot.roc({odd: scorers()["first"], "other": scorers()["second"]}).save(tmp_path / "roc.html")
    page = (tmp_path / "roc.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert "&lt;/script&gt;" in page


@pytest.mark.parametrize(
    "odd", ["a.b[0]", "it's", '"quoted"', "検索", "a\\b", "red\x1b[31m", "line\nbreak", "\udcff", ""]
)
def test_any_name_of_a_system_can_be_drawn(odd: str) -> None:
    svg = plot.roc({odd: scorers()["first"], "other": scorers()["second"]}).to_svg()
    assert "AUC 0.680" in svg
    assert "\x1b" not in svg


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__"])
@pytest.mark.parametrize("kind", [kind.__name__ for kind in (plot.systems, plot.tiers, plot.differences, plot.power)])
def test_names_of_what_every_object_has_can_be_drawn(name: str, kind: str) -> None:
    qrels = {name: {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d2": 1}}
    runs = {
        name: {name: {"d1": 2.0}, "q2": {"d1": 1.0}, "q3": {"d2": 1.0}},
        "other": {name: {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}, "q3": {"d1": 2.0, "d2": 1.0}},
    }
    drawn = getattr(evaluate(qrels, runs, ["AP"]).plot, kind)()
    assert name in drawn.to_svg()
    assert UNSEEN not in drawn.to_csv()


def test_a_notebook_shows_a_picture_without_a_network() -> None:
    shown = gallery()["roc"]._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert [kind for kind in shown if kind.startswith("application/vnd.vegalite.v")]
    assert "datasets" in shown["application/vnd.vegalite.v6+json"]
    assert gallery()["roc"]._repr_html_().startswith("<figure><svg")


def test_a_plot_can_be_changed_with_altair() -> None:
    import altair

    assert isinstance(gallery()["roc"].chart, altair.LayerChart)
    assert gallery()["roc"].titled("Mine").spec["title"]["text"] == "Mine"


def test_without_altair_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    made = plot.systems(result())
    assert made.data.num_rows == 12
    with pytest.raises(MissingExtra, match=r"^plots need Altair: pip install 'cranfield\[plots\]'$"):
        made.to_svg()


def test_a_result_offers_its_plots() -> None:
    offered = result().plot
    assert repr(offered).startswith("plots: buildup, cost_quality, coverage, differences")
    assert isinstance(offered.tiers("AP"), Plot)
    assert offered.systems().data == plot.systems(result()).data
    assert offered.precision_recall().data == gallery()["precision-recall-recalls"].data


@pytest.mark.parametrize("name", ["fit", "buildup"])
def test_nothing_is_drawn_far_outside_the_frame(name: str) -> None:
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', gallery()[name].to_svg())
    assert size is not None
    assert float(size[1]) < 700
    assert float(size[2]) < 500
