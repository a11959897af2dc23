"""Studies in files: all of a text or what was there before, whatever happens."""

import os
from pathlib import Path

import pytest
from studies import play, small

from anchorpbo import Optimizer
from anchorpbo.errors import InputError
from anchorpbo.study import files


@pytest.fixture
def study():
    opt = small()
    play(opt, 3)
    return opt


def test_what_is_saved_is_loaded(study, tmp_path):
    study.save(tmp_path / "study.json")
    again = Optimizer.load(str(tmp_path / "study.json"))
    assert again.to_json() == study.to_json()
    assert again.ask() == study.ask()
    assert os.listdir(tmp_path) == ["study.json"]


def test_a_full_disk_leaves_what_was_there(study, tmp_path, monkeypatch):
    path = tmp_path / "study.json"
    study.save(path)
    before = path.read_bytes()
    play(study, 1)

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(InputError, match=r"study.json' must be writable.*No space left.*the old file is unchanged"):
        study.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["study.json"]


def test_a_kill_between_writing_and_replacing_leaves_what_was_there(study, tmp_path, monkeypatch):
    path = tmp_path / "study.json"
    study.save(path)
    before = path.read_bytes()
    play(study, 1)

    def killed(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        study.save(path)
    assert path.read_bytes() == before


def test_a_link_stays_a_link_and_rights_are_the_usual_ones(study, tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "study.json", tmp_path / "link.json"
    target.touch()
    link.symlink_to(target)
    study.save(link)
    assert link.is_symlink()
    assert Optimizer.load(target).ask() == study.ask()
    plain = tmp_path / "plain"
    plain.touch()
    assert target.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("path", [None, 5, "no/such/folder/x.json", "a\0b"])
def test_a_path_that_is_none_is_refused_in_words(study, tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="path"):
        study.save(path)
    with pytest.raises(InputError, match="path"):
        Optimizer.load(path)


def test_a_folder_is_no_file(study, tmp_path):
    with pytest.raises(InputError, match="must be writable"):
        study.save(tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_path_given_for_a_text_is_told_apart(study, tmp_path):
    with pytest.raises(InputError, match=r"give the path of a file to Optimizer\.load"):
        Optimizer.from_json("study.json")


def test_a_file_cut_short_is_refused(study, tmp_path):
    path = tmp_path / "study.json"
    study.save(path)
    path.write_text(path.read_text("utf-8")[:-20], "utf-8")
    with pytest.raises(InputError, match=r"a study must be JSON.*damaged or cut short: restore a copy"):
        Optimizer.load(path)
