import re

import polars as pl
import pytest

from anchorpbo.errors import InputError, ShapeError
from anchorpbo.research.experiments.verdicts import Claim
from anchorpbo.research.figures.experiment_tables import (
    tabulate_claims,
    tabulate_final_values,
    tabulate_gains,
    tabulate_overview,
    tabulate_times,
)
from anchorpbo.research.figures.text_table import Cell, TextTable, escape_latex, escape_markdown, save_table


def final():
    return pl.DataFrame(
        [
            ("hartmann3", "ei", "", 9, 9.0, 9.0, 0.1, 0.1),
            ("hartmann3", "ei", "", 10, -1.234, 0.5, 0.456, 0.01),
            ("hartmann3", "anpei", "", 10, -0.004, 0.25, 0.454, 0.02),
            ("candy", "ei", "", 5, 2.0, None, None, None),
        ],
        ["problem", "strategy", "variant", "round", "value_mean", "value_std", "pair_noise_mean", "pair_noise_std"],
        orient="row",
    )


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_final_values_against_strings_worked_out_by_hand():
    lines = tabulate_final_values(final(), ["value", "pair_noise"]).to_markdown().splitlines()
    assert lines[0] == "**Final values after 5 or 10 rounds, mean ± standard deviation over runs**"
    assert [cells(line) for line in lines[2:]] == [
        ["Problem", "Metric", "HB-EI", "HB-ANPEI"],
        ["---", "---", "---:", "---:"],
        ["Hartmann 3D", "best value", "-1.23 ± 0.50", "**0.00 ± 0.25**"],
        ["Candy 2D", "best value", "**2.00**", "–"],
        # Lower is better, and both look the same.
        ["Hartmann 3D", "noise of the queried pair", "0.46 ± 0.01", "**0.45 ± 0.02**"],
        ["Candy 2D", "noise of the queried pair", "–", "–"],
    ]


def test_what_looks_equally_good_is_equally_bold():
    data = final().with_columns(value_mean=pl.Series([9.0, 0.1234, 0.1199, 2.0]))
    assert "**0.12 ± 0.50** | **0.12 ± 0.25**" in tabulate_final_values(data, ["value"]).to_markdown()


def test_variants_get_rows_in_words_and_in_order():
    data = pl.concat([final()[1:3].with_columns(variant=pl.lit(name)) for name in ("20", "5")])
    table = tabulate_final_values(data, ["value"])
    assert [row[1].text for row in table.rows] == ["5 anchors", "20 anchors"]
    assert table.title.startswith("Best value after 10 rounds")
    assert table.headings == ("Problem", "Variant", "HB-EI", "HB-ANPEI")


def test_times_have_the_paper_below_and_readable_units():
    rows = [("hartmann3", "ucb", 0.0256, 0.0031), ("hartmann3", "raeubo", 1.5, 0.25), ("candy", "ei", 12.345, None)]
    data = pl.DataFrame(rows, ["problem", "strategy", "seconds_mean", "seconds_std"], orient="row")
    table = tabulate_times(data)
    assert table.headings == ("Problem", "UCB", "EI", "EUBO", "RAHBO", "ANPEI", "RAEUBO")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Hartmann 3D", "25.6 ± 3.1 ms", "–", "–", "–", "–", "1.50 ± 0.25 s"],
        ["Hartmann 3D (paper)", "25.3 ± 2.9 s", "26.4 ± 3.5 s", "136.8 ± 20.2 s", "52.4 ± 6.4 s", "22.8 ± 2.8 s",
         "315.1 ± 29.1 s"],
        ["Candy 2D", "–", "12.3 s", "–", "–", "–", "–"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a_b 5% & #1 $2", r"a\_b 5\% \& \#1 \$2"),
        ("~x^2 \\ {y}", r"\textasciitilde{}x\textasciicircum{}2 \textbackslash{} \{y\}"),
        ("-1.5 ± 0.2", r"$-$1.5 $\pm$ 0.2"),
        ("1 +- 2", r"1 $\pm$ 2"),
        ("HB-EI, 5-10, [-1, -.5]", r"HB-EI, 5-10, [$-$1, $-$.5]"),
        ("a < b > c | d –", r"a $<$ b $>$ c $|$ d --"),
    ],
)
def test_latex_shows_what_is_written(text, latex):
    assert escape_latex(text) == latex


def test_markdown_shows_what_is_written():
    assert escape_markdown("x* | a_b\n<b> 1 +- 2") == r"x\* \| a\_b \<b> 1 ± 2"


def test_claims_have_a_cell_each_whatever_is_in_them():
    claims = [
        Claim("A|B is 5 % better", "section 4", "0.12 +- 0.03", "[-0.1, 0.3]", "agrees"),
        Claim("plain", "Figure 1", "no & yes", "–", "open"),
    ]
    table = tabulate_claims(claims)
    lines = table.to_markdown().splitlines()[2:]
    assert [len(cells(line)) for line in lines] == [6, 6, 6, 6]
    row = [r"A\|B is 5 % better", "section 4", "0.12 ± 0.03", "[-0.1, 0.3]", "agrees", "the paper's metric"]
    assert cells(lines[2]) == row
    latex = table.to_latex()
    body = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert [len(re.findall(r"(?<!\\)&", line)) for line in body] == [5, 5]
    assert body[0].startswith(r"A$|$B is 5 \% better & section 4 & 0.12 $\pm$ 0.03 & [$-$0.1, 0.3]")
    assert all(line.endswith(r" \\") for line in body)


