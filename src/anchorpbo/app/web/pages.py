"""The pages: routes find out who looks at which study and fill a template; the page itself talks to the REST API."""

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
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.views import Design
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.app.web.access import ACCESS, Access, Gate, ThrottledError, WhoAsks
from anchorpbo.app.web.images import image_of
from anchorpbo.app.web.problems import local_path
from anchorpbo.app.web.schemas import MOST_CARDS

_HERE = Path(__file__).parent
_PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
STATIC = _HERE / "static"
templates = Jinja2Templates(_HERE / "templates")  # escapes whatever it fills in
router = APIRouter(include_in_schema=False)

A_YEAR = 365 * 24 * 3600
WRONG_TOKEN = "That is not the token: copy the whole link from the terminal."
USED_CODE = "This address was used before, or is too old. Sign in with the token, or the link, from the terminal."
_LINK = "#token="
As = Annotated[str | None, Query(alias="as", max_length=200)]


def _studies(request: Request) -> StudyService:
    studies: StudyService = request.app.state.studies
    return studies


def _gate(request: Request) -> Gate:
    gate: Gate = request.app.state.gate
    return gate


def _page(request: Request, name: str, access: Access | None, status: int = 200, **context: Any) -> Response:
    signed_in = access is not None and access.is_owner
    return templates.TemplateResponse(request, name, {"owner": signed_in, **context}, status_code=status)


def _study_page(request: Request, access: Access, id: str, name: str, participant: str | None, **more: Any) -> Response:
    """A page about one study, seen by the owner, for themselves or someone else, or by a participant."""
    participant = access.acting(id, participant or None)
    study = _studies(request).show(id)
    if participant not in study.participants:
        raise HTTPException(404, f"nobody called {participant} takes part in this study; check the link")
    page = name.removesuffix(".html")
    context: dict[str, Any] = {"study": study, "participant": participant, "page": page, "OWNER": OWNER}
    return _page(request, name, access, most_cards=MOST_CARDS, **context, **more)


@router.get("/")
def home(request: Request, access: WhoAsks) -> Response:
    """All studies; a participant is sent to theirs."""
    if access.study is not None:
        return RedirectResponse(f"/studies/{access.study}/duel", 303)
    return _page(request, "home.html", access, page="home", studies=_studies(request).studies())


@router.get("/new")
def new(request: Request, access: WhoAsks) -> Response:
    """Make a study."""
    access.as_owner()
    return _page(request, "new.html", access, page="new")


@router.get("/studies/{id}")
def study(request: Request, access: WhoAsks, id: str, participant: As = None) -> Response:
    """The study, at the place where one goes on: the first time, its anchors."""
    whose = access.acting(id, participant or None)
    seen = _seen(whose) in request.cookies or _studies(request).has_begun(id, whose)
    return RedirectResponse(_place(id, "duel" if seen else "anchors", participant), 303)


@router.get("/studies/{id}/duel")
def duel(request: Request, access: WhoAsks, id: str, participant: As = None) -> Response:
    """Two cards to choose between."""
    return _study_page(request, access, id, "duel.html", participant)


@router.get("/studies/{id}/anchors")
def anchors(request: Request, access: WhoAsks, id: str, participant: As = None) -> Response:
    """Designs that are known well."""
    whose = access.acting(id, participant or None)
    marked = _studies(request).anchors(id, whose)
    from_example = whose == OWNER and _are_of_an_example(_studies(request), id, marked)
    response = _study_page(request, access, id, "anchors.html", whose, marked=marked, from_example=from_example)
    response.set_cookie(_seen(whose), "1", max_age=A_YEAR, path=f"/studies/{id}", httponly=True, samesite="lax")
    return response


@router.get("/studies/{id}/results")
def results(request: Request, access: WhoAsks, id: str, participant: As = None) -> Response:
    """The recommendation, maps and history."""
    return _study_page(request, access, id, "results.html", participant)


@router.get("/studies/{id}/people")
def people(request: Request, access: WhoAsks, id: str) -> Response:
    """Participants, their links, and how far they agree."""
    access.as_owner()
    return _study_page(request, access, id, "people.html", OWNER)


