"""Topics are read as INEX and TREC print them; hostile and broken files are refused with words and a line."""

from __future__ import annotations

import gzip
import json

import pytest

from cranfield.errors import BadInput
from cranfield.tables.collections.topics import Condition, Topic, in_words, near_duplicates, read_topic_file

CO = """<INEX-Topic topic-id="45" query-type="CO" ct-no="056">
  <Title>
    <cw>augmented reality and medicine</cw>
  </Title>
  <Description>
    How virtual (or augmented) reality can contribute to improve the medical and
    surgical practice. and
  </Description>
  <Narrative>
    In order to be considered relevant, a document/component must include
    considerations about applications of computer graphics.
  </Narrative>
  <Keywords>
    augmented virtual reality medicine surgery improve computer assisted aided
    image
  </Keywords>
</INEX-Topic>
"""
CAS = """<INEX-Topic topic-id="09" query-type="CAS" ct-no="048">
  <Title>
       <te>article</te>
       <cw>nonmonotonic reasoning</cw> <ce>bdy/sec</ce>
       <cw>1999 2000</cw> <ce>hdr//yr</ce>
       <cw>-calendar</cw> <ce>tig/atl</ce>
       <cw>belief revision</cw>
  </Title>
  <Description>Retrieve all articles from the years 1999-2000.</Description>
  <Narrative>Do not retrieve articles that are calendar/calls for papers.</Narrative>
  <Keywords>nonmonotonic reasoning belief revision</Keywords>
</INEX-Topic>
"""
TREC = """<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in
international criminal activity & the activity.

<narr> Narrative:
A relevant document must name the organization.

</top>

<top>
<num> Number: 302
<title> Poliomyelitis and Post-Polio
<desc> Description:
Is the disease of Poliomyelitis (polio) under control?
</top>
"""


@pytest.fixture
def read(tmp_path):
    def reading(content: str | bytes, name: str = "topics.txt") -> tuple[Topic, ...]:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_topic_file(str(path))

    return reading


def test_a_content_only_topic_of_inex(read):
    (topic,) = read(CO)
    assert (topic.id, topic.kind, topic.candidate, topic.structure) == ("45", "CO", "056", None)
    assert topic.title == "augmented reality and medicine"
    assert topic.description.startswith(
        "How virtual (or augmented) reality can contribute to improve the medical and sur"
    )
    assert topic.keywords.endswith("aided image")
    assert in_words(topic) == "Retrieve documents or components about “augmented reality and medicine”."


def test_a_content_and_structure_topic_of_inex(read):
    (topic,) = read(CAS)
    assert (topic.id, topic.kind, topic.candidate) == ("09", "CAS", "048")
    assert topic.structure is not None
    assert topic.structure.target == "article"
    assert topic.structure.conditions == (
        Condition("nonmonotonic reasoning", "bdy/sec"),
        Condition("1999 2000", "hdr//yr"),
        Condition("calendar", "tig/atl", negated=True),
        Condition("belief revision"),
    )
    assert topic.title == "nonmonotonic reasoning 1999 2000 -calendar belief revision"
    assert in_words(topic) == (
        "Retrieve the element article: about “nonmonotonic reasoning” in bdy/sec; about “1999 2000” in hdr//yr; "
        "not about “calendar” in tig/atl; about “belief revision” anywhere."
    )


@pytest.mark.parametrize("wrapped", [CO + CAS, f"<?xml version='1.0' encoding='UTF-8'?>\n<t>{CO}{CAS}</t>"])
def test_several_topics_in_one_file_keep_their_ids_as_text_and_their_lines(read, wrapped):
    topics = read(wrapped)
    assert [topic.id for topic in topics] == ["45", "09"]
    line = 1 + wrapped[: wrapped.index('<INEX-Topic topic-id="09"')].count("\n")
    assert topics[1].line == line


def test_words_ruled_out_are_separated_from_those_asked_for(read):
    (topic,) = read(CAS.replace("belief revision</cw>", "belief -revision</cw>"))
    assert topic.structure is not None
    assert topic.structure.conditions[-2:] == (Condition("belief"), Condition("revision", negated=True))