def test_claims_leave_out_columns_in_which_all_rows_are_alike():
    one = Claim("a", "Figure 1", "1", "–", "open")
    assert tabulate_claims([one, one]).headings == ("Claim", "Found", "95 % interval", "Verdict", "Measured by")
    other = Claim("a", "Figure 2, top", "1", "–", "open", "with noise", "ours")
    table = tabulate_claims([one, other])
    assert table.headings == ("Claim", "Setting", "Where", "Found", "95 % interval", "Verdict", "Measured by")
    assert [cell.text for cell in table.rows[1]] == [
        "a",
        "with noise",
        "Figure 2, top",
        "1",
        "–",
        "open",
        "our reading",
    ]


def test_the_overview_has_a_row_an_item_that_was_run_with_verdict_and_counts():
    claims = [
        Claim("a", "Figure 2, top", "1", "–", "agrees"),
        Claim("b", "Figure 2, top", "1", "–", "differs"),
        Claim("c", "Figure 2, top", "1", "–", "differs", reading="ours"),
        Claim("d", "Figure S3", "1", "–", "open"),
        Claim("e", "ours", "1", "–", "agrees", reading="ours"),
        Claim("f", "Figure S5", "1", "–", "agrees", reading="ours"),
    ]
    table = tabulate_overview(claims)
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [(row[0], *row[2:]) for row in rows] == [
        ("Figure 2, top", "mixed", "1 agree, 1 differ", "main"),
        ("Figure S3", "open", "1 open", "ackley6"),
        ("Figure S5", "agrees", "1 agree", "five-anchors"),
    ]
    assert "3 statements, 1 agree, 1 open, 1 differ" in table.title
    assert not tabulate_overview([]).rows


def test_gains_have_a_row_a_variant_and_are_bold_where_zero_is_excluded():
    columns = ["problem", "variant", "strategy", "metric", "distance", "seeds", "mean", "low", "high"]
    rows = [
        ("hartmann3", "away", "rahbo", "risk_adjusted", 0.7, 5, 0.5, 0.1, 0.9),
        ("hartmann3", "away", "raeubo", "risk_adjusted", 0.7, 5, 0.5, -0.1, 1.1),
        ("hartmann3", "corner-101", "rahbo", "risk_adjusted", 1.251, 5, -0.5, -0.9, -0.004),
        ("hartmann3", "away", "rahbo", "value", 0.7, 5, 9.0, 8.0, 10.0),
    ]
    table = tabulate_gains(pl.DataFrame(rows, columns, orient="row"))
    assert table.headings == ("Problem", "Variant", "Distance", "RAHBO on UCB", "RAEUBO on EUBO")
    assert [[(cell.text, cell.bold) for cell in row[1:]] for row in table.rows] == [
        [("centre drawn by the seed", False), ("0.70", False), ("+0.50 (+0.10 to +0.90)", True),
         ("+0.50 (-0.10 to +1.10)", False)],
        [("corner (1, 0, 1)", False), ("1.25", False), ("-0.50 (-0.90 to -0.00)", True), ("–", False)],
    ]  # fmt: skip


def test_latex_is_a_booktabs_table():
    table = TextTable("A & B", ("x", "y"), ((Cell("[1]"), Cell("-2 ± 1", bold=True)),), ("l", "r"), "50 %")
    assert table.to_latex().splitlines() == [
        r"\begin{table}",
        r"\centering\small",
        r"\caption{A \& B}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        r"\begin{tabular}{@{}lr@{}}",
        r"\toprule",
        r"x & y \\",
        r"\midrule",
        r"{}[1] & \textbf{\boldmath $-$2 $\pm$ 1} \\",
        r"\bottomrule",
        r"\end{tabular}}",
        r"\par\smallskip 50 \%",
        r"\end{table}",
    ]


def test_saves_both_formats_or_leaves_what_was_there(tmp_path, monkeypatch):
    table = tabulate_claims([Claim("ä ± b", "here", "1", "–", "open")])
    md, tex = save_table(table, tmp_path / "tables" / "claims")
    assert md.read_text("utf-8") == table.to_markdown()
    assert tex.read_text("utf-8") == table.to_latex()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("anchorpbo.study.files.os.fsync", full)
    with pytest.raises(InputError, match="No space left"):
        save_table(tabulate_claims([]), tmp_path / "tables" / "claims")
    assert md.read_text("utf-8") == table.to_markdown()
    assert sorted(path.name for path in md.parent.iterdir()) == ["claims.md", "claims.tex"]


def test_mistakes_are_named():
    with pytest.raises(ShapeError, match="must have 2 cells"):
        TextTable("t", ("a", "b"), ((Cell("1"),),), ("l", "l"))
    with pytest.raises(InputError, match="none of seconds_mean, seconds_std"):
        tabulate_times(final())
    with pytest.raises(InputError, match="one row per problem and strategy; received 2 rows of ei"):
        tabulate_final_values(pl.concat([final()[1:2]] * 2), ["value"])


def test_a_no_break_space_stays_one_and_other_spaces_become_one():
    text = "0.4  (0.1\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.2)\n"
    table = TextTable("Title", ("area",), ((Cell(text),),), ("r",))
    assert "| 0.4 (0.1\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.2) |" in table.to_markdown()
    assert r"0.4 (0.1~$\pm$~0.2)" in table.to_latex()
