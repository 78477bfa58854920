"""The list of every hook into JAX and Keras, and the function that attaches them.

In: nothing.
Out: `install()`, which every public module calls, and which begins the profile that `stratagem profile` asks for; `HOOKS`,
in the order in which they are attached; on demand, `install_as_tensorflow()`, a hook into `import` statements.
Never: decides anything: what happens at a hook is said by the building that offers it.
"""

from stratagem._hooks._list import HOOKS as HOOKS
from stratagem._hooks._list import install as install
