"""TensorFlow Addons: `import stratagem.addons as tfa`."""

__version__ = "0.23.0"
