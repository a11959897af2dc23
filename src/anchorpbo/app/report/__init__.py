"""The results of a study as one HTML file.

::

    report          render_report, and the sections of a report
    pictures        figures as SVG, embedded in the page
    descriptions    designs, settings and events as text
    page            the HTML document and its style
"""
