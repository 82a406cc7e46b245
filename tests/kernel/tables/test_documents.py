"""Collections are streamed from all their formats; an element that is not closed is reported with its line."""

from __future__ import annotations

import json
import os
import tracemalloc

import pytest

from cranfield.errors import BadInput
from cranfield.tables.collections.documents import Document, read_documents

ARTICLE = """<article>
  <fm>
   <ti>IEEE Transactions on Something</ti>
   <atl>Construction of <it>Things</it></atl>
   <au><fnm>John</fnm> <snm>Smith</snm><aff>University of X</aff></au>
  </fm>
  <bdy>
    <sec><st>Introduction</st><p>First words &amp; more.</p></sec>
    <sec><st>Method</st>
     <ss1>Inner one</ss1>
     <ss1>Inner   two</ss1></sec>
  </bdy>
  <bm><bib><bb>A reference</bb></bib></bm>
</article>
"""
TREC = """<DOC>
<DOCNO> FT911-3 </DOCNO>
<HEADLINE>
FT  14 MAY 91 / AT&amp;T & others
</HEADLINE>
<TEXT>
<P>First paragraph
<P>Second <b>one</b>: 3 < 4
</TEXT>
</DOC>
<DOC><DOCNO>FT911-4</DOCNO>
Without an element for the text.
</DOC>
"""


@pytest.fixture
def read(tmp_path):
    def reading(content: str | bytes, name: str = "a1.xml") -> list[Document]:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(read_documents(str(path)))

    return reading


def test_an_inex_article_is_a_document_of_components(read):
    (document,) = read(ARTICLE)
    assert (document.id, document.title, document.line) == ("a1", "Construction of Things", 1)
    text_at = {element.path: document.text[element.start : element.end] for element in document.elements}
    assert next(iter(text_at)) == "/article[1]"
    for path, text in [
        ("/article[1]/fm[1]/atl[1]", "Construction of Things"),
        ("/article[1]/fm[1]/au[1]/snm[1]", "Smith"),
        ("/article[1]/bdy[1]/sec[1]", "Introduction\nFirst words & more."),
        ("/article[1]/bdy[1]/sec[2]/ss1[2]", "Inner two"),
        ("/article[1]/bm[1]/bib[1]/bb[1]", "A reference"),
    ]:
        assert text_at[path] == text
    assert text_at["/article[1]"].startswith("IEEE Transactions on Something\nConstruction of Things\n")


def test_several_articles_in_one_file_need_ids(read):
    both = ARTICLE.replace("<article>", '<article id="x/1">') + ARTICLE.replace("<fm>", "<fm><fno>x2</fno>")
    assert [document.id for document in read(f"<books>{both}</books>")] == ["x/1", "x2"]
    with pytest.raises(BadInput, match="line 15: the article has no id"):
        read(ARTICLE + ARTICLE)


def test_trec_documents(read):
    first, second = read(TREC, "ft.sgml")
    assert (first.id, first.title) == ("FT911-3", "FT 14 MAY 91 / AT&T & others")
    assert first.text == "First paragraph\n Second one : 3 < 4".replace("\n ", "\n")
    assert (second.id, second.text, second.line) == ("FT911-4", "Without an element for the text.", 11)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("d.jsonl", '{"_id": "09", "title": "T", "text": "a, b\\nc"}\n{"docid": 9, "contents": ""}\n'),
        ("d.csv", 'docno,title,text\n09,T,"a, b\nc"\n9,,\n'),
    ],
)
def test_tables_and_json_lines(read, name, content):
    found = [(document.id, document.title, document.text) for document in read(content, name)]
    assert found == [("09", "T", "a, b\nc"), ("9", "", "")]


def test_a_folder_of_text_html_and_articles(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("A title\n\nSome text.")
    (tmp_path / "sub" / "b.html").write_text(
        "<!doctype html><title>B &amp; C</title><script>alert(1)</script><h1>Head</h1><p>One <b>two</b></p>"
    )
    (tmp_path / "sub" / "c.xml").write_text(ARTICLE)
    (tmp_path / ".hidden").write_text("x")
    found = {document.id: document for document in read_documents(str(tmp_path))}
    assert list(found) == ["a", "sub/b", "sub/c"]
    assert (found["a"].title, found["sub/b"].title, found["sub/b"].text) == ("A title", "B & C", "Head\nOne two")
    assert "alert" not in found["sub/b"].text
    os.symlink("/etc/passwd", tmp_path / "z.txt")
    with pytest.raises(BadInput, match="symbolic link"):
        list(read_documents(str(tmp_path)))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ARTICLE.replace("</ti>", "<ti>"), "line 3: element <ti> is not closed by line 6"),  # as in the lectures
        (ARTICLE.replace("  <fm>", "  < fm >"), "line 2: .*no space after the <"),
        (ARTICLE.replace("</article>", ""), "line 1: element <article> is not closed by the end of the file"),
        ("<!DOCTYPE article SYSTEM 'a.dtd'>" + ARTICLE, "document type definition"),
        (TREC.replace("</TEXT>", ""), "line 6: element <TEXT> is not closed by </DOC>"),
        (TREC.replace("</DOCNO>", "", 1), "line 2: element <DOCNO> is not closed"),
        (TREC.replace("</DOC>", "", 1), "line 1: <DOC> is not closed before the next in line 11"),
        (TREC[: TREC.rindex("</DOC>")], "line 11: <DOC> is not closed by the end of the file"),
        (TREC.replace("FT911-4", "FT911-3"), "line 11: duplicate document 'FT911-3'"),
        (TREC.replace("<DOCNO> FT911-3 </DOCNO>", ""), "line 1: the document has no <DOCNO>"),
        ("</DOC>\n<DOC>", "line 1: </DOC> without <DOC>"),
        ('{"id": "1"}', "document '1' has no text"),
        ('{"id": "1", "text": {"a": 1}}', "'text' must be text, not dict"),
        ("<html></html>", "neither TREC documents"),
        ("", "no documents"),
    ],
)
def test_broken_collections_are_refused_with_their_line(read, content, words):
    with pytest.raises(BadInput, match=words):
        read(content)


def test_a_large_collection_is_read_in_bounded_memory(tmp_path):
    path = tmp_path / "large.jsonl"
    with path.open("w") as file:
        for number in range(4000):
            file.write(json.dumps({"id": f"doc-{number}", "text": f"{number} " * 1000}) + "\n")
    assert path.stat().st_size > 16 << 20
    n_documents = 0
    tracemalloc.start()
    for _ in read_documents(str(path)):
        n_documents += 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_documents == 4000
    assert peak < 6 << 20
