"""Every use of private JAX and Keras API, and every hook into their classes; a test fails loudly when an upgrade moves one.

In: functions from the buildings above, which say *what* should happen.
Out: it happens there where JAX and Keras do something, for objects that a strategy or a compiled step has claimed; and plain
functions in place of private names.
Never: decides what a strategy or a step means; touches an object that nobody has claimed.

These act when they are imported, in this order: `_arrays`, `_averages`, `_backends`, `_checks`, `_executables`, `_files`,
`_layers`, `_losses`, `_metrics`, `_seeds`, `_settings`.
"""

from stratagem._private import _arrays as _arrays
from stratagem._private import _averages as _averages
from stratagem._private import _files as _files
from stratagem._private._arrays import movable as movable
from stratagem._private._arrays import on_device as on_device
from stratagem._private._arrays import weakly as weakly
from stratagem._private._backends import backends_started as backends_started
from stratagem._private._backends import configured_cpu_devices as configured_cpu_devices
from stratagem._private._backends import connect_backend as connect_backend
from stratagem._private._backends import reserve_threads as reserve_threads
from stratagem._private._callbacks import CALLBACK_STATE as CALLBACK_STATE
from stratagem._private._callbacks import intercept_callbacks as intercept_callbacks
from stratagem._private._callbacks import is_default as is_default
from stratagem._private._checks import add_check as add_check
from stratagem._private._checks import checked as checked
from stratagem._private._creations import fresh_names as fresh_names
from stratagem._private._creations import intercept_creation as intercept_creation
from stratagem._private._executables import reusing_executables as reusing_executables
from stratagem._private._layers import after_build as after_build
from stratagem._private._layers import announce_build as announce_build
from stratagem._private._lookups import intercept_take as intercept_take
from stratagem._private._lookups import looked_up as looked_up
from stratagem._private._losses import intercept_loss as intercept_loss
from stratagem._private._losses import intercept_loss_reduction as intercept_loss_reduction
from stratagem._private._metrics import intercept_metric_results as intercept_metric_results
from stratagem._private._optimizers import apply_locally as apply_locally
from stratagem._private._optimizers import intercept_apply as intercept_apply
from stratagem._private._optimizers import intercept_builds as intercept_builds
from stratagem._private._optimizers import intercept_slots as intercept_slots
from stratagem._private._optimizers import is_loss_scaler as is_loss_scaler
from stratagem._private._optimizers import keeps_rows as keeps_rows
from stratagem._private._optimizers import known_gradients as known_gradients
from stratagem._private._optimizers import untangled_clip as untangled_clip
from stratagem._private._paths import intercept_paths as intercept_paths
from stratagem._private._scopes import below_scope as below_scope
from stratagem._private._scopes import in_stateless_scope as in_stateless_scope
from stratagem._private._scopes import is_making_own_state as is_making_own_state
from stratagem._private._scopes import present_slot as present_slot
from stratagem._private._scopes import recorded as recorded
from stratagem._private._scopes import scope_path as scope_path
from stratagem._private._scopes import scoped as scoped
from stratagem._private._scopes import scoped_value as scoped_value
from stratagem._private._scopes import unscoped as unscoped
from stratagem._private._seeds import global_seed_generator as global_seed_generator
from stratagem._private._seeds import intercept_seeds as intercept_seeds
from stratagem._private._seeds import is_seed_state as is_seed_state
from stratagem._private._seeds import latest_seeding as latest_seeding
from stratagem._private._seeds import makes_seed_state as makes_seed_state
from stratagem._private._seeds import on_seeding as on_seeding
from stratagem._private._seeds import restart as restart
from stratagem._private._seeds import seed_of as seed_of
from stratagem._private._seeds import seeds_from as seeds_from
from stratagem._private._seeds import set_random_seed as set_random_seed
from stratagem._private._settings import settings_of as settings_of
from stratagem._private._shards import intercept_shards as intercept_shards
from stratagem._private._shards import is_view as is_view
from stratagem._private._shards import joined as joined
from stratagem._private._traces import AtLevel as AtLevel
from stratagem._private._traces import OutsideOfTraces as OutsideOfTraces
from stratagem._private._traces import is_constant as is_constant
from stratagem._private._traces import new_jaxpr as new_jaxpr
from stratagem._private._traces import stand_in as stand_in
from stratagem._private._traces import sub_jaxprs as sub_jaxprs
from stratagem._private._traces import trace_level as trace_level
from stratagem._private._trainer import DataAdapter as DataAdapter
from stratagem._private._trainer import data_adapter as data_adapter
from stratagem._private._trainer import intercept_trainer as intercept_trainer
from stratagem._private._trainer import train_validation_split as train_validation_split
from stratagem._private._trainer import user_level as user_level
from stratagem._private._variables import KerasVariable as KerasVariable
from stratagem._private._variables import creation_order as creation_order
from stratagem._private._variables import initialized as initialized
from stratagem._private._variables import intercept_variables as intercept_variables
from stratagem._private._variables import set_initial_value as set_initial_value
from stratagem._private._variables import shaped as shaped
from stratagem._private._variables import store as store
from stratagem._private._variables import stored as stored
from stratagem._private._waits import intercept_waits as intercept_waits
