"""What is wrong with a body is said together with what is allowed."""

from typing import Any

import pytest

from warmcb.errors import InputError
from warmcb.service.bodies import DecideBody, EvaluateBody, KeyBody, LabelsBody, LoopBody, RewardBody, decoded
from warmcb.service.loops.settings import settings_from
from warmcb.service.refusals import RefusedError

FIELDS = "expected event, context, actions, allowed, excluded, unit, explore, baseline, deferred, slots"


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        (DecideBody, b"", "the body is empty; expected JSON"),
        (DecideBody, b" \n", "the body is empty; expected JSON"),
        (DecideBody, b'{"event": "e"', "the body is not complete JSON; expected one whole object"),
        (DecideBody, b"{} {}", "the body is not what is expected: JSON is malformed: trailing characters (byte 4)"),
        (DecideBody, b"[]", "the body is not what is expected: Expected `object`, got `array`"),
        (DecideBody, b'{"explor": false}', f"the field 'explor' is unknown; {FIELDS}"),
        (DecideBody, b'{"a`b": 1}', f"the field 'a`b' is unknown; {FIELDS}"),
        (DecideBody, b'{"actions": []}', "actions has too few entries; expected at least 1"),
        (DecideBody, b'{"event": "%s"}' % (b"x" * 257), "event has too many characters; expected at most 256"),
        (
            DecideBody,
            b'{"slots": [{"id": "top", "x": 1}]}',
            "the field 'x' in slots[0] is unknown; expected id, features, allowed, excluded, baseline",
        ),
        (DecideBody, b'{"slots": [{}]}', "id is missing in slots[0]"),
        (RewardBody, b'{"event": "e"}', "reward is missing"),
        (RewardBody, b'{"event": "e", "reward": 1e13}', "reward is out of range; expected at most 1e+12"),
        (LabelsBody, b'{"examples": []}', "examples has too few entries; expected at least 1"),
        (LoopBody, b'{"kind": "name"}', "kind is 'name'; expected 'described' or 'named'"),
        (
            LoopBody,
            b'{"kind": "named", "encoder": {"bit": 7}}',
            "the field 'bit' in encoder is unknown; expected bits, text, categories, now, known",
        ),
        (KeyBody, b'{"role": "application", "place": 3}', "place is 3; expected 1 or 2"),
        (EvaluateBody, b'{"policies": ["logged"], "level": 1}', "level is out of range; expected less than 1"),
        (
            EvaluateBody,
            b'{"policies": ["logged"], "model": "deep"}',
            "model is 'deep'; expected 'bends', 'linear', 'none' or 'squares'",
        ),
    ],
)
def test_a_wrong_body(kind: type[Any], body: bytes, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        decoded(body, kind)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "apprentise"}, "mode is 'apprentise'; expected 'apprentice', 'online', 'paused' or 'shadow'"),
        ({"Wait": 1}, "the field 'Wait' is unknown; expected mode, explore, control, rollout, auto_pause, webhook, "),
        ({"wait": -1}, "wait is out of range; expected at least 1"),
        ({"reward_range": [1, 0]}, "reward_range must be two numbers, the lower one first"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        settings_from(settings)
    assert str(caught.value).startswith(f"settings: {message}")
