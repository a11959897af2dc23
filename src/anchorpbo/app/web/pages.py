"""Routes of the HTML pages: they check the access and fill a template, whose script calls the REST interface."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, unquote

import plotly
from fastapi import APIRouter, Form, Query, Request
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response

from anchorpbo.app.examples import EXAMPLES
from anchorpbo.app.rendering.pictures import EmbeddedPicture, find_picture
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.app.web.access import ACCESS, Access, Authenticator, CurrentAccess, ThrottledError
from anchorpbo.app.web.limits import Limits
from anchorpbo.app.web.problem_details import local_path
from anchorpbo.app.web.routes.dependencies import CurrentAuthenticator, CurrentStudies

_HERE = Path(__file__).parent
_PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
STATIC = _HERE / "static"
templates = Jinja2Templates(_HERE / "templates")  # autoescaping is on
router = APIRouter(include_in_schema=False)

EXPECTED_COMPARISONS, EXPECTED_MINUTES = "20 to 40", "5 to 15"
"""What the welcome page says about the length of a study: within 40 answers most curves of docs/answers.md are flat."""
YEAR_SECONDS = 365 * 24 * 3600
WRONG_TOKEN = "That is not the token: copy the whole link from the terminal."
USED_CODE = "This address was used before, or is too old. Sign in with the token, or the link, from the terminal."
_LINK = "#token="
AsQuery = Annotated[str | None, Query(alias="as", max_length=200)]


def _page(request: Request, name: str, access: Access | None, status: int = 200, **context: Any) -> Response:
    signed_in = access is not None and access.is_owner
    known = {"owner": signed_in, "limits": Limits.from_settings(request.app.state.settings)}
    return templates.TemplateResponse(request, name, known | context, status_code=status)


def _study_page(
    request: Request, studies: StudyService, access: Access, id: str, name: str, participant: str | None, **more: Any
) -> Response:
    """Render a page of one study for a participant, or for the owner acting as one."""
    participant = access.resolve_participant(id, participant or None)
    study = studies.show(id)
    if participant not in study.participants:
        raise HTTPException(404, f"this study has no participant called {participant}; check the link")
    page = name.removesuffix(".html")
    context: dict[str, Any] = {"study": study, "participant": participant, "page": page, "OWNER": OWNER}
    return _page(request, name, access, **context, **more)


@router.get("/")
def home(request: Request, studies: CurrentStudies, access: CurrentAccess) -> Response:
    """List all studies; participants are redirected to theirs."""
    if access.study is not None:
        return RedirectResponse(f"/studies/{access.study}/duel", 303)
    return _page(request, "home.html", access, page="home", studies=studies.list_studies())


@router.get("/new")
def new(request: Request, access: CurrentAccess) -> Response:
    """Create a study."""
    access.require_owner()
    return _page(request, "new.html", access, page="new")


@router.get("/studies/{id}")
def study(
    request: Request, studies: CurrentStudies, access: CurrentAccess, id: str, participant: AsQuery = None
) -> Response:
    """Redirect to the anchors on the first visit, else to the duel."""
    whose = access.resolve_participant(id, participant or None)
    seen = _anchors_cookie(whose) in request.cookies or studies.duels.has_begun(id, whose)
    return RedirectResponse(_page_path(id, "duel" if seen else "anchors", participant), 303)


@router.get("/studies/{id}/welcome")
def welcome(
    request: Request, studies: CurrentStudies, access: CurrentAccess, id: str, participant: AsQuery = None
) -> Response:
    """Tell a participant what the study is for and how long it takes."""
    shown = {"comparisons": EXPECTED_COMPARISONS, "minutes": EXPECTED_MINUTES}
    return _study_page(request, studies, access, id, "welcome.html", participant, **shown)


@router.get("/studies/{id}/duel")
def duel(
    request: Request, studies: CurrentStudies, access: CurrentAccess, id: str, participant: AsQuery = None
) -> Response:
    """Compare two designs."""
    return _study_page(request, studies, access, id, "duel.html", participant)


@router.get("/studies/{id}/anchors")
def anchors(
    request: Request, studies: CurrentStudies, access: CurrentAccess, id: str, participant: AsQuery = None
) -> Response:
    """Mark anchors."""
    whose = access.resolve_participant(id, participant or None)
    marked = studies.anchors.list_designs(id, whose)
    from_example = whose == OWNER and _come_from_example(studies, id, marked)
    response = _study_page(
        request, studies, access, id, "anchors.html", whose, marked=marked, from_example=from_example
    )
    response.set_cookie(
        _anchors_cookie(whose), "1", max_age=YEAR_SECONDS, path=f"/studies/{id}", httponly=True, samesite="lax"
    )
    return response


@router.get("/studies/{id}/results")
def results(
    request: Request, studies: CurrentStudies, access: CurrentAccess, id: str, participant: AsQuery = None
) -> Response:
    """Show the recommendation, maps and history."""
    return _study_page(request, studies, access, id, "results.html", participant)


@router.get("/studies/{id}/people")
def people(request: Request, studies: CurrentStudies, access: CurrentAccess, id: str) -> Response:
    """Show participants, their links and their agreement."""
    access.require_owner()
    return _study_page(request, studies, access, id, "people.html", OWNER)


@router.get("/studies/{id}/images/{name}")
def image(studies: CurrentStudies, access: CurrentAccess, id: str, name: str) -> Response:
    """Send an image of a catalogue."""
    access.require_study(id)
    studies.memberships.check(id)  # the cache may hold a study that another process has deleted
    found = _find_image(studies, id, name)
    if found is None:
        raise HTTPException(404, "the catalogue has no such image; check its image column and folder")
    return FileResponse(found) if isinstance(found, Path) else Response(found.content, media_type=f"image/{found.kind}")


def _find_image(studies: StudyService, id: str, name: str) -> EmbeddedPicture | Path | None:
    """Return an image of the catalogue: a picture embedded in the study, or a file in the catalogue's folder."""
    definition = studies.definition(id)
    if name not in definition.images:
        return None
    sent = studies.cards.picture(id, name)
    if sent is not None or definition.folder is None:
        return sent
    return find_picture(definition.folder, name)


