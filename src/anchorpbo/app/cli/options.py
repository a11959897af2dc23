"""Options and arguments that several commands take."""

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
