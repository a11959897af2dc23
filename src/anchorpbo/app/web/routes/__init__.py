"""The REST interface: routes parse, call a use case, and return its result. One router per topic.

::

    studies         create, list, show, edit, duplicate, delete, export and import studies; cards
    duels           ask, answer, undo, history, comments, comparisons, and the stream of events
    anchors         list, add, rename, remove and propose anchors
    results         recommendation, assessment, map, figures, expected gains, report
    people          participants, their links and their agreement
    creation        what the page for new studies needs: limits, catalogues, examples, a dry run
    clips           upload, list and play clips; import an archive with clips
    dependencies    the dependencies of routes and the descriptions that several of them share
"""

from anchorpbo.app.web.routes import anchors, clips, creation, duels, people, results, studies

ROUTERS = (
    studies.router,
    duels.router,
    anchors.router,
    results.router,
    people.router,
    creation.router,
    clips.router,
    clips.playback,
)
"""All routers, in the order of the OpenAPI description."""