@router.get("/login")
def ask_for_token(request: Request, authenticator: CurrentAuthenticator, once: str | None = None) -> Response:
    """Show the login page, or sign in with a single-use code."""
    if once is None:
        return _page(request, "login.html", None, page="login")
    return _sign_in(request, authenticator, lambda: authenticator.check_code(once, request), USED_CODE)


@router.post("/login")
def sign_in(
    request: Request,
    authenticator: CurrentAuthenticator,
    token: Annotated[str, Form(max_length=500)],
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    """Sign the owner in with the token, or the link that contains it, and redirect to a local page."""
    return _sign_in(
        request,
        authenticator,
        lambda: authenticator.check_token(_extract_token(token), request),
        WRONG_TOKEN,
        local_path(then),
    )


def _sign_in(
    request: Request, authenticator: Authenticator, check: Callable[[], bool], wrong: str, then: str = "/"
) -> Response:
    """Sign the owner in and redirect if the check succeeds, else show the login page with an error."""
    try:
        if not check():
            return _page(request, "login.html", None, status=401, page="login", wrong=wrong, next=then)
    except ThrottledError as refusal:
        wrong = f"{str(refusal).capitalize()}."
        response = _page(request, "login.html", None, status=429, page="login", wrong=wrong, next=then)
        response.headers.update(refusal.headers)
        return response
    response = RedirectResponse(then, 303)
    authenticator.sign_in(response)
    return response


def _extract_token(given: str) -> str:
    """Extract the token from pasted text: the printed link, or the token itself."""
    _, mark, token = given.strip().partition(_LINK)
    return unquote(token) if mark else given.strip()


@router.get("/join/{id}/{name}/{signature}")
def join(
    request: Request, studies: CurrentStudies, authenticator: CurrentAuthenticator, id: str, name: str, signature: str
) -> Response:
    """Sign a participant in by their link."""
    try:
        participant = bytes.fromhex(name).decode()
    except ValueError:
        participant = ""
    standing = studies.memberships.get(id, participant) if participant else None
    if standing is None or not authenticator.verify_link(id, participant, signature, standing.link):
        raise HTTPException(403, "this link is not valid; ask the sender for a new one")
    found: Access | None = request.scope[ACCESS]
    is_owner = found is not None and found.is_owner  # then the page must name the participant
    page = "duel" if studies.duels.has_begun(id, participant) else "welcome"
    response = RedirectResponse(_page_path(id, page, participant if is_owner else None), 303)
    authenticator.join(response, id, participant, standing.link)
    return response


def _come_from_example(studies: StudyService, id: str, marked: list[Design]) -> bool:
    """Return whether some marked anchors are the suggested ones of the study's example."""
    example = EXAMPLES.get(studies.show(id).example or "")
    if example is None or not any(design in marked for design in example.suggested_anchors):
        return False
    added = [event["design"] for event in studies.history(id, OWNER) if event["type"] == "anchor_added"]
    suggested = list(example.suggested_anchors)
    return added[: len(suggested)] == suggested


def _anchors_cookie(participant: str) -> str:
    """Return the name of the cookie that records that a participant has seen the anchors page."""
    return f"anchorpbo_anchors_{participant.encode('utf-8', 'surrogatepass').hex()}"


def _page_path(id: str, page: str, participant: str | None) -> str:
    """Return the path of a page of a study."""
    return f"/studies/{quote(id, safe='')}/{page}" + (f"?as={quote(participant, safe='')}" if participant else "")


@router.get("/static/plotly.min.js")
def plotly_js() -> Response:
    """Send Plotly's JavaScript from the installed package."""
    return FileResponse(_PLOTLY, media_type="text/javascript", headers={"Cache-Control": "max-age=86400"})
