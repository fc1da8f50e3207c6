"""Model providers of plugins."""
from hermes_host.own_package import own_attribute, own_paths
from hermes_host.profiles import find_profile as get_provider_profile
from hermes_host.profiles import list_profiles as list_providers
from hermes_host.profiles import register_profile as register_provider

from .base import OMIT_TEMPERATURE, ProviderProfile

__path__ += own_paths(__name__)


def __getattr__(name):
    return own_attribute(__name__, name)
