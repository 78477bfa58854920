"""Every hook into JAX and Keras, in the order in which they are attached; and attaching them."""

from stratagem._columns import describe_columns
from stratagem._devices import give_back_after_compiling
from stratagem._events import profile_as_asked
from stratagem._hooks._training import OF_TRAINING
from stratagem._hooks._values import OF_VALUES
from stratagem._private import Hook, attach

# Where two hooks have one place, the later one is asked first.
HOOKS: tuple[Hook, ...] = (*OF_VALUES, *OF_TRAINING)


def install() -> None:
    """Attach all hooks, unless this process has them; let a profile observe it, if the environment asks for one.

    SavedModels with feature columns can be loaded then, whatever namespace it is that calls this, and memory that a compiler
    frees goes back to the system.

    Raises:
        ImportError: a version of JAX or Keras lacks a place that a hook needs.
    """
    attach(HOOKS, install)
    describe_columns()
    give_back_after_compiling()
    profile_as_asked()
