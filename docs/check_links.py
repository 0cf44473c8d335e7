"""Check that links inside the built site lead somewhere, and that nothing is loaded from elsewhere; needs no network.

python docs/check_links.py build/site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the ids they may lead to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.ids: set[str] = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "base" or ("rel", "canonical") in attrs:  # the address of the site
            return
        for name, value in attrs:
            if name in ("href", "src") and value:
                (self.links if tag == "a" else self.loaded).add(value)
            elif name == "id" and value:
                self.ids.add(value)


def broken_links(site: Path) -> list[str]:
    """Links to a file or an id that is not there, and images, styles or scripts of other sites."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links | page.loaded:
            parts = urlsplit(link)
            if parts.netloc:
                is_good = link not in page.loaded
            else:
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                there = pages.get(target)
                is_good = target.is_file() and (there is None or unquote(parts.fragment) in there.ids)
            if not is_good and parts.scheme not in ("data", "mailto"):
                broken.append(f"{path.relative_to(site)}: {link}")
    return sorted(broken)


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]).resolve())
    print("\n".join(found) or "all links inside the site lead somewhere")
    sys.exit(bool(found))
