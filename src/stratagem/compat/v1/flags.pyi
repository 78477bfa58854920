# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from absl.flags import DEFINE as DEFINE
from absl.flags import ArgumentParser as ArgumentParser
from absl.flags import ArgumentSerializer as ArgumentSerializer
from absl.flags import BaseListParser as BaseListParser
from absl.flags import BooleanFlag as BooleanFlag
from absl.flags import BooleanParser as BooleanParser
from absl.flags import CantOpenFlagFileError as CantOpenFlagFileError
from absl.flags import CsvListSerializer as CsvListSerializer
from absl.flags import DEFINE_alias as DEFINE_alias
from absl.flags import DEFINE_enum as DEFINE_enum
from absl.flags import DEFINE_enum_class as DEFINE_enum_class
from absl.flags import DEFINE_flag as DEFINE_flag
from absl.flags import DEFINE_list as DEFINE_list
from absl.flags import DEFINE_multi as DEFINE_multi
from absl.flags import DEFINE_multi_enum as DEFINE_multi_enum
from absl.flags import DEFINE_multi_enum_class as DEFINE_multi_enum_class
from absl.flags import DEFINE_multi_float as DEFINE_multi_float
from absl.flags import DEFINE_multi_integer as DEFINE_multi_integer
from absl.flags import DEFINE_multi_string as DEFINE_multi_string
from absl.flags import DEFINE_spaceseplist as DEFINE_spaceseplist
from absl.flags import DuplicateFlagError as DuplicateFlagError
from absl.flags import EnumClassFlag as EnumClassFlag
from absl.flags import EnumClassListSerializer as EnumClassListSerializer
from absl.flags import EnumClassParser as EnumClassParser
from absl.flags import EnumClassSerializer as EnumClassSerializer
from absl.flags import EnumFlag as EnumFlag
from absl.flags import EnumParser as EnumParser
from absl.flags import Error as Error
from absl.flags import Flag as Flag
from absl.flags import FlagHolder as FlagHolder
from absl.flags import FlagNameConflictsWithMethodError as FlagNameConflictsWithMethodError
from absl.flags import FlagValues as FlagValues
from absl.flags import FloatParser as FloatParser
from absl.flags import IllegalFlagValueError as IllegalFlagValueError
from absl.flags import IntegerParser as IntegerParser
from absl.flags import ListParser as ListParser
from absl.flags import ListSerializer as ListSerializer
from absl.flags import MultiEnumClassFlag as MultiEnumClassFlag
from absl.flags import MultiFlag as MultiFlag
from absl.flags import UnparsedFlagAccessError as UnparsedFlagAccessError
from absl.flags import UnrecognizedFlagError as UnrecognizedFlagError
from absl.flags import ValidationError as ValidationError
from absl.flags import WhitespaceSeparatedListParser as WhitespaceSeparatedListParser
from absl.flags import adopt_module_key_flags as adopt_module_key_flags
from absl.flags import declare_key_flag as declare_key_flag
from absl.flags import disclaim_key_flags as disclaim_key_flags
from absl.flags import doc_to_help as doc_to_help
from absl.flags import flag_dict_to_args as flag_dict_to_args
from absl.flags import get_help_width as get_help_width
from absl.flags import mark_bool_flags_as_mutual_exclusive as mark_bool_flags_as_mutual_exclusive
from absl.flags import mark_flag_as_required as mark_flag_as_required
from absl.flags import mark_flags_as_mutual_exclusive as mark_flags_as_mutual_exclusive
from absl.flags import mark_flags_as_required as mark_flags_as_required
from absl.flags import multi_flags_validator as multi_flags_validator
from absl.flags import override_value as override_value
from absl.flags import register_multi_flags_validator as register_multi_flags_validator
from absl.flags import register_validator as register_validator
from absl.flags import set_default as set_default
from absl.flags import text_wrap as text_wrap
from absl.flags import validator as validator

from stratagem.compat.v1._flags import FLAGS as FLAGS
from stratagem.compat.v1._flags import DEFINE_bool as DEFINE_bool
from stratagem.compat.v1._flags import DEFINE_boolean as DEFINE_boolean
from stratagem.compat.v1._flags import DEFINE_float as DEFINE_float
from stratagem.compat.v1._flags import DEFINE_integer as DEFINE_integer
from stratagem.compat.v1._flags import DEFINE_string as DEFINE_string

__all__ = [
    "ArgumentParser", "ArgumentSerializer", "BaseListParser", "BooleanFlag", "BooleanParser", "CantOpenFlagFileError",
    "CsvListSerializer", "DEFINE", "DEFINE_alias", "DEFINE_bool", "DEFINE_boolean", "DEFINE_enum", "DEFINE_enum_class",
    "DEFINE_flag", "DEFINE_float", "DEFINE_integer", "DEFINE_list", "DEFINE_multi", "DEFINE_multi_enum",
    "DEFINE_multi_enum_class", "DEFINE_multi_float", "DEFINE_multi_integer", "DEFINE_multi_string",
    "DEFINE_spaceseplist", "DEFINE_string", "DuplicateFlagError", "EnumClassFlag", "EnumClassListSerializer",
    "EnumClassParser", "EnumClassSerializer", "EnumFlag", "EnumParser", "Error", "FLAGS", "Flag", "FlagHolder",
    "FlagNameConflictsWithMethodError", "FlagValues", "FloatParser", "IllegalFlagValueError", "IntegerParser",
    "ListParser", "ListSerializer", "MultiEnumClassFlag", "MultiFlag", "UnparsedFlagAccessError",
    "UnrecognizedFlagError", "ValidationError", "WhitespaceSeparatedListParser", "adopt_module_key_flags",
    "declare_key_flag", "disclaim_key_flags", "doc_to_help", "flag_dict_to_args", "get_help_width",
    "mark_bool_flags_as_mutual_exclusive", "mark_flag_as_required", "mark_flags_as_mutual_exclusive",
    "mark_flags_as_required", "multi_flags_validator", "override_value", "register_multi_flags_validator",
    "register_validator", "set_default", "text_wrap", "validator"
]  # fmt: skip
