"""The benchmark ``anchorpbo bench answers``: how many answers a method needs, beside other libraries.

::

    problems      utilities on design spaces: the tuning set and the confirmation set
    judges        simulated users and the anchors they mark
"""
