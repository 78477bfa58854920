"""The result of `restore`: an object that can tell how well the checkpoint and the program match."""

import abc
from typing import Any, NoReturn, Self

from stratagem._checkpoints._pending import Restoration
from stratagem._checkpoints._special_parts import Tracked


class LoadStatus(abc.ABC):
    """Checks of a restored checkpoint; each returns the status itself, so that calls can be chained."""

    @abc.abstractmethod
    def assert_consumed(self) -> Self:
        """Raises AssertionError unless every value was used and every object got its values."""

    @abc.abstractmethod
    def assert_existing_objects_matched(self) -> Self:
        """Raises AssertionError when an object that exists by now has no counterpart in the checkpoint."""

    @abc.abstractmethod
    def assert_nontrivial_match(self) -> Self:
        """Raises AssertionError when nothing at all matched."""

    @abc.abstractmethod
    def expect_partial(self) -> Self:
        """Suppresses the warning about values that are never used."""

    def initialize_or_restore(self, session: Any = None) -> Self:
        """Does nothing, since values are assigned as soon as their variables exist; for programs written for TF 1 as well."""
        return self


class CheckpointLoadStatus(LoadStatus):
    """The status of a checkpoint that was read."""

    def __init__(self, checkpoint: Tracked, restoration: Restoration) -> None:
        self._checkpoint = checkpoint
        self._restoration = restoration

    def assert_consumed(self) -> Self:
        self.assert_existing_objects_matched()
        waiting = self._restoration.waiting
        if waiting:
            raise AssertionError(
                f"{len(waiting)} values of checkpoint {self._restoration.path!r} were not used: {_some(waiting)}. "
                "The objects they belong to do not exist here (yet): they are built at first use."
            )
        return self

    def assert_existing_objects_matched(self) -> Self:
        _, unmatched = self._match()
        if unmatched:
            raise AssertionError(
                f"{len(unmatched)} Python objects have no value in checkpoint {self._restoration.path!r}: "
                f"{_some(unmatched)}. The program was changed since it was saved, or it is another program's."
            )
        return self

    def assert_nontrivial_match(self) -> Self:
        matched, unmatched = self._match()
        if not matched:
            raise AssertionError(
                f"Nothing in checkpoint {self._restoration.path!r} matches this program's objects: "
                f"{_some(unmatched) if unmatched else 'the Checkpoint object has no parts'}."
            )
        return self

    def expect_partial(self) -> Self:
        self._restoration.expect_partial = True
        return self

    def _match(self) -> tuple[int, list[str]]:
        """The number of parts that have a counterpart, and the paths of those without one."""
        self._restoration.resume(self._checkpoint)  # attributes of plain objects appear without notice
        found = self._restoration.survey(self._checkpoint)
        bound = self._restoration.match(found)
        without = (i for i in range(len(found)) if i not in bound)
        missing = [found[i] for i in without if self._restoration.demands(found[i])]
        # The counter is our own: a checkpoint made by `write` need not have one.
        return len(bound) - 1, [live.path for live in missing if live.path != "save_counter"]


class NamedLoadStatus(LoadStatus):
    """The status of a checkpoint of variables by name: every variable here has to have a value there, and no more.

    As in TensorFlow the three assertions are one, and what the checkpoint has besides is of no interest.
    """

    def __init__(self, checkpoint: Tracked, restoration: Restoration) -> None:
        self._checkpoint = checkpoint
        self._restoration = restoration

    def assert_consumed(self) -> Self:
        self._restoration.resume(self._checkpoint)
        found = self._restoration.survey(self._checkpoint)
        bound = self._restoration.match(found)
        missing = [live.path for i, live in enumerate(found) if live.kind == "variable" and i not in bound]
        missing = [path for path in missing if path != "save_counter"]
        if missing:
            raise AssertionError(
                f"{len(missing)} variables have no value in checkpoint {self._restoration.path!r}, which has variables by "
                f"name: {_some(missing)}. They are matched by their names, such as 'dense/kernel'."
            )
        return self

    def assert_existing_objects_matched(self) -> Self:
        return self.assert_consumed()

    def assert_nontrivial_match(self) -> Self:
        return self.assert_consumed()

    def expect_partial(self) -> Self:
        return self


class InitializationOnlyStatus(LoadStatus):
    """The status of `restore(None)`: there was nothing to read."""

    def assert_consumed(self) -> NoReturn:
        self._refuse()

    def assert_existing_objects_matched(self) -> NoReturn:
        self._refuse()

    def assert_nontrivial_match(self) -> NoReturn:
        self._refuse()

    def expect_partial(self) -> Self:
        return self

    def _refuse(self) -> NoReturn:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")


def _some(names: list[str]) -> str:
    return ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
