"""Commands, options and routes that pages name exist."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from anchorpbo.app.cli.commands import app
from anchorpbo.app.storage import open_storage
from anchorpbo.app.web import Settings, make_app
from anchorpbo.app.web.problem_details import RESPONSES

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(?:sh|console|ini)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
COMMAND = typer.main.get_command(app)


def commands_in(text):
    """What comes after the name of the program, of every call in the blocks and in running text."""
    inline = re.findall(r"`(anchorpbo [^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    blocks = "\n".join(BLOCK.findall(text)).replace("\\\n", " ")
    lines = [line.removeprefix("$ ").removeprefix("ExecStart=") for line in blocks.splitlines()]
    for line in [*inline, *lines]:
        for part in re.split(r"&&|\||;|\$\(", line):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:  # an apostrophe in what a command printed
                continue
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if "docker run" in part and words.count("anchorpbo") == 2:  # the image, then the program in it
                words = words[len(words) - 1 - words[::-1].index("anchorpbo") :]
            if words and words[0].rpartition("/")[2] == "anchorpbo":
                yield words[1:]


def problem_with(words):
    command, options = COMMAND, {"--help"}
    while True:
        options |= {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        plain = [word for word in words if not word.startswith("-")]
        if not hasattr(command, "commands") or not plain:
            break
        name = plain[0] if plain[0] in command.commands else getattr(command, "default_command", None)
        if name is None:
            return f"there is no command {plain[0]}"
        words = words[words.index(plain[0]) + 1 :] if name == plain[0] else words
        command, options = command.commands[name], {"--help"}
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in options]
    return f"there is no option {unknown[0]}" if unknown else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_a_page_exist(page):
    for words in commands_in(page.read_text("utf-8")):
        assert problem_with(words) is None, f"anchorpbo {' '.join(words)}: {problem_with(words)}"


def test_commands_are_found_and_wrong_ones_noticed():
    everything = [words for page in PAGES for words in commands_in(page.read_text("utf-8"))]
    assert len(everything) > 60
    assert ["serve", "--port", "8000", "--name", "studies.example.org", "--no-open"] in everything
    assert problem_with(["serve", "--fast"]) == "there is no option --fast"
    assert problem_with(["study", "forget", "x"]) == "there is no command forget"
    assert problem_with(["study", "new", "--example", "coffee"]) is None
    assert problem_with(["bench", "rounds", "--limit", "40"]) is None
    assert problem_with(["bench", "rounds", "--judges", "sure"]) == "there is no option --judges"
    assert problem_with(["bench", "answers", "--judges", "sure"]) is None
    assert list(commands_in("```sh\nA=1 anchorpbo serve --x  # why\n```\n")) == [["serve", "--x"]]


def routes():
    found = make_app(open_storage("memory"), Settings()).openapi()["paths"]
    return {f"{method.upper()} {path}" for path, methods in found.items() for method in methods}


def test_the_list_of_routes_is_that_of_the_server():
    page = (ROOT / "docs" / "rest.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([A-Z]+ /[^`]+)` \|", page, flags=re.MULTILINE)) == routes()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_routes_of_a_page_exist(page):
    known = {re.sub(r"\{\w+\}", "*", route.partition(" ")[2]) for route in routes()}
    for place in re.findall(r"(/api/[\w/${}.-]*)", page.read_text("utf-8")):
        path = re.sub(r"\$\w+|\{\w+\}", "*", place.rstrip("./"))
        path = re.sub(r"^/api/examples/\w+$", "/api/examples/*", path)
        assert path in known, f"{page.name} names {place}"


def test_the_container_copies_what_is_there_and_runs_a_command_that_exists():
    text = (ROOT / "Containerfile").read_text("utf-8")
    sources = [
        word for line in re.findall(r"^COPY (?!--from)(.*)$", text, flags=re.MULTILINE) for word in line.split()[:-1]
    ]
    assert len(sources) >= 5
    allowed = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    for name in sources:
        assert (ROOT / name).exists(), name
        assert f"!{name}" in allowed, f".dockerignore leaves {name} out"
    program, *words = json.loads(re.search(r"^CMD (\[.*\])$", text, flags=re.MULTILINE)[1])
    assert program == "anchorpbo"
    assert problem_with(words) is None


def test_the_codes_on_the_page_of_routes_are_those_that_routes_have():
    page = (ROOT / "docs" / "rest.md").read_text("utf-8")
    section = page.partition("## Requests, responses and errors")[2].partition("\n## ")[0]
    assert set(map(int, re.findall(r"^\| ([45]\d\d) \|", section, re.MULTILINE))) == set(RESPONSES)


def test_the_service_that_is_started_is_the_one_that_is_written():
    page = (ROOT / "docs" / "howto" / "deploy.md").read_text("utf-8")
    assert re.findall(r"/etc/systemd/system/([\w.]+)\.service", page) == ["anchorpbo"]
    assert set(re.findall(r"^systemctl (?:enable --now|stop|start) (\S+)$", page, flags=re.MULTILINE)) == {"anchorpbo"}
