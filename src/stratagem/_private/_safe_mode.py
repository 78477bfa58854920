"""Keras' safe mode: a configuration that came from a file names nothing that is opened, imported or called."""

from typing import final

from keras.src.saving import serialization_lib


@final
class RefusedInSafeModeError(ValueError):
    """A configuration of a file asks for what safe mode does not do."""


def refuse_in_safe_mode(owner: str, request: str) -> None:
    """Raises RefusedInSafeModeError while a configuration is read in safe mode, as those of files are unless told otherwise.

    owner: the class whose configuration it is. request: what it asks for, such as "reads the vocabulary file '/x'".
    """
    if serialization_lib.in_safe_mode():
        raise RefusedInSafeModeError(
            f"The configuration of a {owner} {request}, which safe mode refuses: whoever wrote the file would decide what this "
            "process opens or calls. Nothing was opened. If you trust the file, load it with safe_mode=False. A file that is "
            "saved after that loads in safe mode."
        )


def refusal_behind(error: BaseException | None) -> RefusedInSafeModeError | None:
    """Returns the refusal that an error of Keras' was raised for, if there is one."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, RefusedInSafeModeError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None
