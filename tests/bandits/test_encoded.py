"""Bandits that decide on dictionaries, JSON and frames: what an encoder makes of them, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction import DictVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from warmcb import ArrowCB, SharedBandit, WarmBandit, load, simulate
from warmcb.errors import InputError
from warmcb.features import Encoder

COUNTRIES, DRINKS = ("de", "fr", "it"), ("tea", "coffee", "milk")
FAVOURITE = dict(zip(COUNTRIES, DRINKS, strict=True))


def users(n: int, seed: int = 0) -> list[dict[str, Any]]:
    random = np.random.default_rng(seed)
    return [
        {
            "country": str(random.choice(COUNTRIES)),
            "age": float(random.integers(20, 60)),
            "hour": int(random.integers(24)),
        }
        for _ in range(n)
    ]


def drinks(seed: int) -> list[dict[str, Any]]:
    prices = np.random.default_rng(seed).random(3).tolist()
    return [{"kind": kind, "price": price} for kind, price in zip(DRINKS, prices, strict=True)]


def cost_of(user: dict[str, Any], drink: str) -> float:
    return float(FAVOURITE[user["country"]] != drink)


NUMBERED: dict[str, Callable[..., Any]] = {
    "WarmBandit": lambda **options: WarmBandit(actions=DRINKS, **options),
    "ArrowCB": lambda **options: ArrowCB(actions=DRINKS, **options),
}


@pytest.fixture(params=NUMBERED)
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return NUMBERED[request.param]


def test_an_encoder_changes_nothing_but_the_form(make: Callable[..., Any]) -> None:
    """Dictionaries, JSON, frames and rows that are encoded already: the same bits."""
    encoder, told = Encoder(bits=9), users(200)
    plain, encoded = make(seed=3), make(seed=3, encoder=encoder)
    labels = [FAVOURITE[user["country"]] for user in told[:50]]
    plain.warm_start(encoder.encode_many(told[:50]), labels)
    encoded.warm_start(pd.DataFrame(told[:50]), labels)
    forms = (lambda x: x, json.dumps, lambda x: pd.DataFrame([x]), lambda x: pl.DataFrame([x]), encoder.encode)
    for i, user in enumerate(told[50:]):
        x, given = encoder.encode(user), forms[i % len(forms)](user)
        decision = plain.decide(x)
        assert encoded.decide(given) == decision
        plain.learn(x, decision, cost_of(user, decision.action))
        encoded.learn(given, decision, cost_of(user, decision.action))
    assert encoded.decide_many(told)[7] == plain.decide_many(encoder.encode_many(told))[7]
    np.testing.assert_array_equal(encoded.predict_costs(told), plain.predict_costs(encoder.encode_many(told)))
    np.testing.assert_array_equal(encoded.predict(told), plain.predict(encoder.encode_many(told)))


def played(bandit: SharedBandit, n: int) -> float:
    """The mean cost of the last rounds."""
    costs = []
    for i, user in enumerate(users(n)):
        offer = drinks(i)
        decision = bandit.decide(user, actions=offer)
        costs.append(cost_of(user, offer[decision.action]["kind"]))
        bandit.learn(user, decision, costs[-1])
    return float(np.mean(costs[-100:]))


@pytest.mark.parametrize("bits", [5, 18])
def test_described_actions_as_dictionaries(bits: int) -> None:
    assert played(SharedBandit(encoder=Encoder(bits=bits)), 500) < 0.15


def test_a_request_is_a_context_and_its_actions() -> None:
    bandits = [SharedBandit(encoder=Encoder(), seed=2) for _ in range(4)]
    for i, user in enumerate(users(60)):
        offer = [{"id": drink["kind"], **drink} for drink in drinks(i)]
        request = {"context": user, "actions": offer}
        personalizer = {
            "contextFeatures": [user],
            "actions": [
                {"id": one["kind"], "features": [{"kind": one["kind"], "price": one["price"]}]} for one in offer
            ],
        }
        apart = [{name: value for name, value in one.items() if name != "id"} for one in offer]
        decisions = [
            bandits[0].decide(request),
            bandits[1].decide(json.dumps(request)),
            bandits[2].decide(personalizer),
            bandits[3].decide(user, actions=apart, ids=DRINKS),
        ]
        assert all(decision == decisions[0] for decision in decisions)
        assert decisions[0].ids == DRINKS
        cost = cost_of(user, DRINKS[decisions[0].action])
        for bandit, x in zip(bandits, (request, json.dumps(request), personalizer, user), strict=True):
            bandit.learn(x, decisions[0], cost)
    many = bandits[0].decide_many([request, json.dumps(request)], keys=[1, 2])
    assert many == bandits[3].decide_many([user, user], actions=[apart, apart], ids=[DRINKS, DRINKS], keys=[1, 2])
    assert bandits[0].policy().decide(request, key=1) == many[0]


def test_labels_of_requests() -> None:
    told = users(40)
    requests = [{"context": user, "actions": drinks(i)} for i, user in enumerate(told)]
    right = [DRINKS.index(FAVOURITE[user["country"]]) for user in told]
    one, two = (SharedBandit(encoder=Encoder(bits=6)) for _ in range(2))
    one.warm_start(requests, y=right)
    two.warm_start(told, [drinks(i) for i in range(40)], right)
    assert one.decide(requests[0], key=1) == two.decide(told[0], actions=drinks(0), key=1)


def test_simulate_takes_frames(make: Callable[..., Any]) -> None:
    told = users(300)
    right = [FAVOURITE[user["country"]] for user in told]
    encoder = Encoder(bits=9)
    frames = simulate(make(encoder=encoder), pl.DataFrame(told), right, warm_start=50)
    rows = simulate(make(), encoder.encode_many(told), right, warm_start=50)
    np.testing.assert_array_equal(frames.trace.costs, rows.trace.costs)


def test_simulate_takes_dictionaries_of_actions() -> None:
    told, offers = users(300), [drinks(i) for i in range(300)]
    costs = [[cost_of(user, one["kind"]) for one in offer] for user, offer in zip(told, offers, strict=True)]
    runs = [
        simulate(SharedBandit(encoder=Encoder(bits=6)), told, actions=offers, costs=costs, compiled=compiled)
        for compiled in (True, False)
    ]
    np.testing.assert_array_equal(runs[0].trace.actions, runs[1].trace.actions)
    assert runs[0].trace.costs[-100:].mean() < 0.2


# Files


def test_the_encoder_is_saved_with_its_names(tmp_path: Path) -> None:
    bandit = SharedBandit(encoder=Encoder(bits=10, text=("title",)))
    played(bandit, 50)
    bandit.save(tmp_path / "b.warmcb")
    again = load(tmp_path / "b.warmcb")
    assert again.encoder == bandit.encoder and again.encoder is not bandit.encoder
    column = int(again.encoder.encode({"country": "de"}).indices[0])
    assert again.encoder.names(column) == ("country=de",)
    assert again.encoder.report() == bandit.encoder.report()
    user, offer = users(1)[0], drinks(0)
    assert again.decide(user, actions=offer, key=1) == bandit.decide(user, actions=offer, key=1)
    bandit.policy().save(tmp_path / "p.warmcb")
    assert load(tmp_path / "p.warmcb").decide(user, actions=offer, key=1) == bandit.decide(user, actions=offer, key=1)


def test_an_encoder_may_be_brought_again_with_other_limits(tmp_path: Path) -> None:
    bandit = SharedBandit(encoder=Encoder(bits=10))
    played(bandit, 50)
    bandit.save(tmp_path / "b.warmcb")
    brought = Encoder(bits=10, most_bytes=100)
    again = load(tmp_path / "b.warmcb", encoder=brought)
    assert again.encoder.report() == bandit.encoder.report() != brought.report()
    with pytest.raises(InputError, match="most_bytes, which is 100"):
        again.decide(json.dumps({"name": "x" * 100}), actions=drinks(0))
    for other in (Encoder(bits=4), Encoder(bits=10, text=("name",)), vectorizer()):
        with pytest.raises(InputError, match=r"^encoder is .*; expected that of the saved one"):
            load(tmp_path / "b.warmcb", encoder=other)


def vectorizer(countries: tuple[str, ...] = COUNTRIES) -> DictVectorizer:
    return DictVectorizer().fit([{"country": country, "age": 1.0, "hour": 1} for country in countries])


def test_a_transformer_is_brought_again(tmp_path: Path) -> None:
    bandit = WarmBandit(actions=DRINKS, encoder=vectorizer())
    for user in users(100):
        decision = bandit.decide(user)
        bandit.learn(user, decision, cost_of(user, decision.action))
    bandit.save(tmp_path / "b.warmcb")
    again = load(tmp_path / "b.warmcb", encoder=vectorizer())
    assert again.decide(users(1)[0], key=1) == bandit.decide(users(1)[0], key=1)
    with pytest.raises(InputError, match=r"saved with a transformer; expected load\(path, encoder=it\)"):
        load(tmp_path / "b.warmcb")
    with pytest.raises(InputError, match=r"^encoder is .*; expected that of the saved one"):
        load(tmp_path / "b.warmcb", encoder=vectorizer(("de", "es")))
    WarmBandit(actions=DRINKS).save(tmp_path / "plain.warmcb")
    with pytest.raises(InputError, match="was saved without one; expected none"):
        load(tmp_path / "plain.warmcb", encoder=vectorizer())


def test_a_pipeline_on_frames() -> None:
    told = pd.DataFrame(users(200))
    columns = make_column_transformer((OneHotEncoder(), ["country"]), (StandardScaler(), ["age", "hour"])).fit(told)
    bandit = WarmBandit(actions=DRINKS, encoder=columns)
    bandit.warm_start(told, [FAVOURITE[country] for country in told["country"]])
    assert bandit.n_features_ == 5
    assert bandit.decide(told.iloc[0].to_dict()).action == FAVOURITE[told["country"][0]]


# Mistakes


@pytest.mark.parametrize(
    "x, message",
    [
        ('{"a": ' * 40 + "1" + "}" * 40, "most_depth"),
        ('{"a": "' + "x" * 3000 + '"}', "is JSON of 3009 bytes"),
        ({1: 2}, "1"),
        ("{", "is not JSON"),
        ("null", "None; expected a dictionary"),
        ([1.0, 2.0], "expected"),
        (3, "expected a dictionary"),
    ],
)
def test_bad_records_change_nothing(x: Any, message: str, tmp_path: Path) -> None:
    encoder = Encoder(bits=6, most_bytes=2000)
    numbered, described = WarmBandit(actions=DRINKS, encoder=encoder), SharedBandit(encoder=encoder)
    decision = numbered.decide(users(1)[0])
    described.decide(users(1)[0], actions=drinks(0))
    calls: list[Callable[[], object]] = [
        lambda: numbered.decide(x),
        lambda: numbered.learn(x, decision, 0.0),
        lambda: described.decide(x, actions=drinks(0)),
        lambda: described.decide(users(1)[0], actions=[*drinks(0), x]),
    ]
    for call in calls:
        states = [
            {name: array.tobytes() for name, array in one._whole_state().items()} for one in (numbered, described)
        ]
        with pytest.raises(InputError, match=message) as error:
            call()
        assert "\n" not in str(error.value)
        after = [{name: array.tobytes() for name, array in one._whole_state().items()} for one in (numbered, described)]
        assert after == states


def test_requests_of_which_some_have_ids() -> None:
    named = {"actions": [{"id": "tea", "price": 1}, {"id": "milk", "price": 2}]}
    nameless = {"actions": [{"price": 1}, {"price": 2}]}
    bandit = SharedBandit(encoder=Encoder())
    with pytest.raises(InputError, match="some requests have ids and some have none"):
        bandit.decide_many([named, nameless])
    assert bandit.n_features_ is None
    assert [one.ids for one in bandit.decide_many([named, named])] == [("tea", "milk")] * 2


@pytest.mark.parametrize("encoder", [Encoder(), None])
def test_a_table_is_no_list_of_rounds(encoder: Any) -> None:
    table = pd.DataFrame({"price": [1.0, 2.0]})
    tables: list[Any] = [table, pl.DataFrame(table), "milk", table.to_dict("list")]
    for wrong in tables:
        with pytest.raises(InputError, match=r"^actions is .*; expected a list with the actions of each round$"):
            SharedBandit(encoder=encoder).decide_many(table, actions=wrong)


def test_what_is_no_encoder() -> None:
    for wrong in (3, "hash", object(), Encoder):
        with pytest.raises(InputError, match="expected an Encoder or a fitted transformer"):
            WarmBandit(n_actions=2, encoder=wrong)
