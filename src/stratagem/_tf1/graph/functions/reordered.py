"""Functions of TensorFlow 2 whose parameters are reordered, renamed or more in TensorFlow 1."""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from stratagem import _ops as ops
from stratagem._base.exports import exported
from stratagem._base.paths import StrPath
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core import step
from stratagem._data import files as data_files
from stratagem._ops import Tensor, files, linalg, named, nn, text
from stratagem._tf1.graph.functions.reductions import one_of

R = TypeVar("R")
_KIND = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _reordered(function: Callable[..., R], parameters: str, **names: str) -> Callable[..., R]:
    """Returns a function that takes the parameters in TensorFlow 1's order and under its names.

    parameters: the names in TensorFlow 1. One that `function` lacks is accepted, by default None, and ignored.
    names: what `function` calls a parameter that has another name there.
    """
    own = inspect.signature(function).parameters
    made = []
    for name in parameters.split():
        its = own.get(names.get(name, name))
        default = None if its is None else its.default
        made.append(inspect.Parameter(name, _KIND, default=default))
    signature = inspect.Signature(made)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> R:
        given = signature.bind(*args, **kwargs).arguments
        passed = {names.get(name, name): value for name, value in given.items()}
        return function(**{name: value for name, value in passed.items() if name in own})

    call.__signature__ = signature  # type: ignore[attr-defined]
    return named(call)


arg_max = exported(v1=["arg_max"])(_reordered(ops.argmax, "input dimension output_type name", dimension="axis"))
arg_min = exported(v1=["arg_min"])(_reordered(ops.argmin, "input dimension output_type name", dimension="axis"))
depth_to_space = exported(v1=["depth_to_space", "nn.depth_to_space"])(
    _reordered(nn.depth_to_space, "input block_size name data_format")
)
space_to_depth = exported(v1=["space_to_depth", "nn.space_to_depth"])(
    _reordered(nn.space_to_depth, "input block_size name data_format")
)
crelu = exported(v1=["nn.crelu"])(_reordered(ops.crelu, "features name axis"))

_LATER = "colocate_gradients_with_ops gate_gradients aggregation_method"
gradients = exported(v1=["gradients"])(
    _reordered(step.gradients, f"ys xs grad_ys name {_LATER} stop_gradients unconnected_gradients")
)
hessians = exported(v1=["hessians"])(_reordered(step.hessians, f"ys xs name {_LATER}"))

# `data` is what TensorFlow prints in place of the values, which the errors here always show.
_PAIR, _ONE = "x y data summarize message name", "x data summarize message name"
assert_equal = exported(v1=["assert_equal", "debugging.assert_equal"])(_reordered(ops.assert_equal, _PAIR))
assert_greater = exported(v1=["assert_greater", "debugging.assert_greater"])(_reordered(ops.assert_greater, _PAIR))
assert_greater_equal = exported(v1=["assert_greater_equal", "debugging.assert_greater_equal"])(
    _reordered(ops.assert_greater_equal, _PAIR)
)
assert_less = exported(v1=["assert_less", "debugging.assert_less"])(_reordered(ops.assert_less, _PAIR))
assert_less_equal = exported(v1=["assert_less_equal", "debugging.assert_less_equal"])(
    _reordered(ops.assert_less_equal, _PAIR)
)
assert_none_equal = exported(v1=["assert_none_equal", "debugging.assert_none_equal"])(
    _reordered(ops.assert_none_equal, _PAIR)
)
assert_near = exported(v1=["assert_near", "debugging.assert_near"])(
    _reordered(ops.assert_near, "x y rtol atol data summarize message name")
)
assert_negative = exported(v1=["assert_negative", "debugging.assert_negative"])(_reordered(ops.assert_negative, _ONE))
assert_non_negative = exported(v1=["assert_non_negative", "debugging.assert_non_negative"])(
    _reordered(ops.assert_non_negative, _ONE)
)
assert_non_positive = exported(v1=["assert_non_positive", "debugging.assert_non_positive"])(
    _reordered(ops.assert_non_positive, _ONE)
)
assert_positive = exported(v1=["assert_positive", "debugging.assert_positive"])(_reordered(ops.assert_positive, _ONE))
assert_rank = exported(v1=["assert_rank", "debugging.assert_rank"])(
    _reordered(ops.assert_rank, "x rank data summarize message name")
)
assert_rank_at_least = exported(v1=["assert_rank_at_least", "debugging.assert_rank_at_least"])(
    _reordered(ops.assert_rank_at_least, "x rank data summarize message name")
)
assert_rank_in = exported(v1=["assert_rank_in", "debugging.assert_rank_in"])(
    _reordered(ops.assert_rank_in, "x ranks data summarize message name")
)
assert_scalar = exported(v1=["assert_scalar", "debugging.assert_scalar"])(
    _reordered(ops.assert_scalar, "tensor name message")
)

