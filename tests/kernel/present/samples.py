"""Tables that hold all a renderer must cope with."""

from __future__ import annotations

from cranfield.present.table import Cell, Column, Table, row

SYSTEMS = Table(
    columns=(
        Column("system"),
        Column("AP", numeric=True, digits=4),
        Column("nDCG(gain={0: 0, 1: 1, 2: 3}, discount='log(i)')@10", numeric=True, digits=4),
        Column("Utility", numeric=True, digits=2),
        Column("NumRet", numeric=True, digits=0),
    ),
    rows=(
        row("bm25_k1=0.9.run", 0.25, 1 / 3, -1.5, 1200.0),
        (Cell("<dense> & 50% | $x^2$"), Cell(0.5, best=True, marks="ab"), Cell(None), Cell(-0.001), Cell(7.0)),
        (Cell("検索\x1b[31m\udcff"), Cell(0.125, marks="a"), Cell(1.0, best=True), Cell(10.0, best=True), Cell(90.0)),
    ),
    summary=(row("all", 0.3, 2 / 3, 2.83, 1297.0),),
    title="Three *systems*",
    lead=("A paragraph with `code` and a * in it.",),
    notes=("mean over 8 queries", "undefined and counted as 0: AP for 1"),
)

ALONE = Table(columns=(Column("name"), Column("P@5", numeric=True, digits=3)), rows=(row("a", 0.2), row("bcd", None)))
