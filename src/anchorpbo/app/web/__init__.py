"""The server: REST (`routes`) and pages (`pages`) on top of the use cases.

::

    app                 make_app, the FastAPI application
    server              sockets, uvicorn, connection limits, logging
    settings            host, port, token and limits of a server
    guard               middleware: host names, origins, body sizes, security headers
    access              authentication: owner or participant; throttle, the limit on wrong tokens
    routes/             REST routes, one router per topic
    schemas             request bodies of REST routes, and examples for OpenAPI
    byte_ranges         range requests, by which browsers seek in a clip
    limits              the largest sizes that the server accepts
    problem_details     errors as RFC 9457 problem details
    stream              server-sent events
    pages               HTML pages, from static/ and templates/
"""

from anchorpbo.app.web.app import make_app
from anchorpbo.app.web.settings import Settings

__all__ = ["Settings", "make_app"]