@router.get("/studies/{id}/images/{name}")
def image(request: Request, access: WhoAsks, id: str, name: str) -> Response:
    """A picture of a catalogue."""
    access.to(id)
    _studies(request).check_participant(
        id
    )  # a definition is remembered, also of a study that another process has deleted
    found = image_of(_studies(request), id, name)
    if found is None:
        raise HTTPException(404, "the catalogue has no such image; check its image column and folder")
    return FileResponse(found) if isinstance(found, Path) else Response(found.content, media_type=f"image/{found.kind}")


@router.get("/login")
def ask_for_token(request: Request, once: str | None = None) -> Response:
    """Where the owner signs in, at once with a code that is valid once."""
    if once is None:
        return _page(request, "login.html", None, page="login")
    return _sign_in(request, lambda: _gate(request).check_code(once, request), USED_CODE)


@router.post("/login")
def sign_in(
    request: Request,
    token: Annotated[str, Form(max_length=500)],
    then: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    """Let in whoever knows the token or the link that carries it, and lead on to a page of this site."""
    return _sign_in(request, lambda: _gate(request).check_token(_token(token), request), WRONG_TOKEN, local_path(then))


def _sign_in(request: Request, check: Callable[[], bool], wrong: str, then: str = "/") -> Response:
    """Sign the owner in and lead on if a check succeeds, else show the login page with what was wrong."""
    try:
        if not check():
            return _page(request, "login.html", None, status=401, page="login", wrong=wrong, next=then)
    except ThrottledError as refusal:
        wrong = f"{str(refusal).capitalize()}."
        response = _page(request, "login.html", None, status=429, page="login", wrong=wrong, next=then)
        response.headers.update(refusal.headers)
        return response
    response = RedirectResponse(then, 303)
    _gate(request).sign_in(response)
    return response


def _token(given: str) -> str:
    """The token in what someone pasted: the link that the server printed, or the token itself."""
    _, mark, token = given.strip().partition(_LINK)
    return unquote(token) if mark else given.strip()


@router.get("/join/{id}/{name}/{signature}")
def join(request: Request, id: str, name: str, signature: str) -> Response:
    """Let in whoever has a participant's link."""
    try:
        participant = bytes.fromhex(name).decode()
    except ValueError:
        participant = ""
    standing = _studies(request).memberships.get(id, participant) if participant else None
    if standing is None or not _gate(request).is_link(id, participant, signature, standing.link):
        raise HTTPException(403, "this link is not valid; ask whoever sent it for another")
    found: Access | None = request.scope[ACCESS]
    is_owner = found is not None and found.is_owner  # then the page must say as whom they came
    # As Start does: to the anchors the first time, and to the comparisons from then on.
    page = "duel" if _studies(request).has_begun(id, participant) else "anchors"
    response = RedirectResponse(_place(id, page, participant if is_owner else None), 303)
    _gate(request).join(response, id, participant, standing.link)
    return response


def _are_of_an_example(studies: StudyService, id: str, marked: list[Design]) -> bool:
    """Whether the first anchors of a study, of which some are still marked, came with the example it was made from."""
    example = EXAMPLES.get(studies.show(id).example or "")
    if example is None or not any(design in marked for design in example.suggested_anchors):
        return False
    added = [event["design"] for event in studies.history(id, OWNER) if event["type"] == "anchor_added"]
    suggested = list(example.suggested_anchors)
    return added[: len(suggested)] == suggested


def _seen(participant: str) -> str:
    """The cookie of a browser in which a participant saw the anchors of a study; it is sent to that study only."""
    return f"anchorpbo_anchors_{participant.encode('utf-8', 'surrogatepass').hex()}"


def _place(id: str, page: str, participant: str | None) -> str:
    """The path of a page about a study."""
    return f"/studies/{quote(id, safe='')}/{page}" + (f"?as={quote(participant, safe='')}" if participant else "")


@router.get("/static/plotly.min.js")
def plotly_js() -> Response:
    """Plotly's own JavaScript, from the installed package."""
    return FileResponse(_PLOTLY, media_type="text/javascript", headers={"Cache-Control": "max-age=86400"})
