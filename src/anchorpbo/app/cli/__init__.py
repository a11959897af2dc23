"""The command line: ``anchorpbo``, also ``python -m anchorpbo``. Commands parse, call a use case and format."""

import sys


def main() -> None:
    """Run the command line, which needs the extra ``cli``."""
    try:
        from anchorpbo.app.cli.commands import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.exit('The command line needs two more packages: pip install "anchorpbo[cli]"')
    app()
