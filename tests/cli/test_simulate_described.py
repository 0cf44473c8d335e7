"""`warmcb simulate` on files with described actions: every format, every option."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.support.commands import facts_of, refusal, small_table, warmcb
from warmcb import SharedBandit, load, simulate
from warmcb.catalogue import CATALOGUE, CLASSES, algorithm
from warmcb.cli.simulate.choice import DEFAULT
from warmcb.data import read_described

N = 120


def write_shop(path: Path) -> Path:
    """Rounds of two or three articles with ids; an article is good if the user's age agrees with its price."""
    random = np.random.default_rng(2)
    lists: dict[str, list[Any]] = {"actions": [], "costs": [], "ids": []}
    ages = random.random(N).round(3)
    for i, age in enumerate(ages.tolist()):
        some = random.permutation(8)[: 2 + i % 2].tolist()
        lists["actions"].append([{"price": one / 8, "new": one % 2} for one in some])
        lists["costs"].append([round(abs(age - one / 8), 3) for one in some])
        lists["ids"].append([f"article {one}" for one in some])
    pl.DataFrame({"age": ages, **lists}).write_parquet(path)
    return path


def write_ranking(path: Path) -> Path:
    random = np.random.default_rng(3)
    lines = [
        f"{grade} qid:{i} 1:{grade / 4 + random.normal(scale=0.1):.3f} 2:{random.random():.3f}"
        for i in range(N)
        for grade in random.permutation(5)[: 2 + i % 3].tolist()
    ]
    path.write_text("\n".join(lines))
    return path


def write_dsjson(path: Path) -> Path:
    random = np.random.default_rng(4)
    lines = []
    for i in range(N):
        chosen, prices = int(random.integers(3)), random.random(3).round(3).tolist()
        lines.append(
            json.dumps(
                {
                    "_label_cost": -float(prices[chosen] > 0.5), "_label_probability": 1 / 3,
                    "_label_Action": chosen + 1, "_labelIndex": chosen, "EventId": str(i),
                    "a": [chosen + 1, *({1, 2, 3} - {chosen + 1})],
                    "p": [1 / 3] * 3, "c": {"User": {"age": 30 + i % 9}, "_multi": [{"price": one} for one in prices]},
                }
            )
        )  # fmt: skip
    path.write_text("\n".join(lines))
    return path


def write_vw(path: Path) -> Path:
    random = np.random.default_rng(5)
    rounds = []
    for i in range(N):
        prices = random.random(3).round(3).tolist()
        actions = [f"{k}:{price} 'drink{k} |item price:{price} hot" for k, price in enumerate(prices)]
        rounds.append("\n".join([f"shared |user age:{i % 9}", *actions]))
    path.write_text("\n\n".join(rounds) + "\n\n")
    return path


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_shop(tmp_path_factory.mktemp("data") / "shop.parquet")


