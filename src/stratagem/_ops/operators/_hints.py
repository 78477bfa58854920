"""The hints of linear operators: properties that are known before anything is computed."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

Hint: TypeAlias = bool | None


class Hints(NamedTuple):
    """The properties that users and classes ascribe to an operator: True, False or None for unknown."""

    is_non_singular: Hint
    is_self_adjoint: Hint
    is_positive_definite: Hint
    is_square: Hint

    @classmethod
    def of(cls, non_singular: Hint, self_adjoint: Hint, positive_definite: Hint, square: Hint) -> "Hints":
        """Returns the hints with what follows from them. Raises ValueError for a contradiction."""
        if positive_definite:
            if non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            non_singular = True
        if non_singular and square is False:
            raise ValueError("A non-singular matrix is always square.")
        if self_adjoint and square is False:
            raise ValueError("A self-adjoint matrix is always square.")
        return cls(non_singular, self_adjoint, positive_definite, True if non_singular or self_adjoint else square)


def inherited(given: tuple[Hint, Hint, Hint, Hint], known: Hints) -> Hints:
    """Returns the given hints, and where there is none, those of the operator that this one is made of."""
    return Hints(*(k if g is None else g for g, k in zip(given, known, strict=True)))


def always(given: Hint, sentence: str, value: bool = True) -> bool:
    """Returns a hint that a class determines. Raises ValueError with the sentence if the user says the opposite."""
    if given is not None and bool(given) != value:
        raise ValueError(sentence)
    return value


def real_is_self_adjoint(given: Hint, is_complex: bool, sentence: str) -> Hint:
    """Returns the hint for a matrix that is self-adjoint whenever its numbers are real."""
    return given if is_complex else always(given, sentence)


def all_are(given: Hint, known: Iterable[Hint]) -> Hint:
    """Returns the given hint; without one, True if it is known of all parts."""
    return True if given is None and all(known) else given
