"""The app: a web server, a command line and the use cases behind both.

::

    cli            the command ``anchorpbo``
    web            REST interface and pages
    report         the results of a study as one HTML file
    examples       example studies
    service        use cases: create a study, answer a duel, recommend, export ...
    scheduler      next duels, computed ahead in worker processes
    definition     what a study is, and one participant's side of it
    rendering      designs as cards, drawings and pictures
    storage        where studies are kept

A package may import those below it in this list; `rendering` and `storage` do not know each other.
"""
