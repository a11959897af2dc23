"""``python -m anchorpbo``."""

from anchorpbo.cli import main

main()
