"""The server: REST (`api`) and pages (`pages`) on top of the use cases.

::

    app          make_app, all of it together
    settings     where it listens and what it lets in
    guard        what every request goes through: names, origins, sizes, headers
    access       who is asking: owner or participant
    api          routes for programs; schemas, what they take; problems, how errors look; wording, how they read
    before       routes before there is a study: examples, and a check of what is written
    stream       server-sent events
    pages        routes for people; static and templates, what they are made of
"""

from anchorpbo.app.web.app import make_app
from anchorpbo.app.web.settings import Settings

__all__ = ["Settings", "make_app"]