decode_csv = exported(v1=["decode_csv", "io.decode_csv"])(
    _reordered(data_files.decode_csv, "records record_defaults field_delim use_quote_delim name na_value select_cols")
)
parse_example = exported(v1=["parse_example", "io.parse_example"])(
    _reordered(data_files.parse_example, "serialized features name example_names")
)
parse_single_example = exported(v1=["parse_single_example", "io.parse_single_example"])(
    _reordered(data_files.parse_single_example, "serialized features name example_names")
)
string_length = exported(v1=["strings.length"])(_reordered(text.length, "input name unit"))
substr = exported(v1=["substr", "strings.substr"])(_reordered(text.substr, "input pos len name unit"))

copy = exported(v1=["gfile.Copy"])(_reordered(files.copy, "oldpath newpath overwrite", oldpath="src", newpath="dst"))
delete_recursively = exported(v1=["gfile.DeleteRecursively"])(_reordered(files.rmtree, "dirname", dirname="path"))
exists = exported(v1=["gfile.Exists"])(_reordered(files.exists, "filename", filename="path"))
glob = exported(v1=["gfile.Glob"])(_reordered(files.glob, "filename", filename="pattern"))
is_directory = exported(v1=["gfile.IsDirectory"])(_reordered(files.isdir, "dirname", dirname="path"))
list_directory = exported(v1=["gfile.ListDirectory"])(_reordered(files.listdir, "dirname", dirname="path"))
make_dirs = exported(v1=["gfile.MakeDirs"])(_reordered(files.makedirs, "dirname", dirname="path"))
mk_dir = exported(v1=["gfile.MkDir"])(_reordered(files.mkdir, "dirname", dirname="path"))
remove = exported(v1=["gfile.Remove"])(_reordered(files.remove, "filename", filename="path"))
rename = exported(v1=["gfile.Rename"])(
    _reordered(files.rename, "oldname newname overwrite", oldname="src", newname="dst")
)
stat = exported(v1=["gfile.Stat"])(_reordered(files.stat, "filename", filename="path"))


@exported(v1=["gfile.Walk"])
def walk(top: StrPath, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields (folder, its subfolders, its files), each folder before those below it; after them if not `in_order`."""
    return files.walk(top, in_order)


@exported(v1=["constant"])
@named
def constant(
    value: Any,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = None,
    verify_shape: bool = False,
) -> Tensor:
    """Makes a tensor with this value. Raises TypeError if `verify_shape` and the value has another shape than `shape`."""
    made = ops.constant(value, dtype, shape)
    if verify_shape and shape is not None and np.shape(value) != made.shape:
        raise TypeError(f"The value of tf.constant has the shape {np.shape(value)}, not the requested {made.shape}.")
    return made


@exported(v1=["diag"])
@named
def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Returns the tensor of twice the rank whose diagonal this is, as `tf.linalg.tensor_diag`."""
    return linalg.tensor_diag(diagonal)


@exported(v1=["diag_part"])
@named
def diag_part(input: Any, name: str | None = None) -> Tensor:
    """Returns the diagonal of a tensor of even rank, as `tf.linalg.tensor_diag_part`."""
    return linalg.tensor_diag_part(input)


@exported(v1=["decode_raw", "io.decode_raw"])
@named
def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Any:
    """Returns the bytes of strings as numbers; `bytes` is an old name of `input_bytes`."""
    return data_files.decode_raw(one_of(input_bytes=input_bytes, bytes=bytes), out_type, little_endian)


@exported(v1=["reduce_join", "strings.reduce_join"])
@named
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> ops.StringTensor:
    """Returns joined strings; `reduction_indices` and `keep_dims` are old names of `axis` and `keepdims`."""
    along = one_of(axis=axis, reduction_indices=reduction_indices)
    return text.reduce_join(inputs, along, bool(one_of(keepdims=keepdims, keep_dims=keep_dims)), separator)


@exported(v1=["string_to_hash_bucket", "strings.to_hash_bucket"])
@named
def string_to_hash_bucket(
    string_tensor: Any = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Returns a bucket for each string; `input` is another name of `string_tensor`. Raises ValueError without `num_buckets`."""
    if num_buckets is None:
        raise ValueError("tf.compat.v1.string_to_hash_bucket: num_buckets, the number of buckets, is missing.")
    return text.to_hash_bucket(one_of(string_tensor=string_tensor, input=input), num_buckets)


@exported(v1=["string_to_number", "strings.to_number"])
@named
def string_to_number(
    string_tensor: Any = None,
    out_type: DTypeLike = ops.float32,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Returns the numbers that strings write; `input` is another name of `string_tensor`."""
    return text.to_number(one_of(string_tensor=string_tensor, input=input), out_type)


@exported(v1=["verify_tensor_all_finite", "debugging.assert_all_finite"])
@named
def verify_tensor_all_finite(
    t: Any = None,
    msg: str | None = None,
    name: str | None = None,
    x: Any = None,
    message: str | None = None,
) -> Tensor:
    """Returns the tensor; raises InvalidArgumentError if it has NaN or infinite entries. `t` and `msg` are old names."""
    return ops.assert_all_finite(one_of(x=x, t=t), one_of(message=message, msg=msg) or "")
