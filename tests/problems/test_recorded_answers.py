"""Recorded answers of people, from small files made here and from the real ones."""

import os
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from anchorpbo.errors import DataError
from anchorpbo.problems import (
    PairAnswers,
    datasets,
    soundquality_answers,
    soundquality_modes,
    sushi_catalogue,
    sushi_items,
    sushi_orders,
    train_answers,
)
from anchorpbo.problems.sushi import _read_table
from anchorpbo.space import Real, Space

DATA = Path(os.environ.get("ANCHORPBO_DATA", "no folder"))
LOADERS = (train_answers, soundquality_answers, soundquality_modes, sushi_orders, _read_table)


def needs(folder):
    reason = f"ANCHORPBO_DATA is not a folder with {folder}/: the data may not be part of the project"
    return pytest.mark.skipif(not (DATA / folder).is_dir(), reason=reason)


def forget():
    for loader in LOADERS:
        loader.cache_clear()


@pytest.fixture
def use(monkeypatch, tmp_path):
    """A function that puts a small file in the place of a real one."""
    forget()
    monkeypatch.setenv("ANCHORPBO_DATA", str(tmp_path))

    def put(name, text):
        source = datasets.DataSource(datasets.SOURCES[name].url, sha256(text.encode()).hexdigest())
        monkeypatch.setattr(datasets, "SOURCES", {**datasets.SOURCES, name: source})
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    yield put
    forget()


# -- train -------------------------------------------------------------------------------------------------------------

TRAIN = """"id","choiceid","choice","price1","time1","change1","comfort1","price2","time2","change2","comfort2"
1,2,"choice2",3000,100,0,1,2000,140,0,0
1,1,"choice1",2000,120,0,1,4000,100,0,1
7,1,"choice2",500,30,1,0,700,20,3,2
"""


def test_travellers_have_their_own_ranges_and_their_answers_in_the_order_asked(use):
    use("train/train.csv", TRAIN)
    one, seven = train_answers()
    assert (one.person, len(one), seven.person, len(seven)) == ("1", 2, "7", 1)
    np.testing.assert_array_equal(one.first_won, [True, False])
    # Price 2000 to 4000, time 100 to 140, no change (a range needs two values), comfort 0 to 1.
    np.testing.assert_allclose(one.pairs[0], [[0.0, 0.5, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]])
    np.testing.assert_allclose(one.pairs[1], [[0.5, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]])
    np.testing.assert_allclose(seven.winners, [[1.0, 0.0, 1.0, 1.0]])
    np.testing.assert_allclose(seven.losers, [[0.0, 1.0, 0.0, 0.0]])
    assert one.space.decode(one.winners[1]) == {"price": 2000, "time": 140, "change": 0, "comfort": 0}


def test_selected_answers_keep_person_and_space():
    space = Space(x=Real(0, 1))
    answers = PairAnswers("p", space, np.array([[[0.1], [0.2]], [[0.3], [0.4]]]), np.array([True, False]))
    later = answers.select(slice(1, None))
    assert (later.person, later.space, len(later)) == ("p", space, 1)
    np.testing.assert_array_equal(later.winners, [[0.4]])
    with pytest.raises(ValueError, match="read-only"):
        answers.pairs[0, 0, 0] = 1.0


@pytest.mark.parametrize("name", ["train/train.csv", "soundquality/soundquality.csv"])
@pytest.mark.parametrize("folder", [None, "elsewhere"])
def test_a_file_without_url_must_be_in_the_folder(monkeypatch, tmp_path, name, folder):
    forget()
    monkeypatch.delenv("ANCHORPBO_DATA", raising=False)
    if folder is not None:
        monkeypatch.setenv("ANCHORPBO_DATA", str(tmp_path / folder))
    message = rf"{name} must be in the folder of ANCHORPBO_DATA, because it cannot be downloaded"
    with pytest.raises(DataError, match=message) as seen:
        (train_answers if name.startswith("train") else soundquality_answers)()
    assert "19" in str(seen.value) or "20" in str(seen.value)  # the publication it comes from
    assert ("elsewhere" if folder else "no ANCHORPBO_DATA") in str(seen.value)
    forget()


