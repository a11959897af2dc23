"""Draw docs/images/demo.svg, the output of `anchorpbo demo` shown in the README.

python scripts/make_demo_picture.py
"""

import io
import re
from pathlib import Path

from rich.console import Console

from anchorpbo.app.cli.demo import run

console = Console(record=True, width=84, file=io.StringIO(), force_terminal=True, highlight=False)
run(None, 40, 0, console)
target = Path(__file__).parents[1] / "docs" / "images" / "demo.svg"
# Remove the web font, so that the picture loads nothing from the network.
picture = re.sub(r"@font-face \{.*?\}\n", "", console.export_svg(title="anchorpbo demo"), flags=re.DOTALL)
target.write_text(picture, "utf-8")
print(f"wrote {target.name}")
