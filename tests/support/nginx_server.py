"""A temporary nginx for tests: in a temporary folder, on a free local port, removed afterwards."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.server_process import free_port

_INSTALL = "nginx is not installed: run `make system` or `apt install nginx-light`"
_STARTUP = 30.0
_CONFIGURATION = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        {location}
    }}
}}
"""


def program() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def running_nginx(location: str) -> Iterator[int]:
    """Yield the port of an nginx with this ``location`` block; tests are skipped if nginx is not installed."""
    found = program()
    if found is None:
        pytest.skip(_INSTALL)
    folder, port = Path(tempfile.mkdtemp(prefix="nginx-")), free_port()
    folder.chmod(0o755)  # workers run as another user
    settings = folder / "nginx.conf"
    settings.write_text(_CONFIGURATION.format(folder=folder, port=port, location=location), "utf-8")
    process = subprocess.Popen(
        [found, "-c", str(settings), "-e", str(folder / "error.log")], stderr=subprocess.PIPE, text=True
    )
    try:
        _wait(process, port)
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=_STARTUP)
        shutil.rmtree(folder)


def _wait(process: subprocess.Popen[str], port: int) -> None:
    give_up = time.monotonic() + _STARTUP
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
            return
        except urllib.error.HTTPError as problem:
            problem.close()
            return
        except OSError:
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < give_up
            time.sleep(0.05)
