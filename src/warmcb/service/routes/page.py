"""The page that shows how loops learn. Its files are public; the data that it shows needs a key."""

import hashlib
from importlib.resources import files

from warmcb.service.http.endpoints import ANYBODY, Call, Endpoint, Reply
from warmcb.service.refusals import not_found

_KINDS = {
    ".html": b"text/html; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_START = "index.html"
_FOREVER = b"public, max-age=31536000, immutable"


class Page:
    """The files of the page, in memory.

    Their path contains a hash of all files. So browsers can cache them for good, and never mix two releases.
    """

    def __init__(self) -> None:
        found = {file.name: file.read_bytes() for file in files("warmcb.service").joinpath("page").iterdir()}
        self._files = {name: body for name, body in found.items() if _ending(name) in _KINDS}
        whole = b"".join(name.encode() + body for name, body in sorted(self._files.items()))
        self._release = hashlib.sha256(whole).hexdigest()[:16]
        self._start = self._files.pop(_START).replace(b"/page/", f"/page/{self._release}/".encode())

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        path = "/page/{release}/{file}"
        return [
            Endpoint("GET", "/", self.start, ANYBODY, "Show the page to watch loops learn."),
            Endpoint("GET", path, self.file, ANYBODY, "Give a file of that page."),
        ]

    async def start(self, call: Call) -> Reply:
        """Return the file that a browser loads first."""
        return Reply(self._start, kind=_KINDS[".html"], headers=_HEADERS)

    async def file(self, call: Call) -> Reply:
        """Return a style sheet, a script or a picture."""
        name = call.path["file"]
        if call.path["release"] != self._release or name not in self._files:
            raise not_found("there is no such file of the page; load the page again")
        return Reply(self._files[name], kind=_KINDS[_ending(name)], cache=_FOREVER, headers=_HEADERS)


def _ending(name: str) -> str:
    return name[name.rfind(".") :]
