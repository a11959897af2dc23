"""``python -m anchorpbo``."""

from anchorpbo.app.cli import main

main()
