"""The grid: the paper's sizes by hand, one meaning for TOML and options, and refusals."""

from pathlib import Path
from typing import Any

import pytest

from warmcb.catalogue import PAPER, SINGLE_LAMBDA, SUPERVISED_TRUTH
from warmcb.errors import InputError
from warmcb.study.asked import grid_of, options
from warmcb.study.grid import FIGURE_2, Grid, GridPart, read_settings
from warmcb.study.sizes import Size


def test_the_papers_sizes() -> None:
    sizes = list(Grid().sizes(20000))  # a unit is 100 rows
    assert sizes[0] == Size(100, (2300, 4600, 9200, 18400), (23, 46, 92, 184))
    assert sizes[3] == Size(800, (2300, 4600, 9200, 18400), (2.875, 5.75, 11.5, 23))
    assert sorted({ratio for size in sizes for ratio in size.ratios}) == [2.875, 5.75, 11.5, 23, 46, 92, 184]


def test_a_warm_start_below_100_is_dropped() -> None:
    assert [size.warm_start for size in Grid().sizes(10000)] == [100, 200, 400]
    assert list(Grid().sizes(2400)) == []
    assert Grid().why_no_size(2400) == (
        "2400 rows give a warm start of at most 96 examples; expected one of at least 100, which 2,401 rows give"
    )


def test_a_run_ends_with_the_rows() -> None:
    (size,) = Grid().sizes(2401)  # ⌈n/200⌉ = 13 rows, and 8 + 184 units would be 2496
    assert size.warm_start + max(size.checkpoints) == 2401


def test_a_toml_file_says_the_same_as_options(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text('suites = ["openml"]\nepsilon = [0.0125, 0.1]\nnoises = ["none", "cyc:1.0"]\nshuffles = 3\n')
    asked = {"suites": ["openml"], "epsilon": [0.0125, 0.1], "noises": ["none", "cyc:1"], "shuffles": 3}
    assert grid_of(read_settings(path)) == grid_of(asked)
    assert Grid.of(grid_of(asked).as_dict()) == grid_of(asked)


def test_data_replace_the_suite_and_another_truth_has_other_algorithms() -> None:
    assert Grid().changed({"data": ["somewhere"]}).suites == ()
    assert Grid().changed({"data": ["somewhere"], "suites": ["bundled"]}).suites == ("bundled",)
    assert Grid().algorithms == PAPER
    assert Grid().changed({"truth": "supervised"}).extras == Grid().changed({"algorithms": ["half"]}).extras == ()
    assert Grid().changed({"truth": "supervised"}).algorithms == SUPERVISED_TRUTH
    assert Grid().changed({"truth": "supervised", "algorithms": ["half"]}).algorithms == ("half",)
    half = Grid.of({"algorithms": ["half"], "suites": ["openml"], "data": ["a"]})
    assert half.changed({"truth": "supervised"}).algorithms == ("half",)
    assert half.changed({"data": ["b"]}).suites == ("openml",)


def test_what_to_tell_the_command_line() -> None:
    grid = Grid.of({"data": ["a b", "c"], "epsilon": [0.1, 0.2], "shuffles": 5})
    assert options(grid) == ["--data", "a b", "--data", "c", "--epsilon", "0.1,0.2", "--shuffles", "5"]
    assert options(Grid()) == []


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"algorithms": ["warm"]}, "--algorithms warm"),
        ({"extras": []}, "--extras none"),
        ({"algorithms": ["arrow-8"], "extras": ["warm"]}, "--algorithms arrow-8 --extras warm"),
        ({"seed": 7, "side_shuffles": 1}, "--side-shuffles 1 --seed 7"),
        ({"truth": "supervised"}, "--truth supervised"),
    ],
)
def test_what_follows_from_other_options_is_not_told(settings: dict[str, object], words: str) -> None:
    assert " ".join(options(Grid.of(settings))) == words


@pytest.mark.parametrize(
    "settings",
    [
        {"claims": ["cyc-1"]},
        {"claims": ["cyc-1"], "epsilon": [0.0125, 0.00625, 0.1]},
        {"claims": ["cyc-1"], "noises": list(Grid().noises)},
        {"claims": ["warm-start-helps"], "algorithms": ["paper"]},
        {"claims": ["cyc-1"], "extras": ["warm", "single-lambda"]},
        {"claims": ["gap-shrinks"], "side_shuffles": 2},
        {"claims": ["gap-shrinks"], "shuffles": 10, "seed": 3},
        {"claims": ["above-half"], "truth": "supervised"},
        {"claims": ["best-lambda", "uar"]},
    ],
)
def test_the_command_of_some_claims_gives_the_same_grid(settings: dict[str, Any]) -> None:
    grid, words = grid_of(settings), options(grid_of(settings))
    said = dict(zip(words[::2], words[1::2], strict=True))
    parsed: dict[str, Any] = {}
    for option, text in said.items():
        name = option.removeprefix("--").replace("-", "_")
        is_list = isinstance(getattr(Grid(), name), tuple)
        numbers = float if name == "epsilon" else str
        parsed[name] = [numbers(one) for one in text.split(",")] if is_list else text
        if name in ("shuffles", "side_shuffles", "extra_shuffles", "seed"):
            parsed[name] = int(text)
    if parsed.get("extras") == ["none"]:
        parsed["extras"] = []
    assert grid_of(parsed) == grid


