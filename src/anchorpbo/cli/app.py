"""The commands."""

from typing import Annotated

import typer

from anchorpbo import __version__
from anchorpbo.errors import AnchorPBOError

app = typer.Typer(
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


@app.command()
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
    from anchorpbo.cli.demo import run

    try:
        run(strategy, rounds, seed)
    except AnchorPBOError as problem:
        typer.echo(f"anchorpbo: {problem}", err=True)
        raise typer.Exit(2) from None
