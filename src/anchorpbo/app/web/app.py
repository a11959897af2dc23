"""The application: REST and pages, guarded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from anchorpbo import __version__
from anchorpbo.app.scheduler.scheduler import Scheduler
from anchorpbo.app.scheduler.worker_process import WorkerProcess
from anchorpbo.app.service import Studies
from anchorpbo.app.service.checks import PROCESSES, Checks
from anchorpbo.app.service.links import Signer
from anchorpbo.app.storage.base import Storage
from anchorpbo.app.web import api, before, pages
from anchorpbo.app.web.access import Gate
from anchorpbo.app.web.guard import Guard
from anchorpbo.app.web.problems import add_handlers, describe_problem
from anchorpbo.app.web.schemas import export_example
from anchorpbo.app.web.settings import Settings
from anchorpbo.app.web.stream import Watcher
from anchorpbo.numerics.memory import give_back_large_blocks

_DESCRIPTION = """
Preferential Bayesian optimisation that knows where its user can judge: make a study, mark designs you know well, ask
for a duel, answer it, ask for the recommendation.
"""


class App(FastAPI):
    """FastAPI with a guard around all of it and problems in its description."""

    def build_middleware_stack(self) -> ASGIApp:
        """Layers from the outside in; a middleware that is added in the usual way would be inside of error pages."""
        return Guard(super().build_middleware_stack(), self.state.gate)

    def openapi(self) -> dict[str, Any]:
        """The description of the REST interface."""
        if self.openapi_schema is None:
            described = describe_problem(super().openapi())
            body = described["paths"]["/api/studies/import"]["post"]["requestBody"]["content"]["application/json"]
            body["example"] = export_example()
        return super().openapi()


def make_app(storage: Storage, settings: Settings | None = None, workers: Sequence[WorkerProcess] = ()) -> App:
    """An app that serves the studies of a storage.

    Duels are computed in worker processes, see `anchorpbo.app.scheduler`, which end with the app, or in a thread.
    Where there are any, what comes from outside is checked in processes as well, started when they are needed.
    """
    settings = settings or Settings()
    ahead = Scheduler(workers)
    checks = Checks([WorkerProcess("anchorpbo.app.service.checks") for _ in range(PROCESSES if workers else 0)])

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        give_back_large_blocks()
        ahead.warm_up()
        yield
        app.state.closing = True
        ahead.close()
        checks.close()

    app = App(
        title="anchorpbo", version=__version__, description=_DESCRIPTION, lifespan=life, docs_url=None, redoc_url=None
    )
    app.state.settings = settings
    app.state.studies = Studies(storage, ahead=ahead, checks=checks)
    app.state.gate = Gate(settings, Signer(storage.secret("links")))
    app.state.closing = False
    app.state.watcher = Watcher(storage, lambda: app.state.closing)
    add_handlers(app)
    app.include_router(api.router)
    app.include_router(before.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=pages.STATIC), name="static")
    return app
