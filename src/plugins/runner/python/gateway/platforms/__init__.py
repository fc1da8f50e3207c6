"""The parts of Python Hermes' package of this name that plugins use."""
from hermes_host.own_package import own_attribute, own_paths

__path__ += own_paths(__name__)


def __getattr__(name):
    return own_attribute(__name__, name)
