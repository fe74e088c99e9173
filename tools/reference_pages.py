"""Write the generated pages of the reference: commands, violations, rules, functions, formats."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from dpaudit.cli import cli
from dpaudit.static.rules import RULES, rules_of
from dpaudit.violations import VIOLATIONS, Violation
from tools.description import ROOT
from tools.file_formats import PAGE as FORMATS
from tools.file_formats import formats_page
from tools.functions_page import PAGE as FUNCTIONS
from tools.functions_page import functions_page
from tools.markdown import table_row

DOCS = ROOT / "docs"
COMMANDS, KINDS, RULES_PAGE = DOCS / "commands.md", DOCS / "violations.md", DOCS / "rules.md"
_COMMANDS_HEAD = """# Commands

This page lists every command with its options. `dpaudit COMMAND --help` prints the same.
`make readme` writes this page.
"""
_KINDS_HEAD = """# Kinds of violation

Every finding has the id of one kind of violation. An id never changes its meaning.
`dpaudit explain ID` prints the same as this page, and the examples of each rule of `dpaudit lint`.
`make readme` writes this page.
"""
_RULES_HEAD = """# Rules of dpaudit lint

Each rule finds one pattern in the source and reports a [kind of violation](violations.md).
For each rule this page has a function in which it finds something, and one in which it does not.
Tests run the linter on both. [The static engine](static.md) says how the linter reads source.
`make readme` writes this page.
"""


def commands_page() -> str:
    """Return the page of the commands."""
    parts = [_COMMANDS_HEAD, _help_of(cli)]
    for name, command in sorted(cli.commands.items()):
        usage = " ".join(command.collect_usage_pieces(click.Context(command)))
        parts.append(f"## dpaudit {name}\n\n`dpaudit {name} {usage}`\n\n{_help_of(command)}")
        rows = [*_options_of(command)]
        if rows:
            parts.append("\n".join(map(table_row, [("option", "meaning"), ("---", "---"), *rows])))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def violations_page() -> str:
    """Return the page of the kinds of violation."""
    return (
        "\n\n".join(part.strip() for part in [_KINDS_HEAD, *map(_kind, VIOLATIONS.values())]) + "\n"
    )


def rules_page() -> str:
    """Return the page of the rules of the linter."""
    parts = [_RULES_HEAD]
    for rule in RULES:
        kind = VIOLATIONS[rule.id]
        anchor = f"{kind.id} {kind.name}".lower().replace(" ", "-")
        under = f" The examples assume the neighbors `{rule.relation}`." if rule.relation else ""
        parts += [
            f"## {rule.name}",
            f"Reports [{kind.id} {kind.name}](violations.md#{anchor}).\n\n{rule.statement}{under}",
            f"Broken:\n\n```py\n{rule.bad.rstrip()}\n```",
            f"Fixed:\n\n```py\n{rule.good.rstrip()}\n```",
        ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _help_of(command: click.Command) -> str:
    """Return the help of a command; what click prints as it stands becomes a block."""
    parts = []
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        kept = paragraph.startswith("\b\n")
        parts.append(f"```text\n{paragraph[2:]}\n```" if kept else paragraph)
    return "\n\n".join(parts)


def _options_of(command: click.Command) -> Iterator[tuple[str, str]]:
    context = click.Context(command)
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            names, meaning = record
            yield f"`{names}`", re.sub(r"\s+", " ", meaning)


def _kind(kind: Violation) -> str:
    parts = [
        f"## {kind.id} {kind.name}",
        kind.statement,
        kind.why,
        f"Broken:\n\n```py\n{kind.bad}\n```",
        f"Fixed:\n\n```py\n{kind.good}\n```",
        f"**Remedy.** {kind.remedy}",
    ]
    rules = [f"[{rule.name}](rules.md#{rule.name})" for rule in rules_of(kind.id)]
    if rules:
        parts.append(f"Rules of `dpaudit lint`: {', '.join(rules)}.")
    if kind.references:
        parts.append("\n".join(f"- {reference}." for reference in kind.references))
    return "\n\n".join(parts)


def main() -> None:
    """Write the pages."""
    COMMANDS.write_text(commands_page(), encoding="utf-8")
    KINDS.write_text(violations_page(), encoding="utf-8")
    RULES_PAGE.write_text(rules_page(), encoding="utf-8")
    FORMATS.write_text(formats_page(), encoding="utf-8")
    FUNCTIONS.write_text(functions_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
