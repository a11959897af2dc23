"""The app: a web server, a command line and the use cases behind both.

::

    cli            the command ``anchorpbo``
    web            REST interface and pages
    report         the results of a study as one HTML file
    examples       example studies
    service        use cases: create a study, answer a duel, recommend, export ...
    scheduler      next duels, computed in advance in worker processes
    definition     the definition of a study, and the session of one participant
    rendering      designs as cards, drawings and pictures
    storage        storage back ends for studies

A package may import the packages below it in this list; `rendering` and `storage` do not import each other.
"""
