"""The retrieval models of the demonstration: scores of all documents for each query, and the resulting runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from cranfield.arrays import Floats

DEPTH = 100  # documents per query in a run
FUSED = 60  # the constant of reciprocal-rank fusion, as in Cormack, Clarke and Büttcher (2009)

Run = dict[str, dict[str, float]]
Model = Callable[[Sequence[str], Sequence[str]], Floats]


def bm25(texts: Sequence[str], queries: Sequence[str]) -> Floats:
    """Okapi BM25 over words, without stemming."""
    import logging

    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # otherwise it logs every step
    words = bm25s.tokenize(list(texts), return_ids=False, show_progress=False)
    index = bm25s.BM25()
    index.index(words, show_progress=False)
    tokens = bm25s.tokenize(list(queries), return_ids=False, show_progress=False)
    return np.array([index.get_scores(query) for query in tokens], dtype=float)


def tfidf(texts: Sequence[str], queries: Sequence[str]) -> Floats:
    """Cosine similarity of TF-IDF word vectors."""
    return _cosines(texts, queries, analyzer="word", stop_words="english")


def characters(texts: Sequence[str], queries: Sequence[str]) -> Floats:
    """Cosine similarity of TF-IDF vectors of character n-grams (3 to 5) within words."""
    return _cosines(texts, queries, analyzer="char_wb", ngram_range=(3, 5))


def _cosines(texts: Sequence[str], queries: Sequence[str], **settings: object) -> Floats:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True, **settings)
    documents = vectors.fit_transform(texts)
    return (vectors.transform(queries) @ documents.T).toarray()


def dense(texts: Sequence[str], queries: Sequence[str]) -> Floats:
    """Cosine similarity of mean word embeddings from WordLlama, whose package includes the weights."""
    import wordllama

    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    documents, query_vectors = (model.embed(list(batch), norm=True) for batch in (texts, queries))
    return np.asarray(query_vectors @ documents.T, dtype=float)


HAS_EMBEDDINGS = sys.version_info < (3, 14)  # WordLlama has no wheels for later Pythons
MODELS: Mapping[str, Model] = {
    "bm25": bm25, "tfidf": tfidf, "characters": characters, **({"dense": dense} if HAS_EMBEDDINGS else {}),
}  # fmt: skip
FUSION = "fusion"
SYSTEMS = (*MODELS, FUSION)


def ranked(documents: Mapping[str, str], queries: Mapping[str, str]) -> Iterator[tuple[str, Run]]:
    """The run of each model, then their fusion."""
    names = list(documents)
    texts = [f"{name.replace('.', ' ').replace('_', ' ')}\n{text}" for name, text in documents.items()]
    runs = {}
    for model, scored in MODELS.items():
        scores = scored(texts, list(queries.values()))
        runs[model] = {query: _best(names, row) for query, row in zip(queries, scores, strict=True)}
        yield model, runs[model]
    yield FUSION, fused(list(runs.values()))


def _best(names: Sequence[str], score: Floats) -> dict[str, float]:
    """The documents with the highest scores above zero."""
    score = np.round(score, 6)  # so that rounding errors do not affect the ranking
    return _top({names[place]: float(score[place]) for place in np.flatnonzero(score > 0).tolist()})


def _top(score: Mapping[str, float]) -> dict[str, float]:
    """The first documents; ties are broken by descending name, as in trec_eval."""
    return dict(sorted(score.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)[:DEPTH])


def fused(runs: Sequence[Run]) -> Run:
    """Reciprocal-rank fusion: the sum of 1 / (60 + rank) over the runs."""
    result: Run = {}
    for query in runs[0]:
        total: dict[str, float] = {}
        for run in runs:
            for rank, name in enumerate(run[query], 1):
                total[name] = total.get(name, 0.0) + 1 / (FUSED + rank)
        result[query] = _top({name: round(score, 6) for name, score in total.items()})
    return result
