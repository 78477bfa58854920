"""PreemptionWatcher: TensorFlow's watcher for Google's own TPU cluster, which elsewhere sees nothing."""

import logging
from typing import final

from stratagem._base.exports import exported

_log = logging.getLogger("stratagem.checkpoint")


@exported("distribute.experimental.PreemptionWatcher")
@final
class PreemptionWatcher:
    """A watcher that is told of no pre-emption, as `tf.distribute.experimental.PreemptionWatcher` outside of Google's cluster.

    Programs that look at `preemption_message` in a loop of retries run on, and raise their errors. It warns, as TensorFlow
    does: `PreemptionCheckpointHandler` is what notices SIGTERM.
    """

    def __init__(self) -> None:
        _log.warning(
            "PreemptionWatcher supports no platform but Google's own cluster, and will see no pre-emption here. Use "
            "tf.distribute.experimental.PreemptionCheckpointHandler, which saves on SIGTERM."
        )

    @property
    def preemption_message(self) -> str | None:
        """The notice of a pre-emption: None, for none comes."""
        return None

    def block_until_worker_exit(self) -> None:
        """Returns at once, as TensorFlow's does on other platforms."""
