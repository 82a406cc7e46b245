"""The command `cranfield`: what it can do, and how it ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated

import typer

from cranfield.cli import agree, classify, compare, correlate, curve, latent, plan, regress, report, reproduce
from cranfield.cli import eval as evaluation
from cranfield.cli import measures as catalogue
from cranfield.cli import plot as plotting
from cranfield.cli.trec_eval import trec_eval
from cranfield.errors import BadSetting, CranfieldError, UnknownMeasure

FAILED, USAGE, FAULT = 1, 2, 3

_ENDINGS = """\b
Exit status:
  0    done
  1    the data cannot be used, or the output cannot be written
  2    the command is wrong: an unknown option or measure, a setting out of range
  3    a fault in cranfield itself (CRANFIELD_DEBUG=1 shows where)
  130  interrupted
  141  whoever read the output stopped reading, as in | head
"""

app = typer.Typer(
    name="cranfield",
    epilog=_ENDINGS,
    rich_markup_mode=None,  # panels are for terminals only, and cost a tenth of a second
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval", epilog=evaluation.EXAMPLES)(evaluation.evaluate_runs)
app.command("classify", epilog=classify.EXAMPLES)(classify.classify_items)
app.command("regress", epilog=regress.EXAMPLES)(regress.regress_items)
app.command("curve", epilog=curve.EXAMPLES)(curve.draw_curve)
app.command("plot", epilog=plotting.EXAMPLES)(plotting.draw_plot)
app.command("report", epilog=report.EXAMPLES)(report.write_report)
app.command("compare", epilog=compare.EXAMPLES)(compare.compare_systems)
app.command("plan", epilog=plan.EXAMPLES)(plan.plan_queries)
app.command("reproduce", epilog=reproduce.EXAMPLES)(reproduce.reproduce_order)
app.command("latent", epilog=latent.EXAMPLES)(latent.fit_latent)
app.command("correlate", epilog=correlate.EXAMPLES)(correlate.correlate_orders)
app.command("agree", epilog=agree.EXAMPLES)(agree.agree_on_ratings)
app.command("measures", epilog=catalogue.EXAMPLES)(catalogue.explain_measures)
app.command("trec_eval", help="Print what trec_eval prints, byte for byte; trec_eval -h says how.")(lambda: None)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"cranfield {version('cranfield')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def cranfield(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """How good is a system that ranks, labels or scores?"""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(USAGE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status; whatever is wrong is said in one line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name the terminal cannot show is no reason to stop
    if arguments is None and hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end when nobody reads on, as other commands do
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["trec_eval"]:
        return trec_eval(given[1:])  # whose options Typer would take for its own
    try:
        return app(None if arguments is None else list(arguments), prog_name="cranfield", standalone_mode=False) or 0
    except typer.TyperException as error:
        return _refused(_usage(error), USAGE)
    except (UnknownMeasure, BadSetting) as error:
        return _refused(str(error), USAGE)
    except CranfieldError as error:
        return _refused(str(error), FAILED)
    except OSError as error:
        return _refused(f"{error.filename}: {error.strerror}" if error.filename else str(error), FAILED)
    except MemoryError:
        return _refused("there is not enough memory", FAILED)
    except Exception as error:
        if os.environ.get("CRANFIELD_DEBUG"):
            raise
        return _refused(f"a fault in cranfield, {type(error).__name__}: {error} (CRANFIELD_DEBUG=1 shows where)", FAULT)


def _refused(reason: str, status: int) -> int:
    print(f"cranfield: {' '.join(reason.split())}", file=sys.stderr)
    return status


def _usage(error: typer.TyperException) -> str:
    """What is wrong with the command line, and where to read how it goes."""
    said = error.format_message().replace("Value error, ", "").removesuffix(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "cranfield"
    return f"{said[:1].lower()}{said[1:]} ({command} --help says how)"
