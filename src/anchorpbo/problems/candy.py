"""85 Halloween candies, rated by duels (FiveThirtyEight's candy power ranking, CC BY 4.0).

Designs have two coordinates, the percentiles of sugar and of price, each scaled to [0, 1]. The utility of a candy is
its share of duels won, scaled to [0, 1]. The utility of any other design is the mean of the three nearest candies. Only
68 of the 85 candies differ in sugar or price. If two candies share a point, the tie rule decides on the line halfway to
another such point; on two lines, which have no area, the utility slightly exceeds the maximum (at most 0.8715).
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
    """Return the candy problem in two dimensions; downloads the data file at first use."""
    return candy_items().problem("candy")


@cache
def candy_items() -> RatedItems:
    """Return the 85 candies, in the order of the data set."""
    table = _read_table()
    coordinates = np.array([[float(row["sugarpercent"]), float(row["pricepercent"])] for row in table])
    won = np.array([float(row["winpercent"]) for row in table])
    return RatedItems(tuple(row["competitorname"] for row in table), scale_min_max(coordinates), scale_min_max(won))


@cache
def candy_anchors() -> Array:
    """Return the twelve candies with chocolate and peanuts or almonds, (12, 2)."""
    chosen = [i for i, row in enumerate(_read_table()) if row["chocolate"] == row["peanutyalmondy"] == "1"]
    return freeze(candy_items().points[chosen])


@cache
def _read_table() -> list[dict[str, str]]:
    with fetch_data_file("candy/candy-data.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
