"""HTML pages in a single file, which need no server."""

from pathlib import Path
from typing import Any, NamedTuple

from warmcb._atomic import replacing


class Picture(NamedTuple):
    """A figure of a page.

    Attributes:
        title: its title.
        caption: how to read it.
        svg: the figure, to be embedded in the page.

    """

    title: str
    caption: str
    svg: str


def write_page(template: str, path: Path, **values: Any) -> None:
    """Write a page. It appears when it is complete.

    Args:
        template: the name of a template of this package.
        path: the file. An existing file is replaced.
        **values: the values for the template.

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
        file.write(page.encode(errors="replace"))  # the name of a file may not be valid text


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}".replace("-", "−")
