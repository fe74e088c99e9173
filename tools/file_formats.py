"""Write docs/file_formats.md: the files that dpaudit reads and writes, from the JSON schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tools.description import ROOT
from tools.markdown import table_row

PAGE = ROOT / "docs" / "file_formats.md"
SCHEMA = ROOT / "docs" / "schemas" / "dpaudit.schema.json"
_TITLES = {
    "run": "Results of a run",
    "audit": "An audit of a run",
    "report": "A report",
    "finding": "A finding",
    "witness": "A witness",
    "step_witness": "A false step of a derivation",
    "evidence": "The evidence of an engine",
    "lint": "Findings of the linter",
    "certificate": "A certificate",
}
_HEAD = """# File formats

| file | written by | read by | format |
| --- | --- | --- | --- |
| results of a run | `dpaudit run --json`, `dpaudit audit --json` | `dpaudit report`, `compare`, `review`, `baseline` | [JSON](#results-of-a-run) |
| findings of the linter | `dpaudit lint --format json` | `dpaudit report`, `baseline` | [JSON](#findings-of-the-linter) |
| certificate | `--certificate`, `--certificates`, with `--beacon` for evidence | `dpaudit check` | [JSON](#a-certificate) |
| baseline | `dpaudit baseline`, or you | `dpaudit run`, `lint`, pytest | TOML, [described with the command](ci.md#accept-a-known-finding) |
| settings | you | `dpaudit run`, `lint`, pytest | the table `[tool.dpaudit]` of `pyproject.toml`, [described with CI](ci.md#settings) |
| audit file | `dpaudit init`, or you | `dpaudit run`, pytest | Python, [described in the tutorial](tutorial.md) |
| store of runs, `.dpaudit/` | `dpaudit run` | `--resume`, `--accumulate`, `compare`, `review` | SQLite; it belongs to dpaudit and may change |
| saved pairs, `.dpaudit/examples/` | `dpaudit run` | `dpaudit run` | JSON; it belongs to dpaudit and may change |
| reports | `--report`, `dpaudit report` | people, code scanning, build servers | HTML, SARIF 2.1.0, JUnit XML, Markdown, [described with reports](reports.md) |

[The JSON schema](schemas/dpaudit.schema.json) describes the three JSON formats. A program that reads
them should ignore fields that it does not know, because fields are added within a `schema_version`.
JSON has no infinite numbers. The strings `inf`, `-inf` and `nan` stand for them. The tests validate
written files against the schema, and `make readme` writes this page from it.
"""  # noqa: E501


def formats_page() -> str:
    """Return the page of the file formats."""
    defined = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    parts = [_HEAD.strip()]
    for name, title in _TITLES.items():
        schema = defined[name]
        head = [("field", "type", "meaning"), ("---", "---", "---")]
        rows = [_row(field, how, schema, defined) for field, how in schema["properties"].items()]
        table = "\n".join(map(table_row, [*head, *rows]))
        parts.append(f"## {title}\n\n{schema['description']}\n\n{table}")
    return "\n\n".join(parts) + "\n"


def _row(
    field: str, how: Mapping[str, Any], schema: Mapping[str, Any], defined: Mapping[str, Any]
) -> tuple[str, str, str]:
    """Return the row of a field: its name, type and meaning."""
    optional = "" if field in schema["required"] else ", may be absent"
    referred = defined.get(str(how.get("$ref")).rpartition("/")[2], {})
    meaning = how.get("description") or referred["description"]
    return f"`{field}`", _type(how, defined) + optional, meaning


def _type(how: Mapping[str, Any], defined: Mapping[str, Any]) -> str:
    """Return the type of a value in a few words."""
    if "$ref" in how:
        name = how["$ref"].rpartition("/")[2]
        title = _TITLES.get(name, "")
        if title:
            return f"[{name}](#{title.lower().replace(' ', '-')})"
        return str(defined[name].get("title") or _type(defined[name], defined))
    if "anyOf" in how:
        return " or ".join(_type(each, defined) for each in how["anyOf"])
    if "enum" in how or "const" in how:
        return ", ".join(f"`{json.dumps(value)}`" for value in how.get("enum", [how.get("const")]))
    types = how.get("type", "any")
    text = " or ".join([types] if isinstance(types, str) else types)
    return f"{text} of {_type(how['items'], defined)}" if "items" in how else text
