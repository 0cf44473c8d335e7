"""The learner for described actions. The size of the data decides how it combines a context and an action."""

from typing import Any

from warmcb._core import Pairing
from warmcb.learners.linear import OnlineLinear, RecursiveLeastSquares

_PRODUCTS = 2**18  # columns for products of features; more products are hashed into them
_IDENTITIES = 2**16  # additional columns for ids


def pairing_of(
    learner: Any,
    features: str,
    half_life: float | None,
    widths: tuple[int, int],
    n_lanes: int,
    most_ids: int,
    one_hot: bool,
) -> tuple[Pairing, Any]:
    """Choose how pairs of context and action become rows, and start the learner of these rows.

    Args:
        learner: "auto", "online", or a learner. Least squares are treated like "auto"; any other learner gets a row
            for each pair.
        features: the functions that least squares can fit.
        half_life: the number of rounds after which an example counts half.
        widths: the number of features of a context, and of an action.
        n_lanes: the number of lanes, L.
        most_ids: the largest number of ids that least squares learn an effect for.
        one_hot: whether the actions are one-hot.

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
