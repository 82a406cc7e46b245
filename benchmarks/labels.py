"""Labels and scores beside scikit-learn: the whole binary report, AUC alone, matrices. Imports are not timed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cases import Case, Job, Target, Tool, Values

PEER = "scikit-learn"
FEW, HALF = 0.1, 0.5  # share of the items that is positive
BINS = 10
KINDS = 50
OFTEN = (100, 5, 1)  # times that the work is done at each size, so that a noisy moment does not decide
MILLISECONDS = 2.0  # that the report of the smallest size may take
LINEAR = 1.35  # what n log n and a cold cache may add to linear growth

Read = Callable[[], Values]
Work = Callable[[dict[str, Any]], Read]


def cases(quick: bool) -> tuple[Case, ...]:
    """Every piece of work at three sizes, and how the report grows."""
    sizes = (1_000, 10_000) if quick else (10_000, 1_000_000, 10_000_000)
    works = (
        _Peers("report", "the whole binary report", _report, _eleven_calls, 30),
        _Peers("report-balanced", "the whole binary report, half positive", _report, _eleven_calls, 20, HALF),
        _Peers("auc", "AUC alone", _area, _roc_auc_score, 10),
        _Peers("auc-balanced", "AUC alone, half positive", _area, _roc_auc_score, 10, HALF),
        _Peers("matrix", "confusion matrix of ten classes, whole numbers", _matrix, _confusion_matrix, 20),
        _Peers("classes", f"report of {KINDS} classes, texts", _classes, _classification_report, 5),
    )
    return (
        *(_case(work, size, times) for work in works for size, times in zip(sizes, OFTEN)),
        _growth(2_000 if quick else 1_000_000),
    )


class _Peers(NamedTuple):
    """A piece of work, done by both, and how many times faster it is to be."""

    name: str
    title: str
    measured: Work
    peer: Work
    faster: float
    share: float = FEW


def _case(work: _Peers, size: int, times: int) -> Case:
    name, title, measured, peer, faster, share = work
    targets = [Target(PEER, at_least=faster), Target(PEER, at_least=1, figure="peak")]
    if measured is _report and times == OFTEN[0]:
        targets.append(Target("cranfield", at_most=MILLISECONDS / 1000 * times, times=False))
    shown = f"{title}, {size:,} items" + (f", {times} times" if times > 1 else "")
    tools = {
        tool: Tool(partial(_started, job, _folder(size, share), times))
        for tool, job in (("cranfield", measured), (PEER, peer))
    }
    make = partial(_make, sizes=(size,), share=share)
    return Case(f"{name}-{size}", shown, tools, make, tuple(targets), warm=times == 1)


def _folder(size: int, share: float = FEW) -> str:
    return f"labels-{size}" if share == FEW else f"labels-{size}-{share:g}"


def _growth(size: int) -> Case:
    tools = {f"cranfield {times}×": Tool(partial(_started, _made, _folder(size * times), 1)) for times in (1, 2, 4)}
    targets = tuple(Target(f"cranfield {times}×", at_most=times * LINEAR, figure="cpu") for times in (2, 4))
    make = partial(_make, sizes=tuple(size * times for times in (1, 2, 4)))
    return Case("growth-report", f"the whole binary report of 1×, 2× and 4× {size:,} items", tools, make, targets)


def _make(data: Path, sizes: tuple[int, ...], share: float = FEW) -> None:
    """Items with scores, a share of them positive, and with labels of ten and of fifty classes."""
    import numpy as np

    for size in sizes:
        folder = data / _folder(size, share)
        if (folder / "predicted.npy").exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(size)
        actual = (rng.random(size) < share).astype(np.int64)
        score = 1 / (1 + np.exp(-(rng.normal(size=size) + 1.5 * actual - 2)))
        names = np.array([f"kind{place:02d}" for place in range(KINDS)])
        kind = rng.integers(0, KINDS, size)
        predicted = np.where(rng.random(size) < 0.7, kind, rng.integers(0, KINDS, size))
        columns = {"actual": actual, "score": score, "kind": names[kind], "predicted": names[predicted]}
        for name, column in (columns | {"class": kind % 10, "guess": predicted % 10}).items():
            np.save(folder / f"{name}.npy", column)


class _Columns(dict[str, Any]):
    """The columns of a size, each read when it is first asked for."""

    def __init__(self, folder: Path, few: int | None = None) -> None:
        self._folder, self._few = folder, few

    def __missing__(self, name: str) -> Any:
        import numpy as np

        column = np.load(self._folder / f"{name}.npy", mmap_mode="r" if self._few else None)
        self[name] = np.array(column[: self._few]) if self._few else column
        return self[name]


def _started(work: Work, folder: str, times: int, data: Path) -> Job:
    """The tool warmed up on a few items, and the columns it needs in memory."""
    columns = _Columns(data / folder, 1_000)
    work(columns)
    whole = _Columns(data / folder)
    for name in columns:
        _ = whole[name]
    return partial(_repeated, work, whole, times) if times > 1 else partial(work, whole)


def _repeated(work: Work, columns: dict[str, Any], times: int) -> Read:
    for _ in range(times - 1):
        work(columns)
    return work(columns)


# the whole binary report


def _report(columns: dict[str, Any]) -> Read:
    """AUC, AP, AUPRG, both curves, the best thresholds for all goals, confusion, losses, calibration.

    Of the curves, both tools give the points that draw them: those on a straight line between others are left out.
    """
    from cranfield import classify
    from cranfield.evidence.curves import calibration, precision_recall, roc

    classified = classify(columns["actual"], probability=columns["score"])
    result, scores = classified.result, classified.thresholds
    assert scores is not None
    made = (
        classified.choices(),
        classified.confusion,
        roc(scores),
        precision_recall(scores),
        calibration(scores, bins=BINS),
    )
    return lambda: _values(result, made)


def _made(columns: dict[str, Any]) -> Read:
    """The report without its values, which differ where the items do."""
    _report(columns)
    return dict


def _values(result: Any, made: Any) -> Values:
    _, matrix, _, curve, bins = made
    names = ("AUC", "AP", "LogLoss", "Brier", "MCC", "Precision", "Recall")
    return {
        **{name: [result[name]] for name in names},
        "matrix": matrix.counts.ravel().tolist(),
        "curve": _drawn(curve.recall, curve.precision),
        "observed": bins.observed.tolist(),
        "mean predicted": bins.mean_predicted.tolist(),
    }


def _drawn(recall: Any, precision: Any) -> list[float]:
    """How many points a curve has where something is found, and their means."""
    above = recall > 0
    return [float(above.sum()), float(recall[above].mean()), float(precision[above].mean())]


def _eleven_calls(columns: dict[str, Any]) -> Read:
    import numpy as np
    from sklearn import metrics
    from sklearn.calibration import calibration_curve

    actual, score = columns["actual"], columns["score"]
    predicted = (score >= 0.5).astype(np.int64)
    report = metrics.classification_report(actual, predicted, output_dict=True)
    values = {
        "AUC": metrics.roc_auc_score(actual, score),
        "AP": metrics.average_precision_score(actual, score),
        "LogLoss": metrics.log_loss(actual, score),
        "Brier": metrics.brier_score_loss(actual, score),
        "MCC": metrics.matthews_corrcoef(actual, predicted),
    }
    matrix = metrics.confusion_matrix(actual, predicted)
    metrics.cohen_kappa_score(actual, predicted)
    made = (
        metrics.roc_curve(actual, score),
        metrics.precision_recall_curve(actual, score, drop_intermediate=True),
        calibration_curve(actual, score, n_bins=BINS),
    )

    def read() -> Values:
        yes, (observed, mean_predicted) = report["1"], made[-1]
        precision, recall = (column[:-1] for column in made[1][:2])  # without the point at recall 0 that no score gives
        known = {name: [float(value)] for name, value in values.items()}
        known |= {"Precision": [yes["precision"]], "Recall": [yes["recall"]]}
        known |= {"curve": _drawn(recall, precision), "matrix": matrix.ravel().tolist()}
        return known | {"observed": observed.tolist(), "mean predicted": mean_predicted.tolist()}

    return read


# AUC alone


def _area(columns: dict[str, Any]) -> Read:
    from cranfield import classify

    area = classify(columns["actual"], score=columns["score"], measures="AUC")["AUC"]
    return lambda: {"AUC": [area]}


def _roc_auc_score(columns: dict[str, Any]) -> Read:
    from sklearn.metrics import roc_auc_score

    area = float(roc_auc_score(columns["actual"], columns["score"]))
    return lambda: {"AUC": [area]}


# labels


def _matrix(columns: dict[str, Any]) -> Read:
    from cranfield import confusion

    matrix = confusion(columns["class"], columns["guess"])
    return lambda: {"matrix": matrix.counts.ravel().tolist()}


def _confusion_matrix(columns: dict[str, Any]) -> Read:
    from sklearn.metrics import confusion_matrix

    matrix = confusion_matrix(columns["class"], columns["guess"])
    return lambda: {"matrix": matrix.ravel().tolist()}


def _classes(columns: dict[str, Any]) -> Read:
    from cranfield import classify

    classified = classify(columns["kind"], columns["predicted"])
    names = ("Precision", "Recall", "F")
    values = [list(classified.classes.per_query(name).values()) for name in names]
    whole = [classified.result[name] for name in (*names, "Accuracy")]
    return lambda: dict(zip(names, values, strict=True)) | {"whole": whole}


def _classification_report(columns: dict[str, Any]) -> Read:
    from sklearn.metrics import classification_report

    report = classification_report(columns["kind"], columns["predicted"], output_dict=True)
    names = {"Precision": "precision", "Recall": "recall", "F": "f1-score"}

    def read() -> Values:
        kinds = sorted(name for name in report if name.startswith("kind"))
        values = {ours: [report[kind][theirs] for kind in kinds] for ours, theirs in names.items()}
        return values | {"whole": [*(report["macro avg"][name] for name in names.values()), report["accuracy"]]}

    return read
