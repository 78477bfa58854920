"""`tf.train.Example` and its parts: protobuf messages in TensorFlow's wire format.

Their descriptor lives in a pool of its own, because an installed TensorFlow registers the same names in the default pool.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from stratagem._base.exports import exported

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "tensorflow"
_LISTS = {"BytesList": _Field.TYPE_BYTES, "FloatList": _Field.TYPE_FLOAT, "Int64List": _Field.TYPE_INT64}
_MAPS = {"Features": ("feature", "Feature"), "FeatureLists": ("feature_list", "FeatureList")}
_ROOTS = {
    "Example": {"features": "Features"},
    "SequenceExample": {"context": "Features", "feature_lists": "FeatureLists"},
}


def _message_field(message: Any, name: str, number: int, kind: str, *, repeated: bool = False) -> Any:
    label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
    return message.field.add(
        name=name, number=number, label=label, type=_Field.TYPE_MESSAGE, type_name=f".{_PACKAGE}.{kind}"
    )


def _file() -> descriptor_pb2.FileDescriptorProto:
    """The description of the messages, as in TensorFlow's example.proto and feature.proto."""
    file = descriptor_pb2.FileDescriptorProto(name="stratagem/example.proto", package=_PACKAGE, syntax="proto3")
    for name, kind in _LISTS.items():
        file.message_type.add(name=name).field.add(name="value", number=1, label=_Field.LABEL_REPEATED, type=kind)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, name in enumerate(_LISTS, 1):
        field = _message_field(feature, f"{name.removesuffix('List').lower()}_list", number, name)
        field.oneof_index = 0
    _message_field(file.message_type.add(name="FeatureList"), "feature", 1, "Feature", repeated=True)
    for name, (field_name, value) in _MAPS.items():
        message = file.message_type.add(name=name)
        entry = message.nested_type.add(name=f"{value}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_STRING)
        _message_field(entry, "value", 2, value)
        _message_field(message, field_name, 1, f"{name}.{value}Entry", repeated=True)
    for name, fields in _ROOTS.items():
        message = file.message_type.add(name=name)
        for number, (field_name, kind) in enumerate(fields.items(), 1):
            _message_field(message, field_name, number, kind)
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())


def _class(name: str) -> Any:
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


BytesList = exported("train.BytesList")(_class("BytesList"))
FloatList = exported("train.FloatList")(_class("FloatList"))
Int64List = exported("train.Int64List")(_class("Int64List"))
Feature = exported("train.Feature")(_class("Feature"))
Features = exported("train.Features")(_class("Features"))
FeatureList = exported("train.FeatureList")(_class("FeatureList"))
FeatureLists = exported("train.FeatureLists")(_class("FeatureLists"))
Example = exported("train.Example")(_class("Example"))
SequenceExample = exported("train.SequenceExample")(_class("SequenceExample"))
