import logging
import pickle
import sys
import threading
import zlib
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from anchorpbo.errors import AnchorPBOError, DataError, UnknownNameError, UnsupportedError
from anchorpbo.problems import datasets, fetch_data_file

pooch = pytest.importorskip("pooch", reason="needs the extra reproduce")

ITEMS = b"0\tebi\n1\tanago\n" * 400
SCORES = b"-1 0 4\n"
CSV = b"name,win\nAlmond Joy,50.3\n"


def zipped(**members):
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        archive.writestr("folder/README-en.txt", "other things")
        for name, content in members.items():
            archive.writestr(f"folder/{name}.txt", content)
    return buffer.getvalue()


class Origin:
    """A web server on this machine: what it serves, by path, and what it was asked for."""

    def __init__(self):
        self.files, self.asked, self.stops_after = {}, [], None
        origin = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                origin.asked.append(self.path)
                content = origin.files.get(self.path)
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                self.wfile.write((content or b"")[: origin.stops_after])

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def origin(monkeypatch, tmp_path):
    """Three small files in place of the real ones, and an empty cache."""
    served = Origin()
    served.files = {"/all.zip": zipped(items=ITEMS, scores=SCORES), "/win.csv": CSV}
    archive = f"{served.url}/all.zip"
    sources = {
        "fish/items.txt": datasets.DataSource(archive, sha256(ITEMS).hexdigest()),
        "fish/scores.txt": datasets.DataSource(archive, sha256(SCORES).hexdigest()),
        "sweet/win.csv": datasets.DataSource(f"{served.url}/win.csv", sha256(CSV).hexdigest()),
    }
    monkeypatch.setattr(datasets, "SOURCES", sources)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("ANCHORPBO_DATA", raising=False)
    yield served
    served.close()


@pytest.fixture
def cache(origin, tmp_path):
    return tmp_path / "cache" / "anchorpbo"


def files_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def put(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_file_of_the_folder_comes_first_and_nothing_is_asked_for(origin, cache, monkeypatch, tmp_path):
    put(cache, "fish/items.txt", ITEMS)
    given = put(tmp_path / "mine", "fish/items.txt", ITEMS)
    monkeypatch.setenv("ANCHORPBO_DATA", str(tmp_path / "mine"))
    assert fetch_data_file("fish/items.txt") == given
    assert not origin.asked


def test_a_file_of_the_folder_needs_no_more_packages(origin, monkeypatch, tmp_path):
    given = put(tmp_path / "mine", "fish/items.txt", ITEMS)
    monkeypatch.setenv("ANCHORPBO_DATA", str(tmp_path / "mine"))
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert fetch_data_file("fish/items.txt") == given


def test_a_folder_below_home_may_be_written_with_a_tilde(origin, monkeypatch, tmp_path):
    given = put(tmp_path / "mine", "fish/items.txt", ITEMS)
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(tmp_path))
    monkeypatch.setenv("ANCHORPBO_DATA", "~/mine")
    assert fetch_data_file("fish/items.txt") == given


def test_another_file_in_the_folder_is_an_error_that_names_it_and_stays(origin, cache, monkeypatch, tmp_path):
    put(cache, "fish/items.txt", ITEMS)
    given = put(tmp_path / "mine", "fish/items.txt", ITEMS[:-1])
    monkeypatch.setenv("ANCHORPBO_DATA", str(tmp_path / "mine"))
    with pytest.raises(DataError, match=r"fish/items.txt in the folder of ANCHORPBO_DATA must be the original") as seen:
        fetch_data_file("fish/items.txt")
    assert seen.value.received == given
    assert "remove it to have it downloaded" in str(seen.value)
    assert given.exists()


def test_what_the_folder_does_not_hold_is_looked_for_elsewhere(origin, cache, monkeypatch, tmp_path):
    kept = put(cache, "fish/items.txt", ITEMS)
    for folder in ("empty", "not there"):
        monkeypatch.setenv("ANCHORPBO_DATA", str(tmp_path / folder))
        assert fetch_data_file("fish/items.txt") == kept
    monkeypatch.setenv("ANCHORPBO_DATA", "")
    assert fetch_data_file("fish/items.txt") == kept
    assert not origin.asked


def test_a_file_is_fetched_once(origin, cache):
    for _ in range(2):
        path = fetch_data_file("sweet/win.csv")
        assert path == cache / "sweet" / "win.csv"
        assert path.read_bytes() == CSV
    assert origin.asked == ["/win.csv"]
    assert files_in(cache) == ["sweet/win.csv"]


def test_an_archive_is_fetched_once_for_all_its_files(origin, cache):
    assert fetch_data_file("fish/items.txt").read_bytes() == ITEMS
    assert fetch_data_file("fish/scores.txt").read_bytes() == SCORES
    assert origin.asked == ["/all.zip"]
    assert files_in(cache) == ["fish/items.txt", "fish/scores.txt"]


