"""What the commands for studies take. Whatever is slow to import is imported when a command runs."""

from pathlib import Path
from typing import Annotated

import typer

from anchorpbo.app.cli.errors import errors_in_a_sentence, needing

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        envvar="ANCHORPBO_DB",
        help="Where studies are kept: a file, or postgresql://user:password@host/database. "
        "By default a file in your data folder.",
    ),
]
Study = Annotated[
    str,
    typer.Argument(
        metavar="STUDY", help="Its id or the first characters of it, or a part of its name.", show_default=False
    ),
]
Participant = Annotated[str, typer.Option(metavar="NAME", help="Who answers: someone who takes part in the study.")]

RiskWeight = Annotated[
    float | None,
    typer.Option(min=0.0, help="What a unit of noise costs, in utility; 0 for the plain best.", show_default=False),
]


def serve(
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Three example studies, thrown away when the server stops unless --db says where to keep them.",
        ),
    ] = False,
    db: Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 for any that is free.")] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Another name by which people call this server; may be given again."),
    ] = None,
    browser: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open a browser; by default where there is a screen.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=256,
            show_default=False,
            help="Processes that compute duels; by default one less than there are processors, 8 at most. 0 for none.",
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log each request, without secrets.")] = False,
    no_token: Annotated[
        bool,
        typer.Option(
            "--no-token", help="Let everyone in who reaches the port, also through a proxy. On this machine alone."
        ),
    ] = False,
) -> None:
    """Serve studies: compare designs in a browser.

    Start with [bold]anchorpbo serve --demo[/bold].

    It prints a link that signs you in. The token in it is kept in the data
    folder, or is your own: 16 characters or more, 32 where others can reach
    the server, in the environment variable ANCHORPBO_TOKEN.

    To let others in: [bold]anchorpbo serve --host 0.0.0.0[/bold].

    Outside a network you trust, put a proxy that speaks HTTPS in front,
    and give its name with --name.
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.scheduler.worker_process import start_workers

        # First of all: they load what they need while this process does. They end with it, however it ends.
        started = start_workers(workers)
        from anchorpbo.app.cli.serve import Wishes, leave, run

        run(Wishes(db, demo, host, port, tuple(name or ()), browser, verbose, not no_token), workers=started)
        leave()


def duel(study: Study, participant: Participant = "owner", db: Database = None) -> None:
    """Compare designs, two at a time, here in the terminal.

    As in [bold]anchorpbo duel coffee --participant Ana[/bold].

    Press 1 or 2 for the better one, = where they are alike, s to skip,
    u to undo, a to mark a design you know well, r for the recommendation,
    ? for help, q to quit. Every answer is stored at once.

    Without a terminal, answers are read one a line:
    [bold]anchorpbo duel coffee < answers.txt[/bold].
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.duel import run

        run(db, study, participant)


def recommend(
    study: Study,
    participant: Participant = "owner",
    risk_weight: RiskWeight = None,
    db: Database = None,
) -> None:
    """The design to take, by the answers so far, and how sure that is.

    As in [bold]anchorpbo recommend coffee --risk-weight 0[/bold].
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.recommend import recommend as run

        run(db, study, participant, risk_weight)


def report(
    study: Study,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="By default study-ID.html in this folder.", show_default=False)
    ] = None,
    participant: Participant = "owner",
    risk_weight: RiskWeight = None,
    db: Database = None,
) -> None:
    """Write a report, a page that can be sent and kept.

    As in [bold]anchorpbo report coffee --out coffee.html[/bold].
    """
    with errors_in_a_sentence(failure=1), needing("a report", "web"):
        from anchorpbo.app.cli.recommend import report as run

        run(db, study, participant, out, risk_weight)


def simulate(
    example: Annotated[str, typer.Argument(metavar="EXAMPLE", help="coffee, poster or molecules.")] = "coffee",
    duels: Annotated[int, typer.Option(min=1, max=1000, help="Duels to ask.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same answers.")] = 0,
    strategy: Annotated[
        str | None,
        typer.Option(help="How to choose the next duel: ei, ucb, eubo, or risk-averse anpei, rahbo, raeubo."),
    ] = None,
    noise: Annotated[
        float, typer.Option(min=0.0, max=100.0, help="Times the noise of the expert; 0 for one who never errs.")
    ] = 1.0,
) -> None:
    """Run an example study with a simulated expert, and see how good what it recommends is.

    As in [bold]anchorpbo simulate molecules --duels 40 --noise 0[/bold].
    """
    with errors_in_a_sentence(failure=1):
        from anchorpbo.app.cli.simulate import run

        run(example, duels, seed, strategy, noise)
