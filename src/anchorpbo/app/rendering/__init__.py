"""Designs as cards: rows of values, drawings and pictures.

::

    cards         Card, a design as people see it; make_card
    display       check_display, the rules for how a study's designs are shown
    templates     Template, an SVG with placeholders
    expressions   Expression, the content of a placeholder
    svg           sanitize_svg, an SVG rewritten from allowed elements and attributes
    molecules     draw_molecule, with RDKit
    clips         audio and video clips: their formats and limits
    pictures      image files of a catalogue's folder, and pictures embedded in a study
"""
