"""One ES module from several, for the widget."""

import shutil
import subprocess

import pytest

from anchorpbo.errors import InputError
from anchorpbo.notebook.bundle import bundle


@pytest.fixture
def modules(tmp_path):
    """Modules that import each other, some with the same names inside."""

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
        return bundle(tmp_path / "main.js")

    return write


def run(source, tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    (tmp_path / "bundle.mjs").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [node, "--input-type=module", "-e", 'console.log((await import("./bundle.mjs")).default)'],
        check=True, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    return done.stdout.strip()


def test_imports_are_joined_once_and_private_names_do_not_collide(modules, tmp_path):
    source = modules(
        base='const kept = "base";\nexport const name = () => kept;\nexport class Box { value = kept; }\n',
        left=(
            'import { name } from "./base.js";\nconst kept = "left";\n'
            "export function left() { return kept + name(); }\n"
        ),
        main=(
            'import { Box, name as named } from "./base.js";\nimport { left } from "./left.js";\n'
            'const kept = "main";\nexport default [kept, left(), named(), new Box().value].join(" ");\n'
        ),
    )
    assert source.count('"base"') == 1
    assert run(source, tmp_path) == "main leftbase base base"


def test_comments_on_lines_of_their_own_are_left_out(modules):
    source = modules(main='// why\n/** @import { A } from "./a" */\nconst x = 1; // kept\nexport default x;\n')
    assert "why" not in source
    assert "@import" not in source
    assert "// kept" in source


@pytest.mark.parametrize(
    "other", ["export { a };", "export default a;", 'import * as all from "./main.js";', 'import "x";']
)
def test_imports_and_exports_of_other_forms_are_refused(modules, other):
    with pytest.raises(InputError, match="must have named imports by relative path") as caught:
        modules(part=f"const a = 1;\n{other}\n", main='import { a } from "./part.js";\nexport default a;\n')
    assert caught.value.received == f"{other} in part.js"


def test_a_module_that_is_missing_is_an_error(modules):
    with pytest.raises(FileNotFoundError, match=r"gone\.js"):
        modules(main='import { a } from "./gone.js";\nexport default a;\n')
