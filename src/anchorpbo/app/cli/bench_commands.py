"""The commands of ``anchorpbo bench`` and their options."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from anchorpbo.app.cli.errors import report_errors
from anchorpbo.app.cli.options import DaskAddress, RecordFolder, Resume, Workers
from anchorpbo.errors import InputError


class BenchGroup(TyperGroup):
    """Commands of which one is the default: ``anchorpbo bench rounds`` is ``anchorpbo bench costs rounds``."""

    default_command = "costs"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the default command unless another one, or help, is asked for."""
        named = bool(args) and (args[0] in self.commands or args[0] == "--help")
        return super().parse_args(ctx, args if named else [self.default_command, *args])


bench: typer.Typer = typer.Typer(
    name="bench",
    cls=BenchGroup,
    help="Benchmark this library beside others: costs, answers needed, recorded answers of real people, and what "
    "anchors are worth.\n\n"
    "Start with [bold]anchorpbo bench answers --quick[/bold], or [bold]anchorpbo bench costs --quick[/bold]; "
    "[bold]costs[/bold] is the default.",
    rich_markup_mode="rich",
)


@bench.command()
def costs(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="WHAT", help="startup, growth, rounds or memory; by default all."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Tiny sizes, two minutes; too noisy to quote.")] = False,
    sizes: Annotated[
        str | None, typer.Option(metavar="M,M,...", help="Numbers of duels; by default 10,25,50,100,150,300,1000.")
    ] = None,
    dimensions: Annotated[
        str | None,
        typer.Option(metavar="D,D,...", help="Dimensions of the Hartmann function: 3, 4 and 6; by default all."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Measure only these libraries: anchorpbo,botorch,optuna; repeatable."),
    ] = None,
    limit: Annotated[float, typer.Option(min=0.1, help="Time limit in seconds per library and size.")] = 300.0,
    out: Annotated[Path, typer.Option(help="Folder for results, tables and figures.")] = Path("bench"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the results in the folder and measure the missing ones.")
    ] = False,
) -> None:
    """Time this library beside BoTorch and Optuna, on the same duels with one thread each.

    Start with [bold]anchorpbo bench costs --quick[/bold]. All of it takes an hour or two on an idle machine.

    [bold]rounds[/bold] times the fit, the inference and the search for the next duel, and compares the values found.

    [bold]memory[/bold] is the peak memory of a round, [bold]startup[/bold] the import and the first ask.

    [bold]growth[/bold] is only this library: long catalogues, many duels, many designs, many studies.

    Other libraries come with the extra [bold]bench[/bold]; without it, add --only anchorpbo.
    """
    with report_errors():
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


@bench.command()
def answers(
    problem_set: Annotated[
        str,
        typer.Option("--set", metavar="SET", help="tuning, on which defaults are chosen, or confirmation."),
    ] = "tuning",
    contenders: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="default, default-anchors, version-1, version-1-anchors, hb-ei, paper, paper-anchors, "
            "botorch-probit, botorch-probit-3 (three initial pairs), botorch-logit, optuna, glisp, random; by default "
            "all except botorch-probit-3; slow libraries with some judges only.",
        ),
    ] = None,
    judges: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="sure, constant-low, constant-high, believed, linear, slips; by default all."
        ),
    ] = None,
    placements: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Where the judge's anchors lie: good, random, misleading."),
    ] = None,
    problems: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Problems of the set; by default all.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Number of seeds; by default 20.")] = None,
    first_seed: Annotated[int, typer.Option(min=0, help="First of the seeds.")] = 0,
    number: Annotated[
        int | None,
        typer.Option("--answers", min=1, help="Answers of a study; by default 40, or 60 to test the stopping rule."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few short studies; they prove nothing.")] = False,
    out: RecordFolder = Path("answers"),
    resume: Resume = False,
    workers: Workers = None,
    dask: DaskAddress = None,
) -> None:
    """Count the answers that this library and others need, with simulated users.

    Start with [bold]anchorpbo bench answers --quick[/bold].

    Each study pairs a contender with a judge, a simulated user, on a problem whose best design is known. After each
    answer the recommended design is rated: 0 is a median design, 1 the best. Studies with one seed are paired: they
    share the problem, the anchors, the initial duels and the judge's random numbers.

    A part: [bold]anchorpbo bench answers --contenders default,botorch-probit --judges linear --seeds 5[/bold]. Further
    calls with --resume add to the same folder, and the tables cover all of its records.

    More seeds, on another day or machine: [bold]anchorpbo bench answers --first-seed 20 --seeds 10[/bold] runs seeds 20
    to 29.

    Other libraries come with the extra [bold]bench[/bold].
    """
    with report_errors():
        from anchorpbo.app.cli.bench_answers import run
        from anchorpbo.app.cli.execution import RunOptions
        from anchorpbo.research.answers.plan import BenchmarkPart

        part = BenchmarkPart(
            problem_set=problem_set,
            contenders=_names(contenders),
            judges=_names(judges),
            placements=_names(placements),
            problems=_names(problems),
            seeds=seeds,
            first_seed=first_seed,
            answers=number,
            quick=quick,
        )
        run(part, RunOptions(out, resume, workers, dask))


@bench.command()
def people(
    data: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="sushi, train, soundquality; by default all.")
    ] = None,
    contenders: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="default, version-1, paper, botorch-probit, linear, chance, random, knock-out; by default all.",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--people", min=1, help="People of each data set; by default 100 of sushi and all of the others."),
    ] = None,
    studies: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="replays, predictions, consistency, agreement, contradictions, population, simulated, persons; by "
            "default all, or the first three if contenders are named.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Two people of each data set; they prove nothing.")] = False,
    out: RecordFolder = Path("people"),
    resume: Resume = False,
    workers: Workers = None,
    dask: DaskAddress = None,
) -> None:
    """Predict and replay recorded answers of real people, with this library and others.

    Start with [bold]anchorpbo bench people --quick[/bold].

    [bold]sushi[/bold]: contenders ask a person's order of ten kinds and recommend one. [bold]train[/bold]: the first
    choices of a traveller predict the others. [bold]soundquality[/bold]: the first answers of a listener predict the
    repeated ones, and their consistency is measured. Means and differences have 95 % intervals over people.

    The other studies ask whether noise models describe people: [bold]agreement[/bold] of repeated answers, predicted
    and observed; [bold]contradictions[/bold] of orders and scores among well-known kinds of sushi; anchored against
    constant noise for a [bold]population[/bold], with answers [bold]simulated[/bold] for comparison, and for
    [bold]persons[/bold].

    The data are not part of the library: set [bold]ANCHORPBO_DATA[/bold] to a folder with train/train.csv and
    soundquality/soundquality.csv. The sushi orders are read from it, or downloaded.

    BoTorch comes with the extra [bold]bench[/bold].
    """
    with report_errors():
        from anchorpbo.app.cli.bench_people import run
        from anchorpbo.app.cli.execution import RunOptions
        from anchorpbo.research.people.people_plan import PeoplePart

        part = PeoplePart(_names(data), _names(contenders), number, quick, _names(studies))
        run(part, RunOptions(out, resume, workers, dask))


