"""A small real model as a judge: it grades by the similarity of embeddings, and answers like any other endpoint."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cranfield.auditing.audit import audit
from cranfield.auditing.result import Audit
from cranfield.demo.collection import collection
from cranfield.demo.documents import documents
from cranfield.demo.models import ranked
from cranfield.frozen import frozen
from cranfield.labelling.label import label
from cranfield.labelling.result import Labels
from cranfield.reporting.report import report

MODEL = "wordllama-l2-256"
CUTS = (0.37, 0.46, 0.56)  # of the cosine, between the grades 0, 1, 2 and 3: as frequent as those of people


class EmbeddingJudge:
    """Grades by the cosine of the mean word embeddings of topic and document, from WordLlama."""

    def __init__(self) -> None:
        import wordllama

        self._model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
        self._lock = threading.Lock()

    def answer(self, messages: list[dict[str, str]]) -> str:
        """The answer to the project's own prompt."""
        content = json.loads(messages[-1]["content"])
        topic, document = content["topic"], content["document"]
        with self._lock:
            need, text = self._model.embed([topic["title"], f"{document['title']} {document['text']}"], norm=True)
        cosine = float(need @ text)
        grade = sum(cosine >= cut for cut in CUTS)
        return json.dumps({"grade": grade, "reason": f"the cosine of the embeddings is {cosine:.2f}"})


@contextmanager
def served_judge() -> Iterator[str]:
    """The address of the judge on this machine, with OpenAI's chat completions protocol."""
    judge = EmbeddingJudge()
    logging.getLogger("httpx").setLevel(logging.WARNING)  # WordLlama has all libraries log every step

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text = judge.answer(request["messages"])
            sent = sum(len(message["content"]) for message in request["messages"]) // 4
            usage = {"prompt_tokens": sent, "completion_tokens": len(text) // 4}
            body = json.dumps(
                {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage}
            ).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@frozen
class Labelled:
    """The labels of the judge, and whether they may replace those of people."""

    labels: Labels
    audit: Audit
    page: str


def labelled(folder: str) -> Labelled:
    """Label the pool of the demonstration, written to a folder, and audit the labels."""
    os.makedirs(folder, exist_ok=True)
    data = collection(documents())
    runs = dict(ranked(data.documents, data.queries))
    texts = {name: {"title": name, "text": text} for name, text in data.documents.items()}
    with served_judge() as endpoint:
        labels = label(data.queries, texts, runs, os.path.join(folder, "llm.qrels"), endpoint=endpoint, model=MODEL)
    result = audit(data.judgments, os.path.join(folder, "llm.qrels"), runs, family=["dense"])
    page = os.path.join(folder, "audit.html")
    report(result, title=f"{MODEL} as a judge").save(page)
    return Labelled(labels, result, page)
