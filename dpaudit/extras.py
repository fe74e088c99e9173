"""Packages that extras bring: imported where used, with the remedy where one is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

EXTRAS = {
    "diffprivlib": "libraries",
    "dp_accounting": "accounting",
    "hypothesis": "strategies",
    "matplotlib": "plot",
    "opendp": "libraries",
    "pandas": "pandas",
    "polars": "polars",
}


def optional(module: str) -> Any:
    """Return a module of a package that an extra brings.

    Parameters
    ----------
    module : str
        Its full name; the package is one of `EXTRAS`.

    Raises
    ------
    ModuleNotFoundError
        Where the package is not installed, with the command that installs it.
    """
    package = module.partition(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise ModuleNotFoundError(
            f"{package} is not installed; install it with: "
            f"pip install 'dpaudit[{EXTRAS[package]}]'",
            name=package,
        ) from error