def run_on(*arguments: str | Path) -> dict[str, Any]:
    """The document; remarks may stand on standard error."""
    done = warmcb("simulate", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert isinstance(facts, dict)
    return facts


@pytest.mark.parametrize(
    "name, write, shown",
    [
        ("shop.parquet", write_shop, 100),
        ("rank.libsvm", write_ranking, 100),
        ("log.dsjson", write_dsjson, None),
        ("drinks.vw", write_vw, 100),
    ],
)
def test_every_format(tmp_path: Path, name: str, write: Any, shown: int | None) -> None:
    path = write(tmp_path / name)
    data = read_described(path)
    facts = run_on(path, "--warm-start", "20", "--noise", "uar:0.25", "--seed", "1")
    expected = {
        "algorithm": "shared", "dataset": data.name, "n_rows": N, "n_actions": int(data.sizes.max()),
        "warm_start": 20, "interaction": 100, "epsilon": 0.05, "noise": "uar:0.25", "seed": 1,
        "n_action_features": data.A.shape[1], "mean_actions": data.sizes.mean(),
    }  # fmt: skip
    assert expected.items() <= facts.items()
    assert facts["rounds"] == facts["shown"] == shown or 0 < facts["rounds"] == facts["shown"] < 100
    assert facts["parameters"].keys() == SharedBandit().get_params().keys()
    assert facts["learner"].startswith("least squares")
    assert "learning_rate" not in facts


def test_the_command_plays_what_the_library_plays(shop: Path) -> None:
    data = read_described(shop)
    assert data.ids is not None
    parts = [slice(begin, end) for begin, end in zip(data.starts[:-1], data.starts[1:], strict=True)]
    run = simulate(
        SharedBandit(seed=3),
        data.X,
        actions=[data.A[part] for part in parts],
        costs=[data.costs[part] for part in parts],
        ids=[data.ids[part] for part in parts],
        warm_start=20,
        seed=3,
        noise="cyc:0.5",
    )
    facts = facts_of(shop, "--warm-start", "20", "--seed", "3", "--noise", "cyc:0.5")
    assert (facts["average_cost"], facts["lambda"]) == (run.average_cost, run.lambda_)


def test_two_percent_are_taught_by_default(shop: Path) -> None:
    facts = facts_of(shop)
    assert (facts["warm_start"], facts["interaction"], facts["algorithm"]) == (2, 118, "shared")


def test_options_reach_the_bandit(shop: Path) -> None:
    words = "--epsilon 0.2 --lambdas 0,1 --features linear --half-life 50 --truth supervised --no-shuffle"
    facts = facts_of(shop, *words.split(), "--algorithm", "shared")
    parameters = {"epsilon": 0.2, "lambdas": [0, 1], "features": "linear", "half_life": 50}
    assert parameters.items() <= facts["parameters"].items()
    assert facts["truth"] == "supervised"
    assert "bends" not in facts["learner"]


def test_costs_from_0_to_1_are_told(shop: Path, tmp_path: Path) -> None:
    assert facts_of(shop)["parameters"]["cost_range"] is None
    assert run_on(write_ranking(tmp_path / "r.libsvm"))["parameters"]["cost_range"] == [0, 1]


def test_the_table(shop: Path) -> None:
    done = warmcb("simulate", shop)
    assert done.returncode == 0
    for words in (
        "n action features  2",
        "mean actions       2.5",
        "shown              118",
        "average cost",
        "least squares",
    ):
        assert words in done.stdout
    assert "None" not in done.stdout


def test_several_seeds(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    facts = facts_of(shop, "--seeds", "3", "--trace", path)
    assert (len(facts["costs"]), facts["shown"], facts["seeds"]) == (3, [118] * 3, 3)
    assert facts["costs"][1] == facts_of(shop, "--seed", "1")["average_cost"]
    rounds = pl.read_parquet(path)
    assert (rounds.columns[0], len(rounds)) == ("seed", 3 * 118)
    assert warmcb("simulate", shop, "--seeds", "2").returncode == 0


def test_the_trace_has_the_row_that_was_played_and_its_id(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    facts = facts_of(shop, "--trace", path)
    rounds, data = pl.read_parquet(path), read_described(shop)
    assert data.ids is not None
    assert rounds.columns == ["round", "row", "action", "id", "probability", "cost", "lambda", "memory"]
    at = (data.starts[rounds["row"]] + rounds["action"].to_numpy()).tolist()
    assert rounds["id"].to_list() == [data.ids[i] for i in at]
    assert rounds["cost"].to_list() == data.costs[at].tolist()
    assert rounds["cost"].mean() == pytest.approx(facts["average_cost"])


def test_an_unknown_cost_is_null_in_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    facts = run_on(write_dsjson(tmp_path / "log.dsjson"), "--trace", path)
    rounds = pl.read_parquet(path)
    assert "id" not in rounds.columns
    assert len(rounds) - rounds["cost"].null_count() == facts["shown"] < len(rounds) == facts["interaction"]
    assert rounds["cost"].mean() == pytest.approx(facts["average_cost"])


def test_integers_stay_integers_in_the_trace(tmp_path: Path) -> None:
    data, path = tmp_path / "n.parquet", tmp_path / "t.parquet"
    table = {"actions": [[[0.0], [1.0]]] * 50, "costs": [[0.0, 2.0]] * 50, "ids": [[7, 9]] * 50}
    pl.DataFrame(table).write_parquet(data)
    run_on(data, "--trace", path)
    assert pl.read_parquet(path)["id"].dtype == pl.Int64


@pytest.mark.slow
def test_save_and_plots(tmp_path: Path, shop: Path) -> None:
    ranking = write_ranking(tmp_path / "r.libsvm")
    model, plot, certainty = tmp_path / "m.warmcb", tmp_path / "p.svg", tmp_path / "c.svg"
    facts = run_on(ranking, "--save", model, "--plot", plot, "--plot-certainty", certainty)
    assert "rounds" in plot.read_text()
    assert "dropped" in certainty.read_text() or "undecided" in certainty.read_text()
    bandit = load(model)
    assert isinstance(bandit, SharedBandit)
    assert bandit.learned_ == facts["shown"]
    run_on(shop, "--save", model)
    bandit = load(model)
    assert isinstance(bandit, SharedBandit)
    assert (bandit.features_, bandit.action_features_) == (("age",), ("price", "new"))
    message = refusal("simulate", shop, "--plot-certainty", certainty)
    assert message.endswith("expected data with labels, or with costs from 0 to 1")


def test_a_plot_of_rounds_of_which_some_show_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.svg"
    run_on(write_dsjson(tmp_path / "log.dsjson"), "--plot", path)
    assert "nan" not in path.read_text()


@pytest.mark.parametrize("name", [name for name in CLASSES if not CATALOGUE[name].described])
def test_the_others_refuse_descriptions(shop: Path, name: str) -> None:
    message = refusal("simulate", shop, "--algorithm", name)
    assert message == f"algorithm is {name!r}, but the actions of shop are described; expected shared"


def test_mistakes(shop: Path, tmp_path: Path) -> None:
    table = small_table(tmp_path)
    assert refusal("simulate", table, "--algorithm", "shared") == (
        "algorithm is 'shared', but the actions of small are classes; expected another algorithm, such as warm, or a"
        " file with described actions"
    )
    for words, message in {
        "--noise maj:0.5": "noise is maj:0.5; expected none, uar:P or cyc:P with described actions",
        "--learning-rate 0.5": "learning_rate is 0.5; warm has no such option",
        "--algorithm shared --learning-rate 0.5": "learning_rate is 0.5; shared has no such option",
        "--warm-start 120": "warm_start is 120; expected an integer from 0 to 119",
        "--interaction 121": "interaction is 121",
        "--lambdas 7": "lambdas is",
    }.items():
        assert refusal("simulate", shop, *words.split()).startswith(message)


def test_both_defaults_have_the_same_options() -> None:
    """What is refused before the data is read must be right for either of them."""
    options = ("epsilon", "lambdas", "features", "half_life", "learning_rate")
    has = [[name for name in options if name in algorithm(one).parameters] for one in (DEFAULT, "shared")]
    assert has[0] == has[1]


class First:
    """A user's own: plays the first action."""

    described = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def warm_start(self, X: Any, actions: Any, **told: Any) -> None:
        pass

    def decide(self, x: Any, actions: Any, ids: Any = None) -> Any:
        return type("Choice", (), {"action": 0, "probability": 1.0})

    def learn(self, x: Any, row: int, cost: float, probability: float, actions: Any, ids: Any = None) -> None:
        pass


def test_a_users_own(shop: Path) -> None:
    facts = facts_of(shop, "--algorithm", f"{__name__}:First", "--no-shuffle", "--warm-start", "0")
    data = read_described(shop)
    assert facts["average_cost"] == pytest.approx(data.costs[data.starts[:-1]].mean())
