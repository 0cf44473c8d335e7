"""Learning settings as Personalizer's policies: a text such as `--features bends --explorer inverse-gap`.

Personalizer's own texts are command lines of Vowpal Wabbit. Another learner learns here, so they are refused.
"""

import shlex
from typing import Any, get_args, get_type_hints

from msgspec.structs import replace

from warmcb._messages import shown
from warmcb.service.loops.settings import Settings
from warmcb.service.personalizer.errors import invalid

NAME = "warmcb"
"""What the policy in force is called."""

_OPTIONS: dict[str, tuple[str, ...]] = {
    name: get_args(get_type_hints(Settings)[name]) for name in ("features", "explorer")
}
_FORM = " ".join(f"--{name} {'|'.join(values)}" for name, values in _OPTIONS.items())


def arguments_of(settings: Settings) -> str:
    """The learning settings among all.

    >>> arguments_of(Settings())
    '--features bends --explorer inverse-gap'
    """
    return " ".join(f"--{name} {getattr(settings, name)}" for name in _OPTIONS)


def settings_of(code: str, arguments: str) -> dict[str, Any]:
    """The reverse; options that are missing have their defaults.

    >>> settings_of("InvalidPolicyConfiguration", "--features linear")
    {'features': 'linear', 'explorer': 'inverse-gap'}

    Args:
        code: of the refusal if these are no learning settings of this service.
        arguments: the text.

    """
    found = {name: getattr(Settings(), name) for name in _OPTIONS}
    try:
        words = shlex.split(arguments)
    except ValueError:
        words = ["?"]
    for option, value in zip(words[::2], words[1::2] + [""] * (len(words) % 2), strict=True):
        name = option.removeprefix("--")
        if option == name or value not in _OPTIONS.get(name, ()):
            expected = f"{_FORM}: this service has a learner of its own"
            raise invalid(code, f"arguments is {shown(arguments)}; expected {expected}")
        found[name] = value
    return found


def others(settings: Settings) -> list[str]:
    """Other learning settings that are worth a try: those that differ in one option.

    >>> others(Settings())[0]
    '--features squares --explorer inverse-gap'
    """
    tried = [
        replace(settings, **{name: value})
        for name, values in _OPTIONS.items()
        for value in values
        if value != getattr(settings, name)
    ]
    return [arguments_of(one) for one in tried]
