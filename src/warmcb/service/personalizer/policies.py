"""Learning settings in the form of Personalizer's policies: a text such as `--features bends --explorer inverse-gap`.

Personalizer's own policies are command lines of Vowpal Wabbit. They are refused, since another learner learns here.
"""

import shlex
from typing import Any, get_args, get_type_hints

from msgspec.structs import replace

from warmcb._messages import shown
from warmcb.service.loops.settings import Settings
from warmcb.service.personalizer.errors import invalid

NAME = "warmcb"
"""The name of the current policy."""

_OPTIONS: dict[str, tuple[str, ...]] = {
    name: get_args(get_type_hints(Settings)[name]) for name in ("features", "explorer")
}
_FORM = " ".join(f"--{name} {'|'.join(values)}" for name, values in _OPTIONS.items())


def arguments_of(settings: Settings) -> str:
    """Return the learning settings as a text.

    >>> arguments_of(Settings())
    '--features bends --explorer inverse-gap'
    """
    return " ".join(f"--{name} {getattr(settings, name)}" for name in _OPTIONS)


def settings_of(code: str, arguments: str) -> dict[str, Any]:
    """Return the learning settings of a text. Options that are missing have their defaults.

    >>> settings_of("InvalidPolicyConfiguration", "--features linear")
    {'features': 'linear', 'explorer': 'inverse-gap'}

    Args:
        code: the code of the refusal if the text has another form.
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
    """Return other learning settings to try: all that differ in one option.

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
