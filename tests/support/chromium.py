"""Starts the Chromium of the system."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

TIMEOUT = 60_000
"""Milliseconds that a slow machine may take for a step."""
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
MISSING = "there is no Chromium: `make system` or `apt install chromium` installs it"
# Nothing of Chromium's own is looked up, fetched or sent.
ARGUMENTS = [
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@contextmanager
def running_chromium() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        if os.environ.get("ANCHORPBO_REQUIRE_BROWSER") == "1":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
