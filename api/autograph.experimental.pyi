"""`tf.autograph.experimental`: what is converted, and how loops run."""

from malt.core.converter import Feature as Feature
from malt.lang.directives import set_loop_options as set_loop_options
