"""Options of XLA's code generator, which its Python interface has no way to set for one program."""

from typing import Any, Final

# The field of XLA's DebugOptions that they are in, a map of texts: `compiler_options` refuses it, whatever the value.
CODE_GENERATOR_OPTIONS: Final = "xla_backend_extra_options"
_FIELD: Final = 500  # its number in xla.proto
# executable_build_options in compile_options.proto, debug_options in ExecutableBuildOptionsProto
_OUTER_FIELDS: Final = (3, 3)


def with_code_generator_options(options: Any) -> Any:
    """Returns a program's options in which those of the code generator, if it has any, are where XLA reads them.

    They are among the others as one text, `name=value,name=value`, as in XLA_FLAGS. XLA takes options as a message of protobuf,
    too, and of two messages one after the other it makes one.
    """
    given = [value for name, value in options.env_option_overrides if name == CODE_GENERATOR_OPTIONS]
    if not given:
        return options
    pairs = [pair.partition("=")[::2] for text in given for pair in str(text).split(",")]
    message = b"".join(_field(_FIELD, _field(1, name.encode()) + _field(2, value.encode())) for name, value in pairs)
    for number in reversed(_OUTER_FIELDS):
        message = _field(number, message)
    copied = type(options).ParseFromString(options.SerializeAsString() + message)
    copied.env_option_overrides = [pair for pair in options.env_option_overrides if pair[0] != CODE_GENERATOR_OPTIONS]
    return copied


def _field(number: int, data: bytes) -> bytes:
    """Returns a field of bytes as protobuf writes it."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])
