"""The learner of described actions: how it sees a context and an action together depends on the size of the data."""

from typing import Any

from warmcb._core import Pairing
from warmcb.learners.linear import OnlineLinear, RecursiveLeastSquares

_PRODUCTS = 2**18  # columns for products of features; if there are more, they are hashed
_IDENTITIES = 2**16  # columns for ids, beside products


def pairing_of(
    learner: Any,
    features: str,
    half_life: float | None,
    widths: tuple[int, int],
    n_lanes: int,
    most_ids: int,
    one_hot: bool,
) -> tuple[Pairing, Any]:
    """How pairs of context and action reach a learner, and that learner.

    Args:
        learner: "auto", "online", or one that somebody brings: least squares by size, as "auto" does, and any other as
            one that sees each pair as a row.
        features: what least squares see.
        half_life: after which what was learned counts half.
        widths: of a context and of a description.
        n_lanes: L.
        most_ids: how many ids least squares remember.
        one_hot: whether descriptions are one-hot.

    """
    context, described = widths
    exact = RecursiveLeastSquares(features, half_life) if learner == "auto" else learner
    if isinstance(exact, RecursiveLeastSquares):
        if one_hot and exact.fits(context, described, n_lanes):
            return Pairing("apart", context, described, 0, 0), exact.start(context, described, n_lanes)
        if exact.fits_described(context, described):
            return Pairing("joint", *widths, 0, 0), exact.start_described(*widths, n_lanes, most_ids)
    pairing = Pairing("crossed", context, described, min(context * described, _PRODUCTS), _IDENTITIES)
    own = OnlineLinear() if isinstance(exact, str | RecursiveLeastSquares) else exact
    return pairing, own.start(pairing.features, 1, n_lanes)