def test_fetching_says_nothing_and_leaves_the_logger_as_it_was(origin, capfd, caplog):
    level = pooch.get_logger().level
    fetch_data_file("fish/items.txt")
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.name == "pooch"]
    assert pooch.get_logger().level == level != logging.ERROR


def test_a_damaged_file_of_the_cache_is_fetched_again(origin, cache):
    put(cache, "fish/items.txt", ITEMS[:100])
    assert fetch_data_file("fish/items.txt").read_bytes() == ITEMS


def test_a_file_that_is_another_one_is_not_kept(origin, cache):
    origin.files["/win.csv"] = b"<html>moved</html>"
    with pytest.raises(DataError, match=r"/win.csv must contain the original sweet/win.csv; .*; run again, or set"):
        fetch_data_file("sweet/win.csv")
    assert not files_in(cache)


@pytest.mark.parametrize("archive", [zipped(items=b"other", scores=SCORES), zipped(scores=SCORES)])
def test_of_an_archive_only_the_right_files_are_kept(origin, cache, archive):
    origin.files["/all.zip"] = archive
    with pytest.raises(DataError, match=r"/all.zip must contain the original fish/items.txt"):
        fetch_data_file("fish/items.txt")
    assert files_in(cache) == ["fish/scores.txt"]


@pytest.mark.parametrize("name", ["fish/items.txt", "sweet/win.csv"])
def test_half_a_download_is_not_kept_and_the_next_one_is_whole(origin, cache, name):
    origin.stops_after = 10
    with pytest.raises(DataError, match=name):
        fetch_data_file(name)
    assert not files_in(cache)
    origin.stops_after = None
    assert fetch_data_file(name).is_file()


@pytest.mark.parametrize("content", [b"<html>moved</html>", b""])
def test_what_is_no_archive_is_an_error_in_words(origin, cache, content):
    origin.files["/all.zip"] = content
    with pytest.raises(DataError, match=r"could not be downloaded from .*/all.zip; received BadZipFile"):
        fetch_data_file("fish/items.txt")
    assert not files_in(cache)


def test_an_archive_damaged_inside_is_an_error_in_words(origin, cache):
    whole = zipped(items=ITEMS)
    start = whole.index(zlib.compress(ITEMS, wbits=-15)[:8])
    origin.files["/all.zip"] = whole[:start] + b"\xff" * 8 + whole[start + 8 :]
    with pytest.raises(DataError, match=r"could not be downloaded from .*/all.zip"):
        fetch_data_file("fish/items.txt")
    assert not files_in(cache)


def test_a_file_gone_from_its_origin_is_an_error_in_words(origin):
    origin.files.clear()
    with pytest.raises(DataError, match=r"could not be downloaded from .*/win.csv; received HTTPError: 404"):
        fetch_data_file("sweet/win.csv")


def test_without_data_and_network_one_sentence_says_what_to_do(origin, cache):
    origin.close()
    with pytest.raises(DataError) as seen:
        fetch_data_file("sweet/win.csv")
    message = str(seen.value)
    assert message.startswith("sweet/win.csv is in neither the folder of ANCHORPBO_DATA nor the cache, and could not")
    assert message.endswith(
        "set ANCHORPBO_DATA to a folder that holds sweet/win.csv, or connect to the network and run again."
    )
    assert "\n" not in message
    assert not files_in(cache)


def test_a_damaged_file_is_not_left_in_the_cache_without_network(origin, cache):
    put(cache, "sweet/win.csv", CSV[:5])
    origin.close()
    with pytest.raises(DataError, match="connect to the network"):
        fetch_data_file("sweet/win.csv")
    assert not files_in(cache)


def test_a_cache_that_cannot_be_written_is_an_error_in_words(origin, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(DataError, match=r"set ANCHORPBO_DATA to a folder that holds sweet/win.csv"):
        fetch_data_file("sweet/win.csv")


def test_without_pooch_an_error_says_what_to_install(origin, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(UnsupportedError, match=r'needs a package that is not installed; pip install "anchorpbo\[repro'):
        fetch_data_file("sweet/win.csv")


def test_an_unknown_file_is_an_error_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"a data file must be one of candy/candy-data.csv, soundquality/"):
        fetch_data_file("sushi3.idata")


def test_every_real_file_has_a_sha256_and_comes_over_https_or_names_its_origin():
    for source in datasets.SOURCES.values():
        assert source.origin if source.url is None else source.url.startswith("https://")
        assert len(bytes.fromhex(source.sha256)) == 32


def test_a_data_error_is_an_os_error_and_travels_to_other_processes():
    for received in (None, "half", ("a", 3)):
        error = DataError("a file must be whole", received, "copy it again")
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is DataError
        assert isinstance(again, OSError)
        assert isinstance(again, AnchorPBOError)
        assert str(again) == str(error)
        assert (again.rule, again.received, again.remedy) == ("a file must be whole", received, "copy it again")
    assert str(DataError("a file must be whole", 2, "copy it")) == "a file must be whole; received 2; copy it."
