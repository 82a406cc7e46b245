"""Every route of the application and the action that it takes; `campaign.permissions` lists who may take it.

Each route listed here exists as a page, and as JSON under /api.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from cranfield.campaign.web.screens import (
    agreement,
    audit,
    benchmark,
    collecting,
    conflicts,
    downloads,
    entrance,
    fetching,
    generated_reports,
    highlighting,
    judging,
    leaderboards,
    machines,
    overview,
    pooling,
    preferring,
    releases,
    results,
    submitting,
)
from cranfield.frozen import frozen

Method = Literal["GET", "POST"]


@frozen
class Route:
    """A path, its action, and the function that handles it."""

    method: Method
    path: str
    action: str
    answer: Callable[..., Any]
    page: bool = True  # whether there is a page, not only JSON


ROUTES = (
    # first, since routes are tried in order and assessors wait for these
    Route("POST", "/b/{slug}/judge/events", "judge", judging.judge, page=False),
    Route("GET", "/b/{slug}/judge/items/{assignment}", "judge", judging.item, page=False),
    Route("GET", "/b/{slug}/judge/queue", "judge", judging.queue, page=False),
    Route("GET", "/b/{slug}/judge", "judge", judging.judging_page),
    # the others in the order of a campaign
    Route("GET", "/setup/{secret}", "sign in", entrance.setup_page),
    Route("POST", "/setup/{secret}", "sign in", entrance.set_up),
    Route("GET", "/login", "sign in", entrance.login_page),
    Route("POST", "/login", "sign in", entrance.login),
    Route("GET", "/join/{secret}", "sign in", entrance.join_page),
    Route("POST", "/join/{secret}", "sign in", entrance.join),
    Route("POST", "/logout", "use your account", entrance.logout),
    Route("GET", "/account", "use your account", entrance.account_page),
    Route("POST", "/account/password", "use your account", entrance.change_password),
    Route("POST", "/account/sign-out", "use your account", entrance.sign_out_everywhere),
    Route("POST", "/account/tokens", "use your account", entrance.create_token),
    Route("POST", "/account/tokens/{token}/revoke", "use your account", entrance.revoke_token),
    Route("GET", "/", "use your account", benchmark.home),
    Route("GET", "/history", "use your account", releases.history_page),
    Route("POST", "/benchmarks", "create benchmarks", benchmark.create),
    Route("GET", "/b/{slug}", "see the benchmark", overview.benchmark_page),
    Route("GET", "/b/{slug}/topics", "see topics", overview.topics_page),
    Route("GET", "/b/{slug}/topics/file", "see topics", downloads.topics),
    Route("GET", "/b/{slug}/documents/file", "see the benchmark", downloads.manifest),
    Route("POST", "/b/{slug}/topics", "set up", collecting.add_topics),
    Route("POST", "/b/{slug}/documents", "set up", collecting.add_documents),
    Route("GET", "/b/{slug}/proposals", "propose topics", collecting.proposals_page),
    Route("POST", "/b/{slug}/proposals", "propose topics", collecting.propose),
    Route("POST", "/b/{slug}/proposals/{proposal}/accept", "set up", collecting.accept),
    Route("POST", "/b/{slug}/proposals/{proposal}/decline", "set up", collecting.decline),
    Route("GET", "/b/{slug}/runs", "submit runs", submitting.runs_page),
    Route("POST", "/b/{slug}/runs", "submit runs", submitting.submit),
    Route("POST", "/b/{slug}/runs/fetched", "pool", fetching.fetch_run),
    Route("POST", "/b/{slug}/runs/{run}/withdraw", "submit runs", submitting.withdraw),
    Route("GET", "/b/{slug}/runs/{run}/file", "download runs", downloads.run),
    Route("GET", "/b/{slug}/pool", "pool", pooling.pool_page),
    Route("GET", "/b/{slug}/pool/file", "pool", downloads.pool),
    Route("POST", "/b/{slug}/pool", "pool", pooling.build),
    Route("GET", "/b/{slug}/pool/cost", "pool", pooling.cost, page=False),
    Route("GET", "/b/{slug}/pool/quality", "pool", pooling.quality_page),
    Route("GET", "/b/{slug}/pool/separation", "pool", pooling.separation_page),
    Route("POST", "/b/{slug}/assignments", "assign", pooling.assign),
    Route("POST", "/b/{slug}/assignments/back", "assign", pooling.take_back),
    Route("POST", "/b/{slug}/pool/{wave}/delete", "pool", pooling.delete_wave),
    Route("GET", "/b/{slug}/prefer", "judge", preferring.prefer_page),
    Route("POST", "/b/{slug}/prefer", "judge", preferring.prefer),
    Route("POST", "/b/{slug}/prefer/undo", "judge", preferring.undo),
    Route("GET", "/b/{slug}/preferences", "see judgments", preferring.preferences_page),
    Route("POST", "/b/{slug}/preferences", "assign", preferring.deal_pairs),
    Route("GET", "/b/{slug}/preferences/file", "see judgments", preferring.download),
    Route("POST", "/b/{slug}/judge/passages", "judge", highlighting.highlight, page=False),
    Route("GET", "/b/{slug}/passages", "see judgments", highlighting.passages_page),
    Route("POST", "/b/{slug}/judge/answers", "judge", machines.answer, page=False),
    Route("GET", "/b/{slug}/machines", "see judgments", machines.machines_page),
    Route("POST", "/b/{slug}/machines", "invite people", machines.create),
    Route("GET", "/b/{slug}/machines/{account}", "see judgments", machines.answers_page),
    Route("POST", "/b/{slug}/machines/{account}/assign", "assign", machines.assign),
    Route("POST", "/b/{slug}/machines/{account}/sample", "assign", machines.sample),
    Route("POST", "/b/{slug}/machines/{account}/disable", "invite people", machines.disable),
    Route("GET", "/b/{slug}/agreement", "see judgments", agreement.agreement_page),
    Route("GET", "/b/{slug}/conflicts", "see judgments", conflicts.conflicts_page),
    Route("GET", "/b/{slug}/conflicts/{document}", "see judgments", conflicts.conflict_page),
    Route("POST", "/b/{slug}/conflicts/{document}", "adjudicate", conflicts.decide),
    Route("POST", "/b/{slug}/conflicts/{document}/undo", "adjudicate", conflicts.take_back),
    Route("POST", "/b/{slug}/assignments/further", "assign", conflicts.ask_another),
    Route("GET", "/b/{slug}/audit", "see judgments", audit.audit_page),
    Route("GET", "/b/{slug}/audit/file", "see judgments", audit.download),
    Route("GET", "/b/{slug}/results", "see results", results.results_page),
    Route("GET", "/b/{slug}/results/report", "see results", generated_reports.report_page),
    Route("GET", "/b/{slug}/results/compare", "see results", leaderboards.compare_page),
    Route("GET", "/b/{slug}/results/runs/{run}", "see results", leaderboards.run_page),
    Route("GET", "/b/{slug}/results/topics/{topic}", "see results", leaderboards.topic_page),
    Route("GET", "/b/{slug}/results/topics/{topic}/document", "see results", leaderboards.document_page),
    Route("GET", "/b/{slug}/boards/{digest}", "see results", leaderboards.board_page),
    Route("GET", "/b/{slug}/boards/{digest}/{file_format}", "see results", leaderboards.download),
    Route("POST", "/b/{slug}/qrels", "release results", results.export),
    Route("GET", "/b/{slug}/qrels/{version}", "see results", results.download),
    Route("POST", "/b/{slug}/release", "release results", results.release),
    Route("GET", "/b/{slug}/settings", "set up", benchmark.settings_page),
    Route("POST", "/b/{slug}/settings", "set up", benchmark.set_up),
    Route("GET", "/b/{slug}/people", "invite people", benchmark.people_page),
    Route("POST", "/b/{slug}/people", "invite people", benchmark.invite),
    Route("POST", "/b/{slug}/people/{account}", "invite people", benchmark.change_role),
    Route("POST", "/b/{slug}/people/{account}/remove", "invite people", benchmark.remove),
    Route("POST", "/b/{slug}/invitations/{invitation}/withdraw", "invite people", benchmark.withdraw),
)
