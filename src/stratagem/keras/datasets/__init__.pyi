# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.datasets import boston_housing as boston_housing
from stratagem.keras.datasets import california_housing as california_housing
from stratagem.keras.datasets import cifar10 as cifar10
from stratagem.keras.datasets import cifar100 as cifar100
from stratagem.keras.datasets import fashion_mnist as fashion_mnist
from stratagem.keras.datasets import imdb as imdb
from stratagem.keras.datasets import mnist as mnist
from stratagem.keras.datasets import reuters as reuters

__all__ = [
    "boston_housing", "california_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters"
]  # fmt: skip