def test_trec_topics(read):
    first, second = read(TREC)
    assert (first.id, first.title) == ("301", "International Organized Crime")
    assert first.description == (
        "Identify organizations that participate in international criminal activity & the activity."
    )
    assert first.narrative == "A relevant document must name the organization."
    assert (second.id, second.narrative, second.line) == ("302", "", 15)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", 'id,title,description\n09,"crime, organised","two\nlines"\n9,polio,\n'),
        ("t.tsv", "topic_id\tquery\tdesc\n09\tcrime, organised\ttwo lines\n9\tpolio\t\n"),
        (
            "t.jsonl",
            json.dumps({"id": "09", "title": "crime, organised", "description": "two lines"})
            + '\n\n{"id": 9, "query": "polio"}\n',
        ),
    ],
)
def test_tables_and_json_lines(read, name, content):
    topics = read(content, name)
    assert [(topic.id, topic.title, topic.description) for topic in topics] == [
        ("09", "crime, organised", "two lines"),
        ("9", "polio", ""),
    ]


def test_compressed_files_and_other_encodings(read):
    assert read(gzip.compress(CO.encode()), "t.xml.gz")[0].id == "45"
    latin = "<?xml version='1.0' encoding='ISO-8859-1'?>\n" + CO.replace("medicine</cw>", "médecine</cw>")
    assert read(latin.encode("latin-1"))[0].title == "augmented reality and médecine"
    assert read(CO.encode("utf-16"))[0].id == "45"


LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]><INEX-Topic>&j;</INEX-Topic>"
)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + CO.replace("medicine", "&x;"), "document type"),
        ('<!DOCTYPE t SYSTEM "http://127.0.0.1:9/t.dtd">' + CO, "line 1: document type definitions"),
        ('<!DOCTYPE t [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x"> %x;]>' + CO, "document type"),
        (LAUGHS, "document type"),
        ("<a>" * 100_000, "nested more than 100 deep"),
        (CO.replace("medicine", "&eacute;"), "line 3: not well-formed XML .undefined entity"),
        (CO.encode().replace(b"medicine", b"m\xe9decine"), "line 3: byte 0xe9 is not utf-8"),
        ("<?xml version='1.0' encoding='bz2'?>" + CO, "unknown encoding 'bz2'"),
        (CO.encode().replace(b"medicine", b"med\0icine"), "line 3: a NUL"),
        (CO.replace("</cw>", ""), r"line 3: element <cw> is not closed by line 4"),
        (CO.replace("</INEX-Topic>", ""), "line 1: element <inex-topic> is not closed by the end"),
        (CO.replace("<Title>", "< Title >"), "line 2: .*no space after the <"),
        (CO + "</x>", "line 18: not well-formed XML .an end tag without"),
        (CO.replace('topic-id="45"', ""), "no id"),
        (CO.replace('"CO"', '"CS"'), "CO or CAS, not 'CS'"),
        (CO.replace("<cw>", "<te>a</te><cw>"), "line 3: the title of a CO topic may contain only <cw>"),
        (CAS.replace("<te>article</te>", ""), "needs one target element <te>; it has 0"),
        (CAS.replace("<cw>nonmonotonic reasoning</cw>", ""), "<ce> in line 4 follows no <cw>"),
        (CO.replace("<cw>augmented reality and medicine</cw>", ""), "topic '45' has no title"),
        (CO + CO, "line 18: duplicate topic '45' .first on line 1"),
        (TREC.replace("</top>", "", 1), "line 1: <top> is not closed before the next in line 15"),
        (TREC.replace("<num> Number: 302\n", ""), "line 15: the topic has no <num>"),
        ("<x/>", "no topics"),
        ('{"id": 1, "title": "a"}\n{"id": 2, "title"', "line 2: this is not JSON"),
        ('{"title": "a"}', "line 1: no id"),
        ('{"id": true, "title": "a"}', "line 1: True"),
        ("id,title\n1,a,b\n", "line 2: 3 fields, but the header has 2"),
        ('id,title\n1,"a\n', "line 2: not CSV"),
        ("id,id\n1,a\n", "duplicate column 'id'"),
        ("[" * 100_000, "no id|no topics|fields"),
        ('{"a":' * 100_000, "line 1: JSON nested more than 64 levels deep"),
    ],
)
def test_hostile_and_broken_files_are_refused_with_words(read, content, words):
    with pytest.raises(BadInput, match=words) as refusal:
        read(content)
    assert "root:" not in str(refusal.value)


def test_near_duplicates_are_pointed_out():
    topics = [
        Topic("1", "augmented reality in medicine"),
        Topic("2", "medicine and Augmented Reality"),
        Topic("3", "organized crime"),
        Topic("4", "crime", "international organized crime gangs"),
    ]
    assert [(pair.first, pair.second, pair.likeness) for pair in near_duplicates(topics)] == [("1", "2", 1.0)]
