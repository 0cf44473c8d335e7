"""Pages that open anywhere and ask no server for anything."""

from pathlib import Path
from typing import Any, NamedTuple

from warmcb._atomic import replacing


class Picture(NamedTuple):
    """A figure of a page.

    Attributes:
        title: what it shows.
        caption: how to read it.
        svg: to stand in the page.

    """

    title: str
    caption: str
    svg: str


def write_page(template: str, path: Path, **values: Any) -> None:
    """Write a page in one step.

    Args:
        template: the name of a template of this package.
        path: the file; one that was there before is replaced.
        **values: what the template shows.

    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("warmcb.logs", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    page = environment.get_template(template).render(**values)
    with replacing(path) as file:
        file.write(page.encode(errors="replace"))  # the name of a file need not be text


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}".replace("-", "−")
