# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.layers import AveragePooling1D as AveragePooling1D
from stratagem._tf1.graph.layers import AveragePooling2D as AveragePooling2D
from stratagem._tf1.graph.layers import AveragePooling3D as AveragePooling3D
from stratagem._tf1.graph.layers import BatchNormalization as BatchNormalization
from stratagem._tf1.graph.layers import Conv1D as Conv1D
from stratagem._tf1.graph.layers import Conv2D as Conv2D
from stratagem._tf1.graph.layers import Conv2DTranspose as Conv2DTranspose
from stratagem._tf1.graph.layers import Conv3D as Conv3D
from stratagem._tf1.graph.layers import Conv3DTranspose as Conv3DTranspose
from stratagem._tf1.graph.layers import Dense as Dense
from stratagem._tf1.graph.layers import Dropout as Dropout
from stratagem._tf1.graph.layers import Flatten as Flatten
from stratagem._tf1.graph.layers import Layer as Layer
from stratagem._tf1.graph.layers import MaxPooling1D as MaxPooling1D
from stratagem._tf1.graph.layers import MaxPooling2D as MaxPooling2D
from stratagem._tf1.graph.layers import MaxPooling3D as MaxPooling3D
from stratagem._tf1.graph.layers import SeparableConv1D as SeparableConv1D
from stratagem._tf1.graph.layers import SeparableConv2D as SeparableConv2D
from stratagem._tf1.graph.layers import average_pooling1d as average_pooling1d
from stratagem._tf1.graph.layers import average_pooling2d as average_pooling2d
from stratagem._tf1.graph.layers import average_pooling3d as average_pooling3d
from stratagem._tf1.graph.layers import batch_normalization as batch_normalization
from stratagem._tf1.graph.layers import conv1d as conv1d
from stratagem._tf1.graph.layers import conv2d as conv2d
from stratagem._tf1.graph.layers import conv2d_transpose as conv2d_transpose
from stratagem._tf1.graph.layers import conv3d as conv3d
from stratagem._tf1.graph.layers import conv3d_transpose as conv3d_transpose
from stratagem._tf1.graph.layers import dense as dense
from stratagem._tf1.graph.layers import dropout as dropout
from stratagem._tf1.graph.layers import flatten as flatten
from stratagem._tf1.graph.layers import max_pooling1d as max_pooling1d
from stratagem._tf1.graph.layers import max_pooling2d as max_pooling2d
from stratagem._tf1.graph.layers import max_pooling3d as max_pooling3d
from stratagem._tf1.graph.layers import separable_conv1d as separable_conv1d
from stratagem._tf1.graph.layers import separable_conv2d as separable_conv2d

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D", "Conv2D",
    "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten", "Layer", "MaxPooling1D",
    "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D", "average_pooling1d", "average_pooling2d",
    "average_pooling3d", "batch_normalization", "conv1d", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "dense", "dropout", "flatten", "max_pooling1d", "max_pooling2d", "max_pooling3d", "separable_conv1d",
    "separable_conv2d"
]  # fmt: skip
