"""Settings of a profile: what `stratagem profile` tells the processes that it starts, by environment variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self, final

_FOLDER, _SKIP, _STEPS, _SECONDS = (f"STRATAGEM_PROFILE{name}" for name in ("", "_SKIP", "_STEPS", "_SECONDS"))


@final
@dataclass(frozen=True)
class ProfileSettings:
    """The steps that are recorded: `skip` are left out, then `steps` are recorded, for `seconds` at most.

    folder: each process makes a folder of its own in it.
    """

    folder: Path
    skip: int = 3
    steps: int = 50
    seconds: float = 30.0

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self | None:
        """Reads them from environment variables; None if these do not name a folder. Raises ValueError if one is no number."""
        if not environ.get(_FOLDER):
            return None
        return cls(
            Path(environ[_FOLDER]).absolute(),
            int(environ.get(_SKIP, cls.skip)),
            int(environ.get(_STEPS, cls.steps)),
            float(environ.get(_SECONDS, cls.seconds)),
        )

    def variables(self) -> dict[str, str]:
        """The environment variables that `of` reads."""
        return {
            _FOLDER: str(self.folder),
            _SKIP: str(self.skip),
            _STEPS: str(self.steps),
            _SECONDS: str(self.seconds),
        }
