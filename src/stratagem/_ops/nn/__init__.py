"""Functions of `tf.nn` and `tf.quantization` with windows, samples, sequences or ranges. Activations are in `_nn`."""

from stratagem._ops.nn._blocks import depth_to_space as depth_to_space
from stratagem._ops.nn._blocks import space_to_depth as space_to_depth
from stratagem._ops.nn._convolution import conv1d as conv1d
from stratagem._ops.nn._convolution import conv2d as conv2d
from stratagem._ops.nn._convolution import conv3d as conv3d
from stratagem._ops.nn._convolution import depthwise_conv2d as depthwise_conv2d
from stratagem._ops.nn._pooling import attach_pools as attach_pools
from stratagem._ops.nn._pooling import avg_pool as avg_pool
from stratagem._ops.nn._pooling import avg_pool2d as avg_pool2d
from stratagem._ops.nn._pooling import max_pool as max_pool
from stratagem._ops.nn._space_to_batch import batch_to_space as batch_to_space
from stratagem._ops.nn._space_to_batch import space_to_batch as space_to_batch
