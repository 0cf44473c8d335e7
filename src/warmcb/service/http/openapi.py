"""The OpenAPI description of all routes, made from the routes themselves."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

import warmcb
from warmcb.service.http.endpoints import ANYBODY, Endpoint

_ERROR = {
    "description": "Why not, in one sentence.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


class _Reason(msgspec.Struct):
    code: str
    message: str


class Error(msgspec.Struct):
    """The answer to a request that is refused."""

    error: _Reason


def description(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Return an OpenAPI document.

    Args:
        endpoints: all routes.

    """
    found = list(endpoints)
    bodies = {one.body for one in found if one.body is not None}
    kinds = [Error, *sorted((one for one in bodies if isinstance(one, type)), key=lambda one: one.__name__)]
    _, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for endpoint in found:
        path = re.sub(r"{(\w+):\w+}", r"{\1}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, path)
    return {
        "openapi": "3.1.0",
        "info": {"title": "warmcb", "version": warmcb.__version__, "description": "A decision service."},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint, path: str) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": re.sub(r"\W+", "_", f"{endpoint.method.lower()}{path}").strip("_"),
        "parameters": _parameters(endpoint, path),
        "responses": {"2XX": {"description": "Done, and durable."}, "4XX": _ERROR, "503": _ERROR},
        "security": [] if endpoint.role == ANYBODY else [{"key": []}],
    }
    if endpoint.body is not None:
        name = getattr(endpoint.body, "__name__", "")
        known = isinstance(endpoint.body, type) and issubclass(endpoint.body, msgspec.Struct)
        schema = {"$ref": f"#/components/schemas/{name}"} if known else {"type": "object"}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return operation


def _parameters(endpoint: Endpoint, path: str) -> list[dict[str, Any]]:
    text = {"type": "string"}
    in_path = [{"name": name, "in": "path", "required": True, "schema": text} for name in re.findall(r"{(\w+)}", path)]
    behind = [
        {"name": name, "in": "query", "description": what, "schema": text} for name, what in endpoint.query.items()
    ]
    header = {"name": "Idempotency-Key", "in": "header", "schema": text}
    return [*in_path, *behind, *([header] if path.endswith("/reward") else [])]
