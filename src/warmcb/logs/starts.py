"""Teach a bandit the decisions of a log, off-policy."""

from pathlib import Path

from warmcb.errors import DataError
from warmcb.logs._checks import reward_limits
from warmcb.logs.collecting import Progress, evidence_of, no_progress
from warmcb.logs.open import Log, open_log
from warmcb.logs.playing import AnyBandit, Range, player_of


def learn_from(
    bandit: AnyBandit, log: Log | str | Path, *, reward_range: Range = None, progress: Progress = no_progress
) -> int:
    """Teach a bandit the decisions of a log, as if it had made them with the logged probabilities.

    Only decisions that were drawn, took place and have a reward are learned. For a log without probabilities, use
    `WarmBandit.warm_start` with `paid=`.

    Args:
        bandit: a bandit, which may have learned before. If the log has records, it needs an encoder.
        log: a log, or its path.
        reward_range: the lowest and the highest possible reward. The algorithms of the paper need it, because their
            costs must lie in [0, 1].
        progress: a function that is called with the current step and a number of decisions.

    Returns:
        the number of decisions that were learned.

    Raises:
        InputError: the bandit does not fit the log, or an argument cannot be used.
        DataError: the log cannot be read, or has no decision that can be learned.

    Examples:
        >>> import tempfile
        >>> from warmcb import WarmBandit
        >>> from warmcb.logs import Event, Slot, append_parquet, learn_from
        >>> events = [Event(f"e{i}", (Slot(i % 2, (0.5, 0.5), reward=float(i % 2)),), x=(1.0,)) for i in range(100)]
        >>> bandit = WarmBandit(n_actions=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = append_parquet(folder, events)
        ...     learned = learn_from(bandit, folder)
        >>> learned, bandit.predict([[1.0]]).tolist()
        (100, [1])

    """
    player = player_of(bandit, reward_range=reward_limits(reward_range))
    learned = 0
    for logged in evidence_of(log if isinstance(log, Log) else open_log(log)):
        player.learn(logged)
        learned += len(logged)
        progress("learning", len(logged))
    if not learned:
        raise DataError("no decision of the log can be learned; expected some that were drawn and rewarded")
    return learned