@bench.command()
def anchors(
    studies: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="validation, checks, learnt, metric, ackley, maps, audit, ask; by default all."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds; by default 3 to 100, see docs/evidence.md.")
    ] = None,
    first_seed: Annotated[int, typer.Option(min=0, help="First of the seeds.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="A few short runs of each study; they prove nothing.")] = False,
    out: RecordFolder = Path("anchors"),
    resume: Resume = False,
    workers: Workers = None,
    dask: DaskAddress = None,
) -> None:
    """Test anchors, noise maps and the audit with simulated experts whose true noise is known.

    Start with [bold]anchorpbo bench anchors --quick[/bold]. All of it takes many hours on a few cores.

    [bold]validation[/bold]: experts with true anchors, with anchors at the places they know least, and with constant
    noise; how often does the study tell them apart? [bold]checks[/bold]: the same with fewer questions about the
    anchors, or with repeated pairs. [bold]learnt[/bold]: what do false anchors cost with a fixed noise
    map, and with one that learns from the answers? [bold]metric[/bold]: distances in units of the learnt length-scales,
    when most parameters do not matter. [bold]ackley[/bold]: the risk-adjusted value of RAHBO under three presets.
    [bold]maps[/bold]: the error of each noise map against known truths. [bold]audit[/bold]: judges with one fault each,
    and how often the audit finds it. [bold]ask[/bold]: the processor time of a question after 150 answers.

    A part: [bold]anchorpbo bench anchors --studies learnt,metric --seeds 5[/bold]. Further calls with --resume add to
    the same folder, and the tables cover all of its records.

    More seeds, on another day or machine: [bold]anchorpbo bench anchors --first-seed 40 --seeds 10[/bold] runs seeds 40
    to 49. Measure [bold]ask[/bold] alone, with --workers 1, on an idle machine.
    """
    with report_errors():
        from anchorpbo.app.cli.bench_anchors import run
        from anchorpbo.app.cli.execution import RunOptions
        from anchorpbo.research.anchors.anchors_plan import AnchorsPart

        run(AnchorsPart(_names(studies), seeds, first_seed, quick), RunOptions(out, resume, workers, dask))


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(each.strip() for each in text.split(","))


def _whole_numbers(option: str, text: str | None, example: str) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError:
        raise InputError(f"{option} must be whole numbers separated by commas", text, f"write {example}") from None
