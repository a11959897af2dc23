"""Write the types of the pages' scripts: of the REST interface from OpenAPI, and of elements from the templates.

::

    rest.d.ts       requests and responses, by openapi-typescript, see package.json
    elements.d.ts   the elements with an id of each page

`tsc` checks the scripts in `app/web/static` against both, and `tests/app/web/test_web_types.py` checks that both are
up to date.
"""

import json
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from run_node import find_node

from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.app.web import make_app

ROOT = Path(__file__).parents[1]
WEB = ROOT / "src" / "anchorpbo" / "app" / "web"
REST, ELEMENTS = WEB / "rest.d.ts", WEB / "elements.d.ts"
GENERATOR = ROOT / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
HEADER = "// Written by scripts/make_web_types.py; do not edit.\n\n"


def make_rest_types() -> str:
    """Return the types of requests and responses."""
    described = json.dumps(_shorten(make_app(MemoryStorage()).openapi()))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "openapi.json"), Path(folder, "rest.d.ts")
        source.write_text(described)
        command = [*find_node()[0], str(GENERATOR), str(source), "--output", str(target)]
        options = ["--root-types", "--root-types-no-schema-prefix", "--default-non-nullable=false"]
        subprocess.run([*command, *options], check=True, capture_output=True, cwd=ROOT)
        return HEADER + target.read_text().partition("*/\n\n")[2]


def _shorten(schema: Any, is_map: bool = False) -> Any:
    """Return a schema without examples, titles and errors, all of which are `Problem`."""
    if isinstance(schema, list):
        return [_shorten(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    left_out = () if is_map else ("title", "example", "examples", "operationId", "summary")
    return {
        name: _shorten(part, is_map=name in ("properties", "schemas", "paths"))
        for name, part in schema.items()
        if name not in left_out and not (name.isdecimal() and int(name) >= 400)
    }


class _Ids(HTMLParser):
    """Reader of the tags of elements with an id."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag of an element with an id."""
        id = dict(attrs).get("id")
        if id and "{" not in id:
            self.tags[id] = tag


def make_element_types() -> str:
    """Return the types of the elements with an id, by template."""
    lines = []
    for template in sorted((WEB / "templates").glob("*.html")):
        reader = _Ids()
        reader.feed(template.read_text(encoding="utf-8"))
        tags = "".join(f'    "{id}": HTMLElementTagNameMap["{tag}"];\n' for id, tag in sorted(reader.tags.items()))
        lines.append(f"  {template.stem}: {{\n{tags}  }};\n")
    described = "/** Elements by page and id; those of `base` are on every page. */"
    return f"{HEADER}{described}\nexport interface Pages {{\n{''.join(lines)}}}\n"


def main() -> None:
    """Write both files."""
    REST.write_text(make_rest_types(), encoding="utf-8")
    ELEMENTS.write_text(make_element_types(), encoding="utf-8")


if __name__ == "__main__":
    main()
