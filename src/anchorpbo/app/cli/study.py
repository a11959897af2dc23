"""``anchorpbo study``: create, list, show, export, import and delete studies."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from zipfile import is_zipfile

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anchorpbo.app.cli.database import find_study, format_db_option, open_service
from anchorpbo.app.cli.terminal import make_console, make_printable
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.archives import import_archive, write_archive
from anchorpbo.app.service.catalogues import read_catalogue
from anchorpbo.app.service.exports import history_to_csv
from anchorpbo.app.service.views.studies import StudyView
from anchorpbo.errors import IncompatibleError, InputError
from anchorpbo.formatting import format_count
from anchorpbo.space import Catalogue
from anchorpbo.study.files import load_text, save_bytes

Request = dict[str, Any]


@dataclass(frozen=True)
class StudySource:
    """Source of the designs of a new study; exactly one field is set."""

    space: Path | None = None
    catalogue: Path | None = None
    example: str | None = None


@dataclass(frozen=True)
class ColumnRoles:
    """Roles of the columns of a catalogue; guessed if none is given."""

    features: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    fingerprint: tuple[str, ...] = ()
    key: str | None = None
    image: str | None = None
    clip: str | None = None
    smiles: str | None = None
    link: str | None = None
    title: str | None = None

    @property
    def _has_model_columns(self) -> bool:
        """Whether columns that the model uses are given."""
        return bool(self.features or self.categories or self.fingerprint or self.key)

    @property
    def display(self) -> dict[str, str]:
        """Columns that are shown, by their role."""
        shown = {"image": self.image, "clip": self.clip, "smiles": self.smiles, "link": self.link, "title": self.title}
        return {key: column for key, column in shown.items() if column is not None}


def new(
    db: str | None, name: str | None, source: StudySource, roles: ColumnRoles, options: Mapping[str, Any],
    console: Console | None = None,
) -> None:  # fmt: skip
    """Create a study and print the next commands."""
    console = make_console() if console is None else console
    request, folder = _request(source, roles)
    if name is not None:
        request["name"] = name
    if not request.get("name"):
        raise InputError("a study needs a name", "none", 'add --name "Pour-over coffee"')
    given = {key: value for key, value in options.items() if value is not None}
    if given:
        request["options"] = {**(request.get("options") or {}), **given}
    with open_service(db) as studies:
        view = studies.create(request, folder)
        clip_folder = None if source.catalogue is None else source.catalogue.resolve().parent
        with studies.delete_on_error(view.id):
            missing = [] if clip_folder is None else _upload_clips(studies, view.id, clip_folder)
        console.print(Text(f"Created {make_printable(view.name)}, a study of {_size(view)}: {view.id}"))
        _report_missing_images(console, request, folder)
        if missing:
            _report_missing(console, "clip", missing, str(clip_folder))
        where = format_db_option(db)
        console.print(
            Text(f"Compare designs with anchorpbo duel {view.id}{where}, or in a browser with anchorpbo serve{where}."),
            soft_wrap=True,
        )


def list_studies(db: str | None, console: Console | None = None) -> None:
    """Print a table of all studies."""
    console = make_console() if console is None else console
    with open_service(db) as studies:
        lines = studies.list_studies()
    if not lines:
        console.print("There are no studies yet. Create one: anchorpbo study new --example coffee")
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("id", "name", "answers", "last change", ""):
        table.add_column(heading, justify="right" if heading == "answers" else "left", overflow="fold")
    for line in lines:
        state = "archived" if line.archived else ""
        table.add_row(line.id, Text(make_printable(line.name)), str(line.answers), _time(line.updated), state)
    console.print(table, soft_wrap=False)


def show(db: str | None, study: str, console: Console | None = None) -> None:
    """Print the parameters, participants and progress of a study."""
    console = make_console() if console is None else console
    with open_service(db) as studies:
        view = studies.show(find_study(studies, study))
        people = studies.participants.show(view.id)
    console.print(Text(make_printable(view.name), "bold"))
    if view.description:
        console.print(Text(make_printable(view.description)))
    chosen = ", ".join(f"{name} {_brief(value)}" for name, value in view.options.items() if value is not None)
    console.print(Text(f"id {view.id}, created {_time(view.created)}, last change {_time(view.updated)}"))
    console.print(Text(f"options: {make_printable(chosen)}"))
    console.print(_parts(view), soft_wrap=False)
    table = Table("participant", "answers", "anchors", box=box.SIMPLE_HEAD, show_edge=False)
    for one in people:
        table.add_row(Text(make_printable(one.name)), str(one.answers), str(one.anchors))
    console.print(table, soft_wrap=False)


def edit(db: str | None, study: str, changes: Mapping[str, Any], console: Console | None = None) -> None:
    """Change the texts of a study, or archive it."""
    console = make_console() if console is None else console
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        raise InputError("an edit must change something", "no option", 'add --name "Another name", say')
    with open_service(db) as studies:
        view = studies.edit(find_study(studies, study), given)
    state = ", archived" if view.archived else ""
    console.print(Text(f"Saved {make_printable(view.name)}{state}: {view.id}"))


def duplicate(db: str | None, study: str, console: Console | None = None) -> None:
    """Create a study with the same definition, without answers."""
    console = make_console() if console is None else console
    with open_service(db) as studies:
        view = studies.duplicate(find_study(studies, study))
    console.print(Text(f"Created {make_printable(view.name)}: {view.id}"))


def export(db: str | None, study: str, format: Literal["json", "csv", "zip"], out: Path | None) -> None:
    """Export the study as JSON, or with its clips as ZIP, or its history as CSV."""
    with open_service(db) as studies:
        id = find_study(studies, study)
        if format == "zip":
            _save(b"".join(write_archive(studies, id)), out)
            return
        if format == "csv":
            text = history_to_csv(studies.history(id), studies.definition(id).space.names)
        else:
            text = json.dumps(studies.export(id), indent=1, allow_nan=False) + "\n"
    _save(text.encode("utf-8", "surrogatepass"), out)


def _save(data: bytes, out: Path | None) -> None:
    if out is None:
        typer.echo(data, nl=False)  # bytes, so that no terminal or platform changes them
    else:
        save_bytes(out, data)
        typer.echo(f"Written to {out}.", err=True)


def import_study(db: str | None, path: Path, console: Console | None = None) -> None:
    """Create a study from an export."""
    console = make_console() if console is None else console
    is_archive = str(path) != "-" and is_zipfile(path)
    layout = None if is_archive else _read_json(path)
    with open_service(db) as studies:
        with console.status("Replaying its answers"):
            if is_archive:
                with path.open("rb") as file:
                    view = import_archive(studies, file)
            else:
                view = studies.import_study(layout)
        console.print(
            Text(f"Imported {make_printable(view.name)} with {format_count(view.answers, 'answer')}: {view.id}")
        )


def invite(db: str | None, study: str, name: str, console: Console | None = None) -> None:
    """Add a participant."""
    console = make_console() if console is None else console
    with open_service(db) as studies:
        id = find_study(studies, study)
        one = studies.participants.invite(id, name)
    console.print(
        Text(f"{make_printable(one.name)} was added. A link for them is on the People page of anchorpbo serve.")
    )


def delete(db: str | None, study: str, *, sure: bool, console: Console | None = None) -> None:
    """Delete a study permanently."""
    console = make_console() if console is None else console
    with open_service(db) as studies:
        view = studies.show(find_study(studies, study))
        what = f"{make_printable(view.name)} ({view.id}) with {format_count(view.answers, 'answer')}"
        if not sure and not typer.confirm(f"Delete {what} permanently?"):
            console.print("Nothing was deleted.")
            return
        studies.delete(view.id)
        console.print(Text(f"Deleted {what}."))


# -- internals --------------------------------------------------------------------------------------------------------


def _request(source: StudySource, roles: ColumnRoles) -> tuple[Request, str | None]:
    """Return the request for a new study and the folder of its images."""
    given = [name for name, value in vars(source).items() if value is not None]
    if len(given) != 1:
        received = " and ".join(f"--{name}" for name in given) or "none of them"
        rule = "a study needs exactly one of --space, --catalogue and --example"
        raise IncompatibleError(rule, received, "see anchorpbo study new --help")
    if source.catalogue is None and roles != ColumnRoles():
        raise IncompatibleError("column options need a catalogue", f"--{given[0]}", "give the file with --catalogue")
    if source.example is not None:
        from anchorpbo.app.examples import get_example

        one = get_example(source.example)
        return one.definition | {"anchors": [dict(design) for design in one.suggested_anchors]}, None
    if source.space is not None:
        return _read_space(source.space), None
    assert source.catalogue is not None
    request = _read_catalogue_file(source.catalogue, roles)
    return request, str(source.catalogue.resolve().parent) if "image" in request["display"] else None


def _read_space(path: Path) -> Request:
    """Read a space, or a whole study if the file has the key ``space``."""
    data = _read_json(path)
    if not isinstance(data, dict):
        raise InputError(f"{path} must contain an object", repr(data), 'write {"kind": "space", "parameters": [...]}')
    return dict(data) if "space" in data else {"space": data}


def _read_catalogue_file(path: Path, roles: ColumnRoles) -> Request:
    if not roles._has_model_columns:
        guessed = read_catalogue(load_text(path).encode("utf-8", "surrogatepass"))
        return {"space": guessed.space, "display": {**guessed.display, **roles.display}}
    fingerprint = roles.fingerprint[0] if len(roles.fingerprint) == 1 else roles.fingerprint or None
    catalogue = Catalogue.from_csv(path, roles.features or None, roles.categories, fingerprint, roles.key)
    return {"space": catalogue.to_dict(), "display": {"title": catalogue.key, **roles.display}}


def _read_json(path: Path) -> Any:
    text = sys.stdin.read() if str(path) == "-" else load_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} must be a JSON file", error, "check it, or export it again") from error


def _report_missing_images(console: Console, request: Request, folder: str | None) -> None:
    if folder is None:
        return
    column = next(one for one in request["space"]["columns"] if one["name"] == request["display"]["image"])
    missing = [name for name in column["values"] if not (Path(folder) / str(name)).is_file()]
    if missing:
        _report_missing(console, "image", missing, folder)


def _report_missing(console: Console, what: str, missing: Sequence[str], folder: str) -> None:
    files = format_count(len(missing), what)
    console.print(Text(f"{files} not found in {folder}, such as {make_printable(missing[0])}."))


def _upload_clips(studies: StudyService, id: str, folder: Path) -> list[str]:
    """Store the clips that are directly in a folder, and return the names of the missing ones."""
    for name in studies.clips.show(id).missing:
        path = folder / name
        if path.is_file():
            studies.clips.put(id, name, path.read_bytes())
    return studies.clips.show(id).missing


def _size(view: StudyView) -> str:
    if view.space["kind"] == "catalogue":
        return format_count(len(view.space["columns"][0]["values"]), "item")
    return format_count(len(view.space["parameters"]), "parameter")


def _parts(view: StudyView) -> Table:
    """Return a table of parameters or columns."""
    labels, units = view.display.get("labels", {}), view.display.get("units", {})
    table = Table("", "values", "unit", "label", box=box.SIMPLE_HEAD, show_edge=False)
    for name, what in _kinds(view):
        table.add_row(*(Text(make_printable(each)) for each in (name, what, units.get(name, ""), labels.get(name, ""))))
    return table


def _kinds(view: StudyView) -> list[tuple[str, str]]:
    space = view.space
    if space["kind"] == "space":
        return [(one["name"], _range(one)) for one in space["parameters"]]
    roles = {name: role for role in ("features", "categories") for name in space.get(role) or ()}
    words = {"features": "number", "categories": "category"}
    shown = [one["name"] for one in space["columns"] if one["name"] not in (space.get("fingerprint") or ())]
    return [(name, words[roles[name]] if name in roles else "only shown") for name in shown]


def _range(parameter: Mapping[str, Any]) -> str:
    if "low" in parameter:
        return f"{parameter['low']:g} to {parameter['high']:g}"
    if "values" in parameter:
        return ", ".join(str(value) for value in parameter["values"])
    return "yes or no" if parameter["kind"] == "boolean" else str(parameter.get("value", parameter["kind"]))


def _brief(option: Any) -> str:
    """Format an option: a name, a number, or the class of an object."""
    return str(option.get("class", option)) if isinstance(option, Mapping) else str(option)


def _time(text: str) -> str:
    """Format a time in UTC for a list."""
    return text[:16].replace("T", " ")
