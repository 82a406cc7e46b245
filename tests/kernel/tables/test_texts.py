"""The names of queries as texts: a sequence like any other, made only as far as it is looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cranfield import evaluate
from cranfield.tables.names import Names, Texts

names = st.lists(st.one_of(st.text(max_size=20).map(str.encode), st.binary(max_size=20))).map(
    lambda each: [name.decode("utf-8", "surrogateescape") for name in each]
)


@given(given_names=names)
def test_texts_are_the_list_of_the_names(given_names: list[str]) -> None:
    texts = Texts(Names.of([name.encode("utf-8", "surrogateescape") for name in given_names]))
    assert list(texts) == given_names
    assert texts == given_names
    assert texts == tuple(given_names)
    assert [texts[place] for place in range(len(texts))] == given_names
    assert texts[1:-1] == given_names[1:-1]
    assert texts[::-2] == given_names[::-2]
    assert [texts.index(name) for name in given_names] == [given_names.index(name) for name in given_names]
    assert texts != [*given_names, "x"]
    assert texts != 3


def test_the_queries_of_a_result_are_shown_as_a_tuple() -> None:
    result = evaluate({"b": {"d": 1}, "a": {"d": 1}}, {"a": {"d": 1}, "b": {"d": 1}}, "AP")
    assert repr(result.units) == "('a', 'b')"
    many = Texts(Names.of([f"q{place:04}" for place in range(1000)]))
    assert repr(many).startswith("('q0000', 'q0001', ")
    assert repr(many).endswith("'q0255', … 1,000 in all)")
