"""The command `cranfield`: its subcommands, and how it ends.

Decided here: with which status a command ends.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

import click

from cranfield.commands.output import escape_what_is_not_encodable, tell, write
from cranfield.commands.parameters import imported, install_completion, option
from cranfield.commands.process import limit_memory, reason_of
from cranfield.commands.statuses import FAILED, FAULT, INTERRUPTED, MEANING, SUCCESS, USAGE
from cranfield.errors import BadSetting, CranfieldError, UnknownMeasure
from cranfield.trec_eval.command import trec_eval

GROUPS = {  # in the order of the help, and where each command is declared
    "Evaluate": {
        "eval": "cranfield.rankings.command:eval_command",
        "classify": "cranfield.classification.command:classify_command",
        "regress": "cranfield.regression.command:regress_command",
        "agree": "cranfield.agreement.command:agree_command",
        "answers": "cranfield.answers.command:answers_command",
    },
    "Compare and plan": {
        "compare": "cranfield.comparison.command:compare_command",
        "plan": "cranfield.planning.command:plan_command",
        "check": "cranfield.gates.command:check_command",
        "history": "cranfield.releases.command:history_command",
    },
    "Show": {
        "report": "cranfield.reporting.command:report_command",
        "plot": "cranfield.cli.plot:plot_command",
        "curve": "cranfield.rankings.command:curve_command",
    },
    "Collect": {
        "pool": "cranfield.pools.command:pool_command",
        "fetch": "cranfield.fetching.command:fetch_command",
        "label": "cranfield.labelling.command:label_command",
        "audit": "cranfield.auditing.command:audit_command",
        "serve": "cranfield.campaign.commands:serve_command",
    },
    "Look up": {
        "measures": "cranfield.advice.command:measures_command",
        "findings": "cranfield.advice.command:findings_command",
        "advise": "cranfield.advice.command:advise_command",
    },
    "Statistics for special questions": {
        "bayes": "cranfield.comparison.command:bayes_command",
        "mixed": "cranfield.comparison.command:mixed_command",
        "meta": "cranfield.comparison.command:meta_command",
        "monitor": "cranfield.comparison.command:monitor_command",
        "latent": "cranfield.stability.command:latent_command",
        "reproduce": "cranfield.stability.command:reproduce_command",
        "correlate": "cranfield.correlation.command:correlate_command",
        "estimate": "cranfield.estimation.command:estimate_command",
    },
    "Campaigns": {
        "submit": "cranfield.campaign.commands:submit_command",
        "judge": "cranfield.campaign.commands:judge_command",
        "api": "cranfield.campaign.commands:api_command",
        "backup": "cranfield.campaign.commands:backup_command",
        "restore": "cranfield.campaign.commands:restore_command",
        "doctor": "cranfield.campaign.commands:doctor_command",
    },
    "Also": {
        "demo": "cranfield.demo.command:demo_command",
        "trec_eval": "",  # which parses its own options
    },
}
COMMANDS = {name: place for commands in GROUPS.values() for name, place in commands.items()}
_COMPLETE = "_CRANFIELD_COMPLETE"  # set by the shell

_STATUSES = "\n".join(f"  {status:<4} {meaning}" for status, meaning in MEANING.items())
_ENDINGS = f"""\b
Exit status:
{_STATUSES}

\b
Environment:
  CRANFIELD_MAX_MEMORY  memory that a command may use, such as 8G (default: four fifths of the machine's)
  CRANFIELD_MAX_LINE    longest line of a file (default: 64M)
  CRANFIELD_MAX_RATIO   largest decompression ratio of a file that unpacks to more than 64 MB (default: 200)
  CRANFIELD_DEBUG       1 shows the traceback of a bug in cranfield
"""


class Commands(click.Group):
    """The commands, each imported when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name == "trec_eval":
            return click.Command(cmd_name, help=_TREC_EVAL)
        return imported(COMMANDS[cmd_name])() if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A section of the help per group, their columns aligned."""
        width = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), _summary(name)) for name in names])


def _summary(name: str) -> str:
    """What a command does, without making it: the settings of verbs would be imported."""
    text: str = imported(COMMANDS[name]).__doc__ if COMMANDS[name] else _TREC_EVAL
    return text.partition("\n")[0]


_TREC_EVAL = "Print what trec_eval prints, byte for byte; see trec_eval -h."


def _print_version(context: click.Context, _: click.Parameter, requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        from cranfield.engines.choice import engine

        write(f"cranfield {version('cranfield')} (engine: {engine().NAME})\n", None)
        context.exit()


def _print_help(**_: Any) -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        write(f"{context.get_help()}\n", None)
        context.exit(USAGE)


_VERSION = option("--version", is_flag=True, is_eager=True, callback=_print_version, help="Show the version and exit.")
_COMPLETION = option(
    "--install-completion", is_flag=True, is_eager=True, callback=install_completion,
    help="Install completion for the current shell and exit.",
)  # fmt: skip
app = Commands(
    "cranfield",
    commands=dict.fromkeys(COMMANDS),  # type: ignore[arg-type]  # for suggestions; get_command returns the commands
    callback=_print_help,
    invoke_without_command=True,
    help="How good is a system that ranks, labels or scores?",
    epilog=_ENDINGS,
    params=[declare() for declare in (_VERSION, _COMPLETION)],
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; every error is reported in one line."""
    escape_what_is_not_encodable()  # a character that the terminal cannot show is not an error
    if arguments is None and hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # stop when the pipe is closed, as other commands do
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["trec_eval"]:
        return trec_eval(words[1:], limited=arguments is None)  # whose options Click cannot parse
    try:
        if arguments is None:
            limit_memory("cranfield")
        return _run(words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except click.ClickException as error:
        return _refused(_usage(error), USAGE)
    except (UnknownMeasure, BadSetting) as error:
        return _refused(str(error), USAGE)
    except (CranfieldError, OSError, MemoryError) as error:
        return _refused(reason_of(error), FAILED)
    except Exception as error:
        if os.environ.get("CRANFIELD_DEBUG"):
            raise
        return _refused(f"a bug in cranfield, {type(error).__name__}: {error} (CRANFIELD_DEBUG=1 shows where)", FAULT)


def _run(words: list[str]) -> int:
    """Run the command or a shell completion; app.main would print a line when interrupted."""
    if instruction := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, "cranfield", _COMPLETE, instruction)
    try:
        with app.make_context("cranfield", words, obj=time.monotonic()) as context:  # progress counts from here
            app.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return SUCCESS


def _refused(reason: str, status: int) -> int:
    tell(reason)
    return status


def _usage(error: click.ClickException) -> str:
    """The error in the command line, with a reference to the help."""
    message = error.format_message().removesuffix(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "cranfield"
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"
