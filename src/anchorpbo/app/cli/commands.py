"""The commands and their options. Slow imports happen when a command runs, so that ``--help`` is quick."""

from pathlib import Path
from typing import Annotated

import typer

from anchorpbo import __version__
from anchorpbo.app.cli.bench_commands import bench
from anchorpbo.app.cli.errors import report_errors, require_extra
from anchorpbo.app.cli.options import (
    DaskAddress,
    Database,
    Participant,
    RecordFolder,
    Resume,
    RiskWeight,
    Strategy,
    Study,
    Workers,
)
from anchorpbo.app.cli.study_commands import study

STUDIES, TRYING, RESEARCH = "Studies", "Trying it out", "Research"

app: typer.Typer = typer.Typer(
    name="anchorpbo",
    help="Preferential Bayesian optimisation that knows where its user can judge.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"anchorpbo {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command(rich_help_panel=STUDIES)
def serve(
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Serve three example studies. They are deleted when the server stops, unless --db is given.",
        ),
    ] = False,
    db: Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 listens on all of them.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 takes any free one.")] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Another host name of this server; repeatable."),
    ] = None,
    browser: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open a browser; by default if this machine has a screen.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=256,
            show_default=False,
            help="Worker processes that compute duels; by default one less than the processors, at most 8. 0 for none.",
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log each request, without secrets.")] = False,
    no_token: Annotated[
        bool,
        typer.Option(
            "--no-token", help="Require no token: everyone who reaches the port is the owner. On this machine only."
        ),
    ] = False,
) -> None:
    """Serve studies: compare designs in a browser.

    Start with [bold]anchorpbo serve --demo[/bold].

    The command prints a link that signs you in. Its token is kept in your
    data folder. To use your own, set the environment variable
    ANCHORPBO_TOKEN: at least 16 characters, 32 if others can reach the server.

    To let others in: [bold]anchorpbo serve --host 0.0.0.0[/bold].

    Outside a network you trust, put an HTTPS proxy in front and give its
    host name with --name.
    """
    with report_errors(failure=1):
        from anchorpbo.app.scheduler.worker_process import start_workers

        # Workers start first, so that they load while this process does. They end when it ends.
        started = start_workers(workers)
        from anchorpbo.app.cli.serve import ServeOptions, exit_process, run

        run(ServeOptions(db, demo, host, port, tuple(name or ()), browser, verbose, not no_token), workers=started)
        exit_process()


app.add_typer(study, rich_help_panel=STUDIES)


@app.command(rich_help_panel=STUDIES)
def duel(study: Study, participant: Participant = "owner", db: Database = None) -> None:
    """Compare designs, two at a time, in the terminal.

    Example: [bold]anchorpbo duel coffee --participant Ana[/bold].

    Press 1 or 2 for the better design, = if they are equally good, s to skip,
    u to undo, a to mark a design you know well, r for the recommendation,
    ? for help, q to quit. Every answer is stored at once.

    Without a terminal, answers are read from standard input, one per line:
    [bold]anchorpbo duel coffee < answers.txt[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.duel import run

        run(db, study, participant)


@app.command(rich_help_panel=STUDIES)
def recommend(
    study: Study,
    participant: Participant = "owner",
    risk_weight: RiskWeight = None,
    db: Database = None,
) -> None:
    """Recommend a design from the answers so far, with its probabilities.

    Example: [bold]anchorpbo recommend coffee --risk-weight 0[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.recommend import recommend as run

        run(db, study, participant, risk_weight)


@app.command(rich_help_panel=STUDIES)
def audit(
    study: Study,
    participant: Participant = "owner",
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    db: Database = None,
) -> None:
    """Check whether the answers of a study can be trusted.

    Example: [bold]anchorpbo audit coffee --participant Ana[/bold].

    Each finding is a number with its 90 % interval and a sentence: accuracy
    and calibration of predicted answers, contradictions, cycles, side bias,
    drift, fatigue, lapses, ties, and the trend of the response times.
    Its result is "problem", "worth a look", "fine" or "cannot tell yet".

    If there are anchors, or pairs that were asked twice, the first lines say
    whether the answers support the anchors, and how often repeated answers
    agree.

    STUDY may also be a file that [bold]Optimizer.save[/bold] has written.
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.audit import audit as run

        run(db, study, participant, as_json=as_json)


@app.command(rich_help_panel=STUDIES)
def report(
    study: Study,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="By default study-ID.html in this folder.", show_default=False),
    ] = None,
    participant: Participant = "owner",
    risk_weight: RiskWeight = None,
    db: Database = None,
) -> None:
    """Write a report: one HTML file with the results.

    Example: [bold]anchorpbo report coffee --out coffee.html[/bold].
    """
    with report_errors(failure=1), require_extra("a report", "web"):
        from anchorpbo.app.cli.recommend import report as run

        run(db, study, participant, out, risk_weight)


@app.command(rich_help_panel=TRYING)
def simulate(
    example: Annotated[str, typer.Argument(metavar="EXAMPLE", help="coffee, poster or molecules.")] = "coffee",
    duels: Annotated[int, typer.Option(min=1, max=1000, help="Duels to ask.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same answers.")] = 0,
    strategy: Strategy = None,
    noise: Annotated[
        float, typer.Option(min=0.0, max=100.0, help="Factor on the expert's noise; 0 for an expert who never errs.")
    ] = 1.0,
) -> None:
    """Run an example study with a simulated expert and rate its recommendation.

    Example: [bold]anchorpbo simulate molecules --duels 40 --noise 0[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.simulate import run

        run(example, duels, seed, strategy, noise)


@app.command(rich_help_panel=TRYING)
def demo(
    strategy: Strategy = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Duels to ask.")] = 45,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same study.")] = 0,
) -> None:
    """Run a whole study with a simulated expert in the terminal.

    The expert judges designs near five anchors reliably and others only hesitantly.
    """
    from anchorpbo.app.cli.demo import run

    with report_errors():
        run(strategy, rounds, seed)


@app.command(rich_help_panel=RESEARCH)
def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="illustration, main, anchor-placement, ranking, time, ackley6, candy, five-anchors, anchor-quality, "
            "anchor-count, anchor-process, consistency, concentration, one-step, kde-time, inference, sensitivity, "
            "or all; without a name, all are listed.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run a few minutes instead of the paper's size.")] = False,
    seeds: Annotated[int | None, typer.Option(min=1, help="Number of seeds.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Duels per run after the eight initial ones.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Run only these problems or strategies, such as hartmann3,rahbo; repeatable."),
    ] = None,
    out: RecordFolder = Path("reproduction"),
    resume: Resume = False,
    workers: Workers = None,
    dask: DaskAddress = None,
) -> None:
    """Run an experiment of the paper and write its figures, tables and claims.

    Start with [bold]anchorpbo reproduce main --quick[/bold]. The result of a run depends only on its settings: an
    interrupted experiment continues with --resume, and experiments in one folder share their runs.
    """
    with report_errors():
        from anchorpbo.app.cli.execution import RunOptions
        from anchorpbo.app.cli.reproduce import list_experiments, run
        from anchorpbo.research.experiments.experiment import ExperimentSize

        if name is None:
            list_experiments()
            return
        names = [each.strip() for text in only or [] for each in text.split(",")]
        run(name, ExperimentSize(seeds, rounds, quick), names, RunOptions(out, resume, workers, dask))


app.add_typer(bench, rich_help_panel=RESEARCH)
