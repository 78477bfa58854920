"""SavedModels: objects with their variables and functions in a directory, loaded again without their Python code.

In: an object with variables and compiled functions in its attributes; or a directory that may be damaged or hostile.
Out: a checkpoint with the functions' programs attached; or an object with the same attributes.
Never: stores or executes Python code; loads a file whose checksum is another.
"""

from stratagem._saved_models._export_archive import attach_export as attach_export
from stratagem._saved_models._keras_folder import MODEL_FILE as MODEL_FILE
from stratagem._saved_models._keras_folder import is_keras_folder as is_keras_folder
from stratagem._saved_models._load import contains_saved_model as contains_saved_model
from stratagem._saved_models._load import load as load
from stratagem._saved_models._loaded_object import LoadedObject as LoadedObject
from stratagem._saved_models._save import ModelToSave as ModelToSave
from stratagem._saved_models._save import save as save
from stratagem._saved_models._save import save_models as save_models
from stratagem._saved_models._tfsm_layer import TFSMLayer as TFSMLayer
