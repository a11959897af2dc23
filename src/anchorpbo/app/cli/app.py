"""The commands."""

from pathlib import Path
from typing import Annotated

import typer

from anchorpbo import __version__
from anchorpbo.app.cli import signatures
from anchorpbo.app.cli.errors import errors_in_a_sentence
from anchorpbo.app.cli.study_signatures import study
from anchorpbo.errors import InputError

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


app.command(rich_help_panel=STUDIES)(signatures.serve)
app.add_typer(study, rich_help_panel=STUDIES)
app.command(rich_help_panel=STUDIES)(signatures.duel)
app.command(rich_help_panel=STUDIES)(signatures.recommend)
app.command(rich_help_panel=STUDIES)(signatures.report)
app.command(rich_help_panel=TRYING)(signatures.simulate)


@app.command(rich_help_panel=TRYING)
def demo(
    strategy: Annotated[
        str | None,
        typer.Option(help="How to choose the next duel: ei, ucb, eubo, or risk-averse anpei, rahbo, raeubo."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Duels to ask.")] = 45,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same study.")] = 0,
) -> None:
    """Run a whole study with a simulated expert, here in the terminal.

    The expert knows the designs near five anchors and judges others hesitantly. Two at a time are put to them.
    """
    from anchorpbo.app.cli.demo import run

    with errors_in_a_sentence():
        run(strategy, rounds, seed)


@app.command(rich_help_panel=RESEARCH)
def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="illustration, main, anchor-placement, ranking, time, ackley6, candy, five-anchors, anchor-quality, "
            "anchor-count, anchor-process, consistency, concentration, one-step, kde-time, inference, sensitivity, "
            "or all; nothing for a list.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few minutes' worth instead of the paper's size.")] = False,
    seeds: Annotated[int | None, typer.Option(min=1, help="Runs that differ in the seed alone: a count.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Duels chosen in a run, after the eight to start.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Run these alone, such as hartmann3 or rahbo; may be given again, or with commas."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the records, figures and tables.")] = Path("reproduction"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the records in the folder and run what is missing.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one a core.")] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Send the runs to this Dask scheduler, as tcp://host:8786.")
    ] = None,
) -> None:
    """Run an experiment of the paper: its records, figures, tables, and what becomes of its claims.

    Start with [bold]anchorpbo reproduce main --quick[/bold]. What a run finds depends on its settings alone, so that an
    interrupted experiment can go on with --resume, and experiments in one folder share their runs.
    """
    with errors_in_a_sentence():
        from anchorpbo.app.cli.reproduce import list_experiments, run
        from anchorpbo.research.experiments.experiment import ExperimentSize

        if name is None:
            list_experiments()
            return
        names = [each.strip() for text in only or [] for each in text.split(",")]
        run(name, ExperimentSize(seeds, rounds, quick), names, out, resume=resume, dask=dask, workers=workers)


@app.command(rich_help_panel=RESEARCH)
def bench(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="WHAT", help="startup, growth, rounds or memory, several or, by default, all."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Tiny sizes, two minutes: a look, not to quote.")] = False,
    sizes: Annotated[
        str | None, typer.Option(metavar="M,M,...", help="Numbers of duels; by default 10,25,50,100,150,300,1000.")
    ] = None,
    dimensions: Annotated[
        str | None, typer.Option(metavar="D,D,...", help="Among 3, 4 and 6, by default all: Hartmann's functions.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Measure these libraries alone: anchorpbo, botorch, optuna; may be given again, or commas."),
    ] = None,
    limit: Annotated[float, typer.Option(min=0.1, help="Seconds after which a library is stopped at a size.")] = 300.0,
    out: Annotated[Path, typer.Option(help="Folder of the results, tables and figures.")] = Path("bench"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the results in the folder and measure what is missing.")
    ] = False,
) -> None:
    """Measure this library beside BoTorch and Optuna: the same duels, one run, one thread each.

    Start with [bold]anchorpbo bench --quick[/bold]. All of it takes an hour or two on an idle machine.

    [bold]rounds[/bold] times fit, inference and the search of the next duel, and compares the values found.

    [bold]memory[/bold] is the largest memory of a round, [bold]startup[/bold] an import and the first ask.

    [bold]growth[/bold] is this library alone: long lists, many duels, many designs, many studies.

    Other libraries come with the extra [bold]bench[/bold]; without it, add --only anchorpbo.
    """
    with errors_in_a_sentence():
        from anchorpbo.research.bench.contender import select_contenders
        from anchorpbo.research.bench.suite import SuiteExtent

        libraries = [each.strip() for text in only or [] for each in text.split(",")]
        extent = SuiteExtent(
            select_contenders(libraries),
            _whole_numbers("--sizes", sizes, "10,50,150"),
            _whole_numbers("--dimensions", dimensions, "3,4,6"),
            quick,
        )
        from anchorpbo.app.cli.bench import run

        run(what or [], extent, limit, out, resume=resume)


def _whole_numbers(option: str, text: str | None, example: str) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError:
        raise InputError(f"{option} must be whole numbers with commas between", text, f"write {example}") from None
