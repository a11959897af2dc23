"""The results of a study as one HTML file.

::

    report          render_report, section by section
    charts          small charts as SVG text
    descriptions    designs, settings and events in words
    page            the HTML document and its style
"""