def test_a_changed_file_without_url_is_an_error_that_names_its_origin(monkeypatch, tmp_path):
    forget()
    (tmp_path / "train").mkdir()
    (tmp_path / "train/train.csv").write_text(TRAIN)
    monkeypatch.setenv("ANCHORPBO_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"train/train.csv .* must be the original file") as seen:
        train_answers()
    assert "put the original file there: stated choices" in str(seen.value)
    forget()


@needs("train")
def test_train_has_235_people_and_2929_answers():
    forget()
    people = train_answers()
    assert (len(people), sum(map(len, people))) == (235, 2929)
    assert np.median([len(person) for person in people]) == 13
    first = people[0]
    assert first.space.decode(first.pairs[0, 0]) == {"price": 2400, "time": 150, "change": 0, "comfort": 1}
    assert sum(person.first_won.sum() for person in people) == 1474
    assert all(((person.pairs >= 0) & (person.pairs <= 1)).all() for person in people)


# -- soundquality ------------------------------------------------------------------------------------------------------

SOUND = """listener,time,material,repetition,session,first,second,answer
04,before,Sting,1,1.0,Mono,Stereo,second
04,before,Sting,1,1.0,Mono,Original,first
04,before,Sting,2,1.0,Mono,Stereo,first
04,after,Sting,1,3.0,Mono,Stereo,second
04,before,Bach,1,2.0,Mono,Stereo,first
05,before,Sting,1,1.0,Mono,Stereo,first
"""


def test_listeners_have_one_block_per_piece_of_music_with_numbered_pairs(use):
    use("soundquality/soundquality.csv", SOUND)
    blocks = soundquality_answers()
    assert [(block.answers.person, block.material) for block in blocks] == [
        ("04", "Sting"), ("04", "Bach"), ("05", "Sting"),
    ]  # fmt: skip
    sting = blocks[0]
    np.testing.assert_array_equal(sting.pair_numbers, [0, 1, 0, 0])
    np.testing.assert_array_equal(sting.repetitions, [1, 1, 2, 1])
    np.testing.assert_array_equal(sting.after, [False, False, False, True])
    np.testing.assert_array_equal(sting.answers.first_won, [False, True, True, False])
    space = sting.answers.space
    assert [space.decode(x)["mode"] for x in sting.answers.pairs[1]] == ["Mono", "Original"]


def test_modes_are_categories_with_or_without_a_description():
    described, plain = soundquality_modes(), soundquality_modes(described=False)
    assert (described.dimension, plain.dimension) == (3, 1)
    assert described.columns.categorical == (2,)
    assert plain.columns.categorical == (0,)
    assert len(plain.candidates) == len(described.candidates) == 8


@needs("soundquality")
def test_soundquality_has_all_pairs_of_eight_modes_repeated():
    forget()
    blocks = soundquality_answers()
    assert sum(len(block.answers) for block in blocks) == 21924
    assert len({block.answers.person for block in blocks}) == 40
    assert sum(int(block.answers.first_won.sum()) for block in blocks) == 7487
    for block in blocks:
        times = np.bincount(block.pair_numbers)
        assert len(times) == 28
        assert len(set(times.tolist())) == 1


# -- sushi orders ------------------------------------------------------------------------------------------------------


def test_orders_of_sample_a_are_numbered_by_the_items_of_the_data_set(use):
    use("sushi/sushi3a.5000.10.order", "10 1\n0 10 5 0 3 4 6 9 8 1 7 2\n0 10 0 9 6 3 7 2 8 1 5 4\n")
    np.testing.assert_array_equal(sushi_orders("a")[0], [6, 0, 3, 4, 7, 29, 26, 1, 8, 2])
    assert sushi_orders("a").shape == (2, 10)


def test_orders_of_sample_b_are_kept(use):
    use("sushi/sushi3b.5000.10.order", "100 1\n0 10 58 4 3 44 87 60 67 1 12 74\n")
    np.testing.assert_array_equal(sushi_orders("b"), [[58, 4, 3, 44, 87, 60, 67, 1, 12, 74]])


@pytest.mark.parametrize("line", ["0 9 1 2 3 4 5 6 7 8 9", "0 9 1 2 3 4 5 6 7 8 9 10"])
def test_a_line_without_ten_kinds_is_an_error(use, line):
    use("sushi/sushi3b.5000.10.order", f"100 1\n{line}\n")
    with pytest.raises(DataError, match="must be 0, 10 and 10 kinds"):
        sushi_orders("b")


@needs("sushi")
def test_sample_a_agrees_with_sample_b_about_its_ten_kinds():
    forget()
    a, b = sushi_orders("a"), sushi_orders("b")
    assert a.shape == b.shape == (5000, 10)
    names = [sushi_items().names[kind] for kind in np.unique(a)]
    assert names == ["ebi", "anago", "maguro", "ika", "uni", "ikura", "tamago", "toro", "tekka_maki", "kappa_maki"]

    def shares(orders):
        wins = np.zeros((100, 100))
        for row in orders:
            for i, j in combinations(row, 2):
                wins[i, j] += 1
        return wins / np.maximum(wins + wins.T, 1)

    pairs = np.array(list(combinations(np.unique(a), 2))).T
    assert np.corrcoef(shares(a)[tuple(pairs)], shares(b)[tuple(pairs)])[0, 1] > 0.95


@needs("sushi")
def test_a_catalogue_of_kinds_has_their_features_and_categories():
    catalogue = sushi_catalogue([8, 0, 29])
    assert [item["name"] for item in catalogue.items] == ["toro", "ebi", "kappa_maki"]
    assert catalogue.roles["features"] == ("oiliness", "eaten", "price", "sold")
    assert catalogue.roles["categories"] == ("style", "major", "minor")
    assert catalogue.encode({"name": "toro"})[0] == 0.0  # the oiliest of these
