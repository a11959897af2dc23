"""85 Halloween candies, each in many duels with the others (FiveThirtyEight's candy power ranking, CC BY 4.0).

Designs have two coordinates, the percentiles of sugar and of price, each from 0 to 1 over the candies. The utility of a
candy is its share of duels won, from 0 to 1 over the candies, that of a design in between the mean of the three nearest
candies. Of the 85 candies 68 differ in sugar or price; where two candies are in one place, the tie rule decides on the
line halfway to another such place, and two lines of no area are a little above the maximum (at most 0.8715).
"""

import csv
from functools import cache

import numpy as np

from anchorpbo.numerics.validation import freeze
from anchorpbo.problems.base import Problem
from anchorpbo.problems.datasets import fetch_data_file
from anchorpbo.problems.nearest_neighbours import RatedItems, scale_min_max
from anchorpbo.typing import Array


@cache
def candy() -> Problem:
    """Candy in two dimensions; reads, and at first use fetches, the data file."""
    return candy_items().problem("candy")


@cache
def candy_items() -> RatedItems:
    """The 85 candies, in the order of the data set."""
    table = _read_table()
    coordinates = np.array([[float(row["sugarpercent"]), float(row["pricepercent"])] for row in table])
    won = np.array([float(row["winpercent"]) for row in table])
    return RatedItems(tuple(row["competitorname"] for row in table), scale_min_max(coordinates), scale_min_max(won))


@cache
def candy_anchors() -> Array:
    """The twelve candies with both chocolate and peanuts or almonds, (12, 2)."""
    chosen = [i for i, row in enumerate(_read_table()) if row["chocolate"] == row["peanutyalmondy"] == "1"]
    return freeze(candy_items().points[chosen])


@cache
def _read_table() -> list[dict[str, str]]:
    with fetch_data_file("candy/candy-data.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
