"""The FastAPI application: REST routes and pages behind the guard."""

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
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.layouts import add_layouts
from anchorpbo.app.service.links import Signer
from anchorpbo.app.service.validator import VALIDATOR_PROCESSES, Validator
from anchorpbo.app.storage.base import Storage
from anchorpbo.app.web import pages
from anchorpbo.app.web.access import Authenticator
from anchorpbo.app.web.guard import Guard
from anchorpbo.app.web.problem_details import add_handlers, add_problem_schema
from anchorpbo.app.web.routes import ROUTERS
from anchorpbo.app.web.schemas import export_example
from anchorpbo.app.web.settings import Settings
from anchorpbo.app.web.stream import JournalWatcher
from anchorpbo.numerics.allocator import release_large_blocks

_DESCRIPTION = """
Preferential Bayesian optimisation that knows where its user can judge: create a study, mark designs you know well, ask
for a duel, answer it, ask for the recommendation.
"""


class App(FastAPI):
    """FastAPI with the guard as its outermost layer and problem details in its OpenAPI description."""

    def build_middleware_stack(self) -> ASGIApp:
        """Put the guard outside of everything; `add_middleware` would put it inside the error handler."""
        return Guard(super().build_middleware_stack(), self.state.authenticator)

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description of the REST interface."""
        if self.openapi_schema is None:
            described = add_layouts(add_problem_schema(super().openapi()))
            body = described["paths"]["/api/studies/import"]["post"]["requestBody"]["content"]["application/json"]
            body["example"] = export_example()
        return super().openapi()


def make_app(storage: Storage, settings: Settings | None = None, workers: Sequence[WorkerProcess] = ()) -> App:
    """Return an app that serves the studies of a storage.

    Duels are computed in worker processes, see `anchorpbo.app.scheduler`, or in a thread if there are none. With
    workers, untrusted input is validated in separate processes, started on demand. All of them end with the app.
    """
    settings = settings or Settings()
    scheduler = Scheduler(workers)
    validator = Validator(
        [WorkerProcess("anchorpbo.app.service.validator") for _ in range(VALIDATOR_PROCESSES if workers else 0)]
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        release_large_blocks()
        scheduler.warm_up()
        yield
        app.state.watcher.close()
        scheduler.close()
        validator.close()

    app = App(
        title="anchorpbo",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.studies = StudyService(storage, scheduler=scheduler, validator=validator)
    app.state.authenticator = Authenticator(settings, Signer(storage.secret("links")))
    app.state.watcher = JournalWatcher(storage)
    add_handlers(app)
    for router in (*ROUTERS, pages.router):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=pages.STATIC), name="static")
    return app
