# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.applications import convnext as convnext
from stratagem.keras.applications import densenet as densenet
from stratagem.keras.applications import efficientnet as efficientnet
from stratagem.keras.applications import efficientnet_v2 as efficientnet_v2
from stratagem.keras.applications import imagenet_utils as imagenet_utils
from stratagem.keras.applications import inception_resnet_v2 as inception_resnet_v2
from stratagem.keras.applications import inception_v3 as inception_v3
from stratagem.keras.applications import mobilenet as mobilenet
from stratagem.keras.applications import mobilenet_v2 as mobilenet_v2
from stratagem.keras.applications import mobilenet_v3 as mobilenet_v3
from stratagem.keras.applications import nasnet as nasnet
from stratagem.keras.applications import resnet as resnet
from stratagem.keras.applications import resnet50 as resnet50
from stratagem.keras.applications import resnet_v2 as resnet_v2
from stratagem.keras.applications import vgg16 as vgg16
from stratagem.keras.applications import vgg19 as vgg19
from stratagem.keras.applications import xception as xception

__all__ = [
    "ConvNeXtBase", "ConvNeXtLarge", "ConvNeXtSmall", "ConvNeXtTiny", "ConvNeXtXLarge", "DenseNet121", "DenseNet169",
    "DenseNet201", "EfficientNetB0", "EfficientNetB1", "EfficientNetB2", "EfficientNetB3", "EfficientNetB4",
    "EfficientNetB5", "EfficientNetB6", "EfficientNetB7", "EfficientNetV2B0", "EfficientNetV2B1", "EfficientNetV2B2",
    "EfficientNetV2B3", "EfficientNetV2L", "EfficientNetV2M", "EfficientNetV2S", "InceptionResNetV2", "InceptionV3",
    "MobileNet", "MobileNetV2", "MobileNetV3Large", "MobileNetV3Small", "NASNetLarge", "NASNetMobile", "ResNet101",
    "ResNet101V2", "ResNet152", "ResNet152V2", "ResNet50", "ResNet50V2", "VGG16", "VGG19", "Xception", "convnext",
    "densenet", "efficientnet", "efficientnet_v2", "imagenet_utils", "inception_resnet_v2", "inception_v3", "mobilenet",
    "mobilenet_v2", "mobilenet_v3", "nasnet", "resnet", "resnet50", "resnet_v2", "vgg16", "vgg19", "xception"
]  # fmt: skip

def ConvNeXtBase(
    include_top: Any = True,
    include_preprocessing: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "convnext_base",
) -> Any: ...
def ConvNeXtLarge(
    include_top: Any = True,
    include_preprocessing: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "convnext_large",
) -> Any: ...
def ConvNeXtSmall(
    include_top: Any = True,
    include_preprocessing: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "convnext_small",
) -> Any: ...
def ConvNeXtTiny(
    include_top: Any = True,
    include_preprocessing: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "convnext_tiny",
) -> Any: ...
def ConvNeXtXLarge(
    include_top: Any = True,
    include_preprocessing: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "convnext_xlarge",
) -> Any: ...
def DenseNet121(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "densenet121",
) -> Any: ...
def DenseNet169(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "densenet169",
) -> Any: ...
def DenseNet201(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "densenet201",
) -> Any: ...
def EfficientNetB0(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb0",
) -> Any: ...
def EfficientNetB1(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb1",
) -> Any: ...
def EfficientNetB2(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb2",
) -> Any: ...
def EfficientNetB3(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb3",
) -> Any: ...
def EfficientNetB4(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb4",
) -> Any: ...
def EfficientNetB5(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb5",
) -> Any: ...
def EfficientNetB6(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb6",
) -> Any: ...
def EfficientNetB7(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "efficientnetb7",
) -> Any: ...
def EfficientNetV2B0(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "efficientnetv2-b0",
) -> Any: ...
def EfficientNetV2B1(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "efficientnetv2-b1",
) -> Any: ...
def EfficientNetV2B2(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "efficientnetv2-b2",
) -> Any: ...
def EfficientNetV2B3(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "efficientnetv2-b3",
) -> Any: ...
def EfficientNetV2L(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "efficientnetv2-l",
) -> Any: ...
def EfficientNetV2M(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "efficientnetv2-m",
) -> Any: ...
def EfficientNetV2S(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "efficientnetv2-s",
) -> Any: ...
def InceptionResNetV2(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "inception_resnet_v2",
) -> Any: ...
def InceptionV3(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "inception_v3",
) -> Any: ...
def MobileNet(
    input_shape: Any = None,
    alpha: Any = 1.0,
    depth_multiplier: Any = 1,
    dropout: Any = 0.001,
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = None,
) -> Any: ...
def MobileNetV2(
    input_shape: Any = None,
    alpha: Any = 1.0,
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = None,
) -> Any: ...
def MobileNetV3Large(
    input_shape: Any = None,
    alpha: Any = 1.0,
    minimalistic: Any = False,
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    classes: Any = 1000,
    pooling: Any = None,
    dropout_rate: Any = 0.2,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "MobileNetV3Large",
) -> Any: ...
def MobileNetV3Small(
    input_shape: Any = None,
    alpha: Any = 1.0,
    minimalistic: Any = False,
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    classes: Any = 1000,
    pooling: Any = None,
    dropout_rate: Any = 0.2,
    classifier_activation: Any = "softmax",
    include_preprocessing: Any = True,
    name: Any = "MobileNetV3Small",
) -> Any: ...
def NASNetLarge(
    input_shape: Any = None,
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "nasnet_large",
) -> Any: ...
def NASNetMobile(
    input_shape: Any = None,
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "nasnet_mobile",
) -> Any: ...
def ResNet101(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "resnet101",
) -> Any: ...
def ResNet101V2(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "resnet101v2",
) -> Any: ...
def ResNet152(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "resnet152",
) -> Any: ...
def ResNet152V2(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "resnet152v2",
) -> Any: ...
def ResNet50(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "resnet50",
) -> Any: ...
def ResNet50V2(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "resnet50v2",
) -> Any: ...
def VGG16(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "vgg16",
) -> Any: ...
def VGG19(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "vgg19",
) -> Any: ...
def Xception(
    include_top: Any = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: Any = None,
    classes: Any = 1000,
    classifier_activation: Any = "softmax",
    name: Any = "xception",
) -> Any: ...
