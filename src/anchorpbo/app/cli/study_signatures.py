"""What the commands of ``anchorpbo study`` take."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anchorpbo.app.cli.errors import errors_in_a_sentence
from anchorpbo.app.cli.signatures import Database, Study

study: typer.Typer = typer.Typer(
    name="study",
    help="Make studies, list them, export and import them.\n\nStart with "
    "[bold]anchorpbo study new --example coffee[/bold], then [bold]anchorpbo study list[/bold].",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

_KIND = "What it is made of"
_COLUMNS = "Columns of a catalogue"
Columns = list[str] | None


class Format(StrEnum):
    """What an export is written as."""

    json = "json"
    csv = "csv"


@study.command()
def new(
    name: Annotated[str | None, typer.Option(help="What people call it.", show_default=False)] = None,
    space: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Parameters and constraints.", rich_help_panel=_KIND),
    ] = None,
    catalogue: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="A list of items, one a row.", rich_help_panel=_KIND),
    ] = None,
    example: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="coffee, poster or molecules, with its anchors.", rich_help_panel=_KIND),
    ] = None,
    feature: Annotated[
        Columns, typer.Option(metavar="COLUMN", help="Numbers; may be given again.", rich_help_panel=_COLUMNS)
    ] = None,
    category: Annotated[
        Columns, typer.Option(metavar="COLUMN", help="Equal or not; may be given again.", rich_help_panel=_COLUMNS)
    ] = None,
    fingerprint: Annotated[
        Columns,
        typer.Option(metavar="COLUMN", help="Bits, in one column or one each.", rich_help_panel=_COLUMNS),
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Identifies an item.", rich_help_panel=_COLUMNS)
    ] = None,
    image: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Image files in the folder of the CSV.", rich_help_panel=_COLUMNS),
    ] = None,
    smiles: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Molecules to draw.", rich_help_panel=_COLUMNS)
    ] = None,
    link: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Addresses to look at.", rich_help_panel=_COLUMNS)
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Heads an item.", rich_help_panel=_COLUMNS)
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="How duels are chosen: ei, ucb, eubo, anpei, rahbo, raeubo.", show_default=False),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of everything random.", show_default=False)] = None,
    db: Database = None,
) -> None:
    r"""Make a study.

    Of an example:
    [bold]anchorpbo study new --example coffee[/bold]

    Of a list, whose columns are guessed or given:
    [bold]anchorpbo study new --name Beans --catalogue beans.csv[/bold]
    [bold]... --feature acidity --feature body --category origin[/bold]

    Of parameters:
    [bold]anchorpbo study new --name Tea --space tea.json[/bold]
    where tea.json is
    {"kind": "space", "parameters": \[
    {"name": "minutes", "kind": "real", "low": 1, "high": 8},
    {"name": "sort", "kind": "categorical", "values": \["green", "black"]}]},
    or a whole study with name, space, description, anchors, display, options.
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.study import Roles, Source, new

        columns = [tuple(each or ()) for each in (feature, category, fingerprint)]
        roles = Roles(columns[0], columns[1], columns[2], key, image, smiles, link, title)
        new(db, name, Source(space, catalogue, example), roles, {"strategy": strategy, "seed": seed})


@study.command("list")
def list_studies(db: Database = None) -> None:
    """List all studies, the newest first.

    As in [bold]anchorpbo study list --db studies.db[/bold].
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.study import listing

        listing(db)


@study.command()
def show(study: Study, db: Database = None) -> None:
    """Show one study: its parameters and who takes part.

    As in [bold]anchorpbo study show coffee[/bold].
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.study import show

        show(db, study)


@study.command()
def export(
    study: Study,
    format: Annotated[
        Format | None,
        typer.Option(
            help="json for all of it, csv for a table of its history. By default as --out ends, or json.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="By default standard output.", show_default=False)
    ] = None,
    db: Database = None,
) -> None:
    """Export a study, to keep it, to move it or to look at it elsewhere.

    As in [bold]anchorpbo study export coffee --out coffee.json[/bold],
    or --out coffee.csv for a spreadsheet.
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.study import export

        is_table = format is Format.csv or (format is None and out is not None and out.suffix.lower() == ".csv")
        export(db, study, "csv" if is_table else "json", out)


@study.command("import")
def import_study(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What export wrote; - for standard input.")],
    db: Database = None,
) -> None:
    """Import a study that was exported, under a new id.

    As in [bold]anchorpbo study import coffee.json[/bold].
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.study import bring_in

        bring_in(db, file)


@study.command()
def invite(
    study: Study,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who is to take part.", show_default=False)],
    db: Database = None,
) -> None:
    """Let someone take part, with anchors and duels of their own.

    As in [bold]anchorpbo study invite coffee Ana[/bold],
    then [bold]anchorpbo duel coffee --participant Ana[/bold].
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.study import invite

        invite(db, study, name)


@study.command()
def delete(
    study: Study,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Database = None,
) -> None:
    """Delete a study and all its answers, for good.

    As in [bold]anchorpbo study delete coffee[/bold]. To keep a copy, export it first.
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.study import delete

        delete(db, study, sure=yes)
