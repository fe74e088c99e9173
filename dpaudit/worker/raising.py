"""The user's line that an exception was raised on, for who has to mend it."""

from __future__ import annotations

from dpaudit.outputs.emitting import is_installed


def raised_at(error: BaseException) -> str:
    """Return ``file:line`` of the innermost frame that is no library's; empty where none is.

    Parameters
    ----------
    error : BaseException
    """
    trace, found = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not is_installed(file):
            found = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
