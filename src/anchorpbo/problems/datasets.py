"""Data files that are not part of the library: read from a folder or the cache, or downloaded.

A file is used only if its sha256 matches the one listed here.
"""

from __future__ import annotations

import logging
import os
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from anchorpbo.errors import DataError, UnknownNameError, UnsupportedError

FOLDER_ENV = "ANCHORPBO_DATA"
"""Environment variable with the path of a folder of data files."""
_TIMEOUT_SECONDS = 30.0
"""Timeout of a download in seconds without data."""
_SUSHI = "https://www.kamishima.net/asset/sushi3-2016.zip"
_CANDY = "https://raw.githubusercontent.com/fivethirtyeight/data/master/candy-power-ranking/candy-data.csv"


@dataclass(frozen=True)
class DataSource:
    """Origin of a data file."""

    url: str | None
    """URL of the file, or of a zip archive that contains it in any folder; ``None`` if it cannot be downloaded."""
    sha256: str
    """Hash of the file, not of the archive."""
    origin: str = ""
    """Where the data come from, in words; for a file without URL."""


SOURCES: dict[str, DataSource] = {
    "sushi/sushi3.idata": DataSource(_SUSHI, "568d73580f82a9ffba7ee1a3750506a0517c9ce904eec41559fe4ab573911fde"),
    "sushi/sushi3b.5000.10.score": DataSource(
        _SUSHI, "4a600bbbdea7f75dc218e14776fa41228f9bd553842997ffe79c1227f3ec119d"
    ),
    "sushi/sushi3a.5000.10.order": DataSource(
        _SUSHI, "c56da325c0f58f9a38bafc650ed699b48dd2fb9f6ad64ba61ffc288d1ae4cc24"
    ),
    "sushi/sushi3b.5000.10.order": DataSource(
        _SUSHI, "a241c87331e4eabea5841aae0c8a982453cccd01b0a0f3b6a4e9cfabcdab563b"
    ),
    "candy/candy-data.csv": DataSource(_CANDY, "46c17cdb8c0212bc3e0cee2a9617a75d1ce642cd1559c332b1d9a2c4ed19b8cb"),
    "train/train.csv": DataSource(
        None,
        "8ea13cbcb8ef574b9a3bc7f5dc941039f07c438a2776cec66b29876d330cc8b0",
        "stated choices between train journeys, Ben-Akiva, Bolduc and Bradley 1993, as in the data set Train of mlogit",
    ),
    "soundquality/soundquality.csv": DataSource(
        None,
        "0ae75c9fd0a06ec3b896f78e13908c1e64fbbb7105c6c61a94828726cb3d3128",
        "comparisons of audio reproduction modes, Choisel and Wickelmaier 2007, as in the R package psychotools",
    ),
}
"""Data files by name."""


def fetch_data_file(name: str) -> Path:
    """Return the path of a data file: in the folder ``$ANCHORPBO_DATA``, in the cache, or else downloaded to the cache.

    Parameters
    ----------
    name
        One of `SOURCES`, such as ``"candy/candy-data.csv"``.

    Raises
    ------
    DataError
        If the file is damaged, or cannot be found or downloaded.
    UnsupportedError
        If the file is not in the folder and the extra ``reproduce`` is not installed.
    """
    if name not in SOURCES:
        raise UnknownNameError.of("a data file", name, SOURCES)
    given = os.environ.get(FOLDER_ENV)
    if given and (path := Path(given).expanduser() / name).is_file():
        if not _matches_hash(path.read_bytes(), name):
            source = SOURCES[name]
            remedy = f"put the file of {source.url} there, or remove it to have it downloaded"
            if source.url is None:
                remedy = f"put the original file there: {source.origin}"
            raise DataError(f"{name} in the folder of {FOLDER_ENV} must be the original file", path, remedy)
        return path
    if SOURCES[name].url is None:
        rule = f"{name} must be in the folder of {FOLDER_ENV}, because it cannot be downloaded"
        remedy = f"set {FOLDER_ENV} to a folder that holds {name}: {SOURCES[name].origin}"
        raise DataError(rule, f"the folder {given!r}" if given else f"no {FOLDER_ENV}", remedy)
    cache = _cache_folder(name)
    path = cache / name
    if not path.is_file() or not _matches_hash(path.read_bytes(), name):
        _fetch(name, cache)
    return path


def _cache_folder(name: str) -> Path:
    try:
        import pooch
    except ModuleNotFoundError as error:
        if error.name != "pooch":
            raise
        rule = f"{name} is not in the folder of {FOLDER_ENV}, and downloading it needs a package that is not installed"
        raise UnsupportedError(rule, remedy='pip install "anchorpbo[reproduce]"') from error
    return Path(pooch.os_cache("anchorpbo"))


def _fetch(name: str, cache: Path) -> None:
    """Download a file or its archive to the cache; cache the archive's other data files, too."""
    url = SOURCES[name].url
    assert url is not None
    wanted = {PurePosixPath(other).name: other for other, source in SOURCES.items() if source.url == url}
    try:
        (cache / name).unlink(missing_ok=True)  # an existing file is damaged
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            for bare, content in _iter_files(_download(url, scratch), url):
                if bare in wanted and _matches_hash(content, wanted[bare]):
                    _store(content, cache / wanted[bare], Path(scratch))
    except (OSError, ValueError, BadZipFile, EOFError, zlib.error) as error:
        rule = f"{name} is in neither the folder of {FOLDER_ENV} nor the cache, and could not be downloaded from {url}"
        remedy = f"set {FOLDER_ENV} to a folder that holds {name}, or connect to the network and run again"
        raise DataError(rule, f"{type(error).__name__}: {error}", remedy) from error
    if not (cache / name).is_file():
        remedy = f"run again, or set {FOLDER_ENV} to a folder that contains the original {name}"
        raise DataError(f"the download from {url} must contain the original {name}", "something else", remedy)


def _store(content: bytes, path: Path, scratch: Path) -> None:
    # Written to a temporary file and then renamed, so that an incomplete file never has this name.
    part = scratch / "part"
    part.write_bytes(content)
    path.parent.mkdir(exist_ok=True)
    part.replace(path)


def _download(url: str, folder: str) -> Path:
    import pooch

    with _silence(pooch.get_logger()):
        downloader = pooch.HTTPDownloader(progressbar=False, timeout=_TIMEOUT_SECONDS)
        return Path(pooch.retrieve(url, known_hash=None, fname="download", path=folder, downloader=downloader))


def _iter_files(path: Path, url: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a download by name, without folders."""
    if not url.endswith(".zip"):
        yield PurePosixPath(url).name, path.read_bytes()
        return
    with ZipFile(path) as archive:
        for member in archive.namelist():
            yield PurePosixPath(member).name, archive.read(member)


def _matches_hash(content: bytes, name: str) -> bool:
    return sha256(content).hexdigest() == SOURCES[name].sha256


@contextmanager
def _silence(logger: logging.Logger) -> Iterator[None]:
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # Warnings of network packages about each other do not concern the file.
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
