"""Options and arguments that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        envvar="ANCHORPBO_DB",
        help="Database of the studies: a file, or postgresql://user:password@host/database. "
        "By default a file in your data folder.",
    ),
]
Study = Annotated[
    str,
    typer.Argument(
        metavar="STUDY", help="Id of the study, the start of its id, or a part of its name.", show_default=False
    ),
]
Participant = Annotated[str, typer.Option(metavar="NAME", help="Participant who answers.")]

RiskWeight = Annotated[
    float | None,
    typer.Option(min=0.0, help="Utility that a unit of noise costs; 0 ignores the noise.", show_default=False),
]

Strategy = Annotated[
    str | None,
    typer.Option(
        help="Acquisition function: ei, ucb, eubo, or risk-averse anpei, rahbo, raeubo; euco, kg. By default kg.",
        show_default=False,
    ),
]

RecordFolder = Annotated[Path, typer.Option(help="Folder for records and reports.")]
Resume = Annotated[bool, typer.Option("--resume", help="Keep the records in the folder and run the missing ones.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Worker processes; by default one per core.")]
DaskAddress = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on this Dask scheduler, such as tcp://host:8786.")
]
