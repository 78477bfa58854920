"""Replaces `fit` and its siblings of models, and teaches Keras our paths."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import keras

from stratagem._base.errors import ContextError, InvalidArgumentError, MixedStrategiesError
from stratagem._base.paths import is_remote, local_path, parent
from stratagem._base.storage import checked_path, copied, uploaded
from stratagem._base.types import PathLike
from stratagem._core.context import current
from stratagem._core.values import join as joined
from stratagem._core.values import placement_of
from stratagem._ops.files import GFile, copy, exists, isdir, join, listdir, makedirs, remove, rmtree
from stratagem._private import PathUse, intercept_paths, intercept_trainer, provide_file_functions
from stratagem._strategies import AbstractStrategy, get_strategy
from stratagem._training._data_arguments import DataArguments, has_strings, with_lists_as_arrays
from stratagem._training._loops import FitArguments, Loops, split_validation
from stratagem._training._metric_names import (
    forget_returned_names,
    list_logs,
    metrics_names,
    ordered_results,
)
from stratagem._training._replica_step import StepKind, Steps, check_overrides, route_step

_FUNCTIONS = ("train_function", "test_function", "predict_function")
Method = Callable[..., Any]


def _loops(model: Any) -> Loops:
    strategy: AbstractStrategy = model.distribute_strategy
    steps = getattr(model, "_steps", None)
    # As in TF, `model.train_function = None` discards the traced functions, and so does `make_train_function(force=True)`.
    if steps is None or any(getattr(model, name) is not steps for name in _FUNCTIONS):
        check_overrides(model, strategy)
        steps = Steps(model)
        object.__setattr__(model, "_steps", steps)
        for name in _FUNCTIONS:
            object.__setattr__(model, name, steps)
    return Loops(steps, strategy)


def _routed(ours: Callable[..., Any]) -> Callable[[Any, Method], Method]:
    """Routes a method to `ours(model, ...)`, in the scope of the model's strategy, also of the default one."""
    names = list(inspect.signature(ours).parameters)[1:]

    def route(model: Any, original: Method) -> Method:
        if model._creation_strategy is None:
            _check_no_scope(model)

        def call(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = with_lists_as_arrays(names, args, kwargs)
            if has_strings(args, kwargs):
                _check_takes_strings(model)
            if current().replica is not None:
                raise ContextError(
                    f"{ours.__name__.removeprefix('_')} of model {model.name!r} runs on all replicas by itself: call it "
                    "outside of strategy.run."
                )
            with model.distribute_strategy.scope():
                return ours(model, *args, **kwargs)

        return call

    return route


def _check_takes_strings(model: Any) -> None:
    """Raises TypeError for a model whose inputs are known to be no strings."""
    inputs = keras.tree.flatten(getattr(model, "inputs", None))
    if inputs and not any(getattr(each, "dtype", "string") == "string" for each in inputs):
        raise TypeError(
            f"The data has strings, and model {model.name!r} has no input of strings. Begin it with "
            '`keras.Input(..., dtype="string")` and a layer that takes them, or make numbers of them first.'
        )


def _check_no_scope(model: Any) -> None:
    active = current().strategy
    if active is not None and active.num_replicas_in_sync > 1:
        raise MixedStrategiesError(
            f"Model {model.name!r} was created outside of any strategy's scope, and is used in the scope of {active}. "
            "Create the model, its optimizer and its metrics within `with strategy.scope():`."
        )


def _compile(model: Any, original: Method) -> Method:
    def call(*args: Any, **kwargs: Any) -> Any:
        args = _in_order_of_keras(args)
        object.__setattr__(model, "_steps", None)
        forget_returned_names(model)
        if (
            model._creation_strategy is None or current().replica is not None
        ):  # or made and compiled by an Estimator's model_fn
            result = original(*args, **kwargs)
            _default_steps_per_execution(model)
            return result
        with model._creation_strategy.scope():
            result = original(*args, **kwargs)
            _default_steps_per_execution(model)
            _adopt(model.optimizer)
        return result

    return call


def _in_order_of_keras(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the positional arguments of `compile`. In TensorFlow the third are metrics, in Keras 3 the weights of losses."""
    third, fourth = (*args[2:4], None, None)[:2]
    if (third is None or _are_weights(third)) and not _are_weights(fourth):
        return args
    return (*args[:2], fourth, third, *args[4:])


def _are_weights(given: Any) -> bool:
    leaves = keras.tree.flatten(given)
    return any(isinstance(each, int | float) for each in leaves)


def _default_steps_per_execution(model: Any) -> None:
    """Sets `steps_per_execution` to 1 if it is None, as it is in some saved models. TensorFlow does the same."""
    if model.steps_per_execution is None:
        model.steps_per_execution = 1


def _adopt(optimizer: Any) -> None:
    """Adopts an optimizer that was made outside of the scope and has trained no model yet, as TensorFlow does."""
    if isinstance(optimizer, keras.optimizers.Optimizer) and not optimizer.built:
        for variable in optimizer.variables:
            placement = placement_of(variable)
            if placement is None or placement.strategy is None:
                joined(variable)


def _fit(
    model: Any,
    x: Any = None,
    y: Any = None,
    batch_size: int | None = None,
    epochs: int = 1,
    verbose: Any = "auto",
    callbacks: Any = None,
    validation_split: float = 0.0,
    validation_data: Any = None,
    shuffle: Any = True,
    class_weight: Any = None,
    sample_weight: Any = None,
    initial_epoch: int = 0,
    steps_per_epoch: int | None = None,
    validation_steps: int | None = None,
    validation_batch_size: int | None = None,
    validation_freq: Any = 1,
) -> Any:
    model._assert_compile_called("fit")
    data = DataArguments(
        x=x,
        y=y,
        sample_weight=sample_weight,
        class_weight=class_weight,
        batch_size=batch_size,
        steps=steps_per_epoch,
        shuffle=shuffle,
    )
    validation = None
    if validation_data is not None:
        validation = _validation(
            validation_data, batch_size if validation_batch_size is None else validation_batch_size, validation_steps
        )
    elif validation_split:
        data, validation = split_validation(data, validation_split)
    training = FitArguments(
        epochs=epochs,
        verbose=verbose,
        callbacks=callbacks,
        initial_epoch=initial_epoch,
        validation_freq=validation_freq,
    )
    return _loops(model).fit(data, validation, training)


def _validation(given: Any, batch_size: int | None, steps: int | None) -> DataArguments:
    if isinstance(given, tuple | list):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(given)
        return DataArguments(x=x, y=y, sample_weight=sample_weight, batch_size=batch_size, steps=steps)
    return DataArguments(x=given, steps=steps)


def _evaluate(
    model: Any,
    x: Any = None,
    y: Any = None,
    batch_size: int | None = None,
    verbose: Any = "auto",
    sample_weight: Any = None,
    steps: int | None = None,
    callbacks: Any = None,
    return_dict: bool = False,
) -> Any:
    model._assert_compile_called("evaluate")
    data = DataArguments(x=x, y=y, sample_weight=sample_weight, batch_size=batch_size, steps=steps)
    logs = _loops(model).evaluate(data, verbose=verbose, callbacks=callbacks)
    return logs if return_dict else model._flatten_metrics_in_order(logs)


def _predict(
    model: Any,
    x: Any,
    batch_size: int | None = None,
    verbose: Any = "auto",
    steps: int | None = None,
    callbacks: Any = None,
) -> Any:
    return _loops(model).predict(
        DataArguments(x=x, batch_size=batch_size, steps=steps), verbose=verbose, callbacks=callbacks
    )


def _train_on_batch(
    model: Any,
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    return_dict: bool = False,
) -> Any:
    model._assert_compile_called("train_on_batch")
    data = DataArguments(x=x, y=y, sample_weight=sample_weight, class_weight=class_weight)
    logs = _loops(model).on_batch(StepKind.TRAIN, data)
    return logs if return_dict else model._flatten_metrics_in_order(logs)


def _test_on_batch(model: Any, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
    model._assert_compile_called("test_on_batch")
    logs = _loops(model).on_batch(StepKind.TEST, DataArguments(x=x, y=y, sample_weight=sample_weight))
    return logs if return_dict else model._flatten_metrics_in_order(logs)


def _predict_on_batch(model: Any, x: Any) -> Any:
    return _loops(model).on_batch(StepKind.PREDICT, DataArguments(x=x))


def _owner(strategy: AbstractStrategy | None) -> AbstractStrategy:
    return get_strategy() if strategy is None else strategy


def attach_trainer() -> None:
    """Route the methods of models."""
    intercept_trainer(
        created=lambda model: current().strategy,
        owner=_owner,
        metrics_names=metrics_names,
        methods={
            "compile": _compile,
            "fit": _routed(_fit),
            "evaluate": _routed(_evaluate),
            "predict": _routed(_predict),
            "train_on_batch": _routed(_train_on_batch),
            "test_on_batch": _routed(_test_on_batch),
            "predict_on_batch": _routed(_predict_on_batch),
            "_flatten_metrics_in_order": list_logs,
            "_get_metrics_result_or_logs": ordered_results,
            **{kind.value: route_step(kind.value) for kind in StepKind},
        },
    )


def attach_paths() -> None:
    """Let Keras read and write files of other machines, or refuse their paths, as we do everywhere."""
    intercept_paths(_opened)
    provide_file_functions({function.__name__: function for function in _FILE_FUNCTIONS})


_FILE_FUNCTIONS = (GFile, copy, exists, isdir, join, listdir, makedirs, remove, rmtree)


@contextlib.contextmanager
def _opened(use: PathUse, path: PathLike) -> Iterator[str]:
    """The path for Keras, of this machine where Keras needs one."""
    match use:
        case PathUse.READ:
            with copied(checked_path(path)) as here:
                yield here
        case PathUse.WRITTEN:
            with uploaded(checked_path(path)) as written:
                yield written
        case PathUse.ANYWHERE:
            yield checked_path(path)
        case PathUse.IN_A_FOLDER:
            where = checked_path(path)
            if is_remote(where) and parent(where).endswith("://"):  # of which Keras would make the local folder `gs:`
                raise InvalidArgumentError(f"{where} names no folder: give one, {parent(where)}folder/name.")
            yield where
        case PathUse.HERE:
            yield local_path(path)
