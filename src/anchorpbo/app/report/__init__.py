"""The results of a study as one HTML file.

::

    report          render_report, and the sections of a report
    charts          small charts as SVG text
    descriptions    designs, settings and events as text
    page            the HTML document and its style
"""
