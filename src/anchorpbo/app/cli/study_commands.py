"""The commands of ``anchorpbo study`` and their options."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anchorpbo.app.cli.errors import report_errors
from anchorpbo.app.cli.options import Database, Strategy, Study

study: typer.Typer = typer.Typer(
    name="study",
    help="Create, list, edit, export and import studies.\n\nStart with "
    "[bold]anchorpbo study new --example coffee[/bold], then [bold]anchorpbo study list[/bold].",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

_KIND = "Designs"
_COLUMNS = "Columns of a catalogue"
Columns = list[str] | None


class Format(StrEnum):
    """Format of an export."""

    json = "json"
    csv = "csv"
    zip = "zip"


@study.command()
def new(
    name: Annotated[str | None, typer.Option(help="Name of the study.", show_default=False)] = None,
    space: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Parameters and constraints.", rich_help_panel=_KIND),
    ] = None,
    catalogue: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="A list of items, one per row.", rich_help_panel=_KIND),
    ] = None,
    example: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="An example study: coffee, poster or molecules.", rich_help_panel=_KIND),
    ] = None,
    feature: Annotated[
        Columns,
        typer.Option(metavar="COLUMN", help="Column of numbers; repeatable.", rich_help_panel=_COLUMNS),
    ] = None,
    category: Annotated[
        Columns,
        typer.Option(metavar="COLUMN", help="Column of categories; repeatable.", rich_help_panel=_COLUMNS),
    ] = None,
    fingerprint: Annotated[
        Columns,
        typer.Option(
            metavar="COLUMN",
            help="Bits: one column of bit strings, or one per bit.",
            rich_help_panel=_COLUMNS,
        ),
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column that identifies an item.", rich_help_panel=_COLUMNS)
    ] = None,
    image: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of image files beside the CSV file.", rich_help_panel=_COLUMNS),
    ] = None,
    clip: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of audio or video files beside the CSV file.", rich_help_panel=_COLUMNS
        ),
    ] = None,
    smiles: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of SMILES; molecules are drawn.", rich_help_panel=_COLUMNS),
    ] = None,
    link: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of web addresses.", rich_help_panel=_COLUMNS)
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of titles.", rich_help_panel=_COLUMNS)
    ] = None,
    strategy: Strategy = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Random seed.", show_default=False)] = None,
    repeat_rate: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of questions that repeat an earlier pair; by default 0.05.",
            show_default=False,
        ),
    ] = None,
    db: Database = None,
) -> None:
    r"""Create a study.

    From an example:
    [bold]anchorpbo study new --example coffee[/bold]

    From a catalogue; the roles of its columns are guessed unless given:
    [bold]anchorpbo study new --name Beans --catalogue beans.csv[/bold]
    [bold]... --feature acidity --feature body --category origin[/bold]

    From parameters:
    [bold]anchorpbo study new --name Tea --space tea.json[/bold]
    where tea.json is
    {"kind": "space", "parameters": \[
    {"name": "minutes", "kind": "real", "low": 1, "high": 8},
    {"name": "sort", "kind": "categorical", "values": \["green", "black"]}]},
    or a whole study with name, space, description, anchors, display, options.
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import ColumnRoles, StudySource, new

        columns = [tuple(each or ()) for each in (feature, category, fingerprint)]
        roles = ColumnRoles(columns[0], columns[1], columns[2], key, image, clip, smiles, link, title)
        options = {"strategy": strategy, "seed": seed, "repeat_rate": repeat_rate}
        new(db, name, StudySource(space, catalogue, example), roles, options)


@study.command("list")
def list_studies(db: Database = None) -> None:
    """List all studies, the newest first.

    Example: [bold]anchorpbo study list --db studies.db[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import list_studies

        list_studies(db)


@study.command()
def show(study: Study, db: Database = None) -> None:
    """Show the parameters and participants of a study.

    Example: [bold]anchorpbo study show coffee[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import show

        show(db, study)


@study.command()
def edit(
    study: Study,
    name: Annotated[str | None, typer.Option(help="New name.", show_default=False)] = None,
    question: Annotated[str | None, typer.Option(help="Question above each pair.", show_default=False)] = None,
    description: Annotated[str | None, typer.Option(help="What the study is for.", show_default=False)] = None,
    archived: Annotated[
        bool | None, typer.Option("--archive/--restore", help="Archive the study or restore it.", show_default=False)
    ] = None,
    shared_pairs: Annotated[
        float | None,
        typer.Option(help="Share of questions about pairs that others answered, 0 to 0.5.", show_default=False),
    ] = None,
    db: Database = None,
) -> None:
    """Rename a study, change its question, its description or its shared pairs, or archive it.

    Example: [bold]anchorpbo study edit coffee --name "Coffee, second batch"[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import edit

        texts = {"name": name, "question": question, "description": description}
        edit(db, study, texts | {"archived": archived, "shared_pairs": shared_pairs})


@study.command()
def duplicate(study: Study, db: Database = None) -> None:
    """Create a study with the same designs, settings and anchors, without answers.

    Example: [bold]anchorpbo study duplicate coffee[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import duplicate

        duplicate(db, study)


@study.command()
def export(
    study: Study,
    format: Annotated[
        Format | None,
        typer.Option(
            help="json for the study, zip with its clips, csv for its history. By default by the suffix of --out, else "
            "json.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File to write; by default standard output.", show_default=False)
    ] = None,
    db: Database = None,
) -> None:
    """Export a study as JSON, or with its clips as ZIP, or its history as CSV.

    Example: [bold]anchorpbo study export coffee --out coffee.json[/bold],
    or --out coffee.csv for a spreadsheet, or --out sounds.zip for a study with clips.
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import export

        suffix = "" if out is None else out.suffix.lower().removeprefix(".")
        chosen = format or (Format(suffix) if suffix in set(Format) else Format.json)
        export(db, study, chosen.value, out)


@study.command("import")
def import_study(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File written by export; - reads standard input.")],
    db: Database = None,
) -> None:
    """Import an exported study under a new id.

    Example: [bold]anchorpbo study import coffee.json[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import import_study

        import_study(db, file)


@study.command()
def invite(
    study: Study,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new participant.", show_default=False)],
    db: Database = None,
) -> None:
    """Add a participant, who has their own anchors and duels.

    Example: [bold]anchorpbo study invite coffee Ana[/bold],
    then [bold]anchorpbo duel coffee --participant Ana[/bold].
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import invite

        invite(db, study, name)


@study.command()
def delete(
    study: Study,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    db: Database = None,
) -> None:
    """Delete a study and all its answers permanently.

    Example: [bold]anchorpbo study delete coffee[/bold]. To keep a copy, export it first.
    """
    with report_errors(failure=1):
        from anchorpbo.app.cli.study import delete

        delete(db, study, sure=yes)
