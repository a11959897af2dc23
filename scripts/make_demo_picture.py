"""Draw docs/images/demo.svg, the picture of the README: what `anchorpbo demo` prints.

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
# Without the web font: a picture should not call home.
picture = re.sub(r"@font-face \{.*?\}\n", "", console.export_svg(title="anchorpbo demo"), flags=re.DOTALL)
target.write_text(picture, "utf-8")
print(f"wrote {target.name}")
