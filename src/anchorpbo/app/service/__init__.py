"""Use cases of the app, without a web framework and without SQL.

::

    study_service   StudyService, the use cases: create, ask, answer, undo, mark, recommend, map, export, import ...
    session_cache        SessionCache: sessions in memory, and the loop that reads the journal, decides and appends
    memberships     Memberships: the participants of a study and their valid links
    links           signatures of participants' links
    validator       Validator: validation of untrusted input, in processes that can be killed
    imports         an export read as a study
    catalogues      a CSV file read as a catalogue
    exports         the history as CSV
    clips           ClipLibrary: audio and video clips as designs
    archives        a study with its clips as a ZIP file
    maps            grids of a participant's utility, for plots
    agreement       the agreement between participants, with intervals
    shared_pairs    pairs that several participants are asked about
    views           return values of the use cases
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anchorpbo.app.service.study_service import StudyService

__all__ = ["StudyService"]


def __getattr__(name: str) -> Any:
    # Imported on first use, because worker processes do not need it.
    if name == "StudyService":
        from anchorpbo.app.service.study_service import StudyService

        return StudyService
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
