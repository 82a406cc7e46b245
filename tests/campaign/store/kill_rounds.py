"""Rounds of writers that are killed (SIGKILL) at a random moment; prints the acknowledged judgments as JSON.

`python kill_rounds.py FOLDER URL ROUNDS`: each round forks a process with eight threads that save judgments, and kills
it once a random number of them were acknowledged. The next round sends the judgments of the last one again.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from pathlib import Path

from cranfield.campaign.rules.events import Judged
from cranfield.campaign.store import judgments
from cranfield.campaign.store.database import Store
from cranfield.campaign.store.judgments import Received, Sent

THREADS, EACH = 8, 500


def judge(store: Store, acknowledged: int, round_: int, thread: int) -> None:
    """Send judgments one after another, first those of the round before, and report each that is saved."""
    keys = [f"round-{r}-{thread}-{n}" for r in (round_ - 1, round_) for n in range(EACH) if r >= 0]
    if round_:
        keys = keys[:40] + keys[EACH:]
    for key in keys:
        sent = Sent(1, key, Judged("grade", 1))
        store.record_joint(judgments.record_all, Received(1, 1, sent, 0)).result()
        os.write(acknowledged, f"{key}\n".encode())  # one write, hence whole lines


def main() -> None:
    folder, url, rounds = Path(sys.argv[1]), sys.argv[2] or None, int(sys.argv[3])
    chance = random.Random(7)
    kept: list[str] = []
    for round_ in range(rounds):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            store = Store(folder, url)
            threads = [threading.Thread(target=judge, args=(store, writing, round_, t)) for t in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            os._exit(0)
        os.close(writing)
        enough = chance.randint(1, 120)
        with open(reading, encoding="ascii") as lines:
            for n, line in enumerate(lines, 1):
                kept.append(line.strip())
                if n == enough:
                    os.kill(child, signal.SIGKILL)  # what is in the pipe was acknowledged before
        os.waitpid(child, 0)
    json.dump(kept, sys.stdout)


if __name__ == "__main__":
    main()
