"""Hooks into JAX and Keras: what one is, and attaching all of them once a process."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata

_lock = threading.Lock()
_attached_by: Callable[[], None] | None = None


@dataclass(frozen=True)
class Hook:
    """A change of what JAX or Keras does.

    what: a noun phrase, unique among the hooks.
    places: what it replaces or adds, as `module.Class.attribute` or `module.attribute`; `*` stands for any characters.
    why: what a program of TensorFlow's would meet without it.
    test: the test that fails without it, as pytest names it.
    attach: makes the change; called once a process.
    """

    what: str
    places: tuple[str, ...]
    why: str
    test: str
    attach: Callable[[], None]


def attach(hooks: Sequence[Hook], by: Callable[[], None]) -> None:
    """Attach the hooks in this order, unless this process has hooks already. Thread-safe.

    by: the function that calls this one, at the top level of its module: a process that works for this one calls it, too.

    Raises:
        ImportError: JAX or Keras has no such place; the hooks after that one are not attached.
    """
    global _attached_by
    with _lock:
        if _attached_by is not None:
            return
        for hook in hooks:
            try:
                hook.attach()
            except (AttributeError, KeyError) as error:
                versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("jax", "keras"))
                raise ImportError(
                    f"Stratagem cannot attach its hook for {hook.what} to {', '.join(hook.places)}: {error}. "
                    f"Installed are {versions}: are these versions that Stratagem's requirements allow?"
                ) from error
        _attached_by = by


def attached_by() -> Callable[[], None]:
    """The function that attached this process's hooks, for the processes that work for it.

    Raises:
        RuntimeError: there are none.
    """
    if _attached_by is None:
        raise RuntimeError("This process has no hooks into JAX and Keras: call stratagem._hooks.install() first.")
    return _attached_by