def test_a_claim_that_cannot_be_judged_is_refused() -> None:
    with pytest.raises(InputError, match=r"epsilon is 0.1 with the claim cyc-1; expected 0.0125 as well"):
        grid_of({"claims": ["cyc-1"], "epsilon": [0.1]})


def test_a_file_may_name_claims(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text('claims = ["gap-shrinks"]\nshuffles = 4\n')
    grid = grid_of(read_settings(path))
    assert (grid.noises, grid.shuffles, grid.side_shuffles) == (("cyc:1",), 4, 4)


def test_single_lambdas_are_played_even_if_no_noise_of_figure_2_is() -> None:
    *_, single = Grid.of({"noises": ["maj:1"]}).parts()
    assert (single.algorithms, single.noises) == (SINGLE_LAMBDA, ("maj:1",))


def test_what_is_played_how_often() -> None:
    main, side, warm, single = Grid().parts()
    assert main == GridPart(PAPER, (0.0125,), Grid().noises, 3)
    assert side == GridPart(PAPER, (0.00625, 0.1), Grid().noises, 2)
    assert warm == GridPart(("warm",), (0.0125,), Grid().noises, 1)
    assert single == GridPart(SINGLE_LAMBDA, (0.0125,), FIGURE_2, 3)
    (only,) = Grid.of({"algorithms": ["warm"], "epsilon": [0.1], "shuffles": 5}).parts()
    assert only == GridPart(("warm",), (0.1,), Grid().noises, 5)
    assert [part.shuffles for part in Grid.of({"shuffles": 1, "extras": []}).parts()] == [1, 1]
    *_, tuned, untuned = Grid.of({"extras": ["warm", "half", "warm-2"], "extra_shuffles": 2}).parts()
    assert (tuned.algorithms, tuned.shuffles) == (("half",), 3)
    assert (untuned.algorithms, untuned.shuffles) == (("warm", "warm-2"), 2)


def test_why_no_size() -> None:
    grid = Grid.of({"warm_starts": [199]})
    assert grid.why_no_size(2401) == "2401 rows give warm starts of 2587 examples; expected fewer than there are rows"


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"algorithms": ["arrow-9"]}, "algorithm is 'arrow-9'; expected one of arrow-8"),
        ({"noises": ["loud:1"]}, "noise is 'loud:1'; expected none, uar:P"),
        ({"noises": ["cyc:1", "cyc:1.0"]}, "noises is cyc:1, cyc:1; expected each value once"),
        ({"epsilon": [2.0]}, "epsilon is 2.0; expected a number in"),
        ({"epsilon": ["much"]}, "epsilon is 'much'; expected numbers"),
        ({"epsilon": 0.1}, "epsilon is 0.1; expected a list"),
        ({"shuffles": [1]}, r"shuffles is \[1\]; expected a single value"),
        ({"shuffles": 0}, "shuffles is 0; expected an integer"),
        ({"learning_rates": []}, "learning_rates is empty"),
        ({"learning_rates": [0.0]}, "learning_rate is 0.0"),
        ({"warm_starts": [200]}, "warm_starts is 200; expected an integer from 1 to 199"),
        ({"max_rows": 0}, "max_rows is 0"),
        ({"seed": -1}, "seed is -1; expected an integer"),
        ({"side_shuffles": 0}, "side_shuffles is 0; expected an integer"),
        ({"extra_shuffles": 0}, "extra_shuffles is 0; expected an integer"),
        ({"algorithms": ["warm"], "extras": ["warm"]}, "extras has warm, which is also in algorithms"),
        ({"truth": "nobody"}, "truth is 'nobody'; expected one of bandit, supervised"),
        ({"suites": []}, "suites and data are empty"),
        ({"suites": [3]}, "suites has 3; expected text"),
        ({"warm_starts": [[1]]}, r"warm_starts is \[\[1\]\]; expected a list of plain values"),
        ({"epsilon": [True]}, "expected a list of plain values"),
        ({"speed": 3}, "the grid has no 'speed'; expected one of suites"),
    ],
)
def test_nonsense_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Grid.of(settings)


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_bytes(b"epsilon = [")
    with pytest.raises(InputError, match="expected a TOML file"):
        read_settings(path)
