"""TensorFlow 1's sessions: parts of a graph as compiled steps, what is fed and fetched, saved, restored and written.

In: a graph, what a program asks for, values for its placeholders.
Out: values; variables change; checkpoints in TensorFlow's format, event files.
Never: runs a graph in any other way than a step; joins a cluster of TensorFlow's servers.
"""

from stratagem._tf1.sessions._file_writer import FileWriter as FileWriter
from stratagem._tf1.sessions._file_writer import FileWriterCache as FileWriterCache
from stratagem._tf1.sessions._file_writer import Summary as Summary
from stratagem._tf1.sessions._initializing import global_variables_initializer as global_variables_initializer
from stratagem._tf1.sessions._initializing import is_variable_initialized as is_variable_initialized
from stratagem._tf1.sessions._initializing import local_variables_initializer as local_variables_initializer
from stratagem._tf1.sessions._initializing import report_uninitialized_variables as report_uninitialized_variables
from stratagem._tf1.sessions._initializing import variables_initializer as variables_initializer
from stratagem._tf1.sessions._monitored import ChiefSessionCreator as ChiefSessionCreator
from stratagem._tf1.sessions._monitored import MonitoredSession as MonitoredSession
from stratagem._tf1.sessions._monitored import monitored_training_session as monitored_training_session
from stratagem._tf1.sessions._replica_devices import replica_device_setter as replica_device_setter
from stratagem._tf1.sessions._saver import Saver as Saver
from stratagem._tf1.sessions._session import InteractiveSession as InteractiveSession
from stratagem._tf1.sessions._session import Session as Session
from stratagem._tf1.sessions._session import get_default_session as get_default_session
