"""The names under which Keras' trainer reports the metrics of a model."""

from collections import Counter
from typing import Any

import keras


def reported_names(model: keras.Model) -> list[str]:
    """The names of a model's metrics, each once, as far as they are known: those of `compile` are once it has seen data.

    The order is that of TensorFlow: the loss, the losses of single outputs, what `compile` was given, further metrics.
    """
    compiled = model._compile_metrics
    names: list[str] = []
    for metric in model.metrics:
        if metric is compiled:
            losses = () if model._compile_loss is None else model._compile_loss.metrics
            names += [*(each.name for each in losses), *_compiled_names(compiled)]
        else:
            names.append(metric.name)
    return list(dict.fromkeys(names))


def _compiled_names(compiled: Any) -> list[str]:
    """The keys of `CompileMetrics.result()`, which are no names of metrics: they have the output's name and a number.

    Those of an output are together, as in TensorFlow; the numbers are Keras', which takes all weighted ones last.
    """
    if not compiled.built:
        return []
    taken: Counter[str] = Counter()
    of_outputs: list[list[str]] = [[] for _ in compiled._flat_metrics]
    for parts, mark in ((compiled._flat_metrics, ""), (compiled._flat_weighted_metrics, "weighted_")):
        for names, part in zip(of_outputs, parts, strict=True):
            of = f"{part.output_name}_" if part and part.output_name else ""
            for metric in part.metrics if part else ():
                name = f"{of}{metric.name}"
                if mark and taken[name]:
                    name = f"{of}{mark}{metric.name}"
                names.append(f"{name}_{taken[name]}" if taken[name] else name)
                taken[name] += 1
    return [name for names in of_outputs for name in names]
