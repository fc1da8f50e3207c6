from hermes_host.completions import Completion as PluginLlmCompleteResult
from hermes_host.completions import Completion as PluginLlmStructuredResult
from hermes_host.completions import PluginLlm, PluginLlmTrustError
from hermes_host.completions import Usage as PluginLlmUsage


class PluginLlmTextInput:
    type = "text"

    def __init__(self, text, type="text"):
        self.text = text


class PluginLlmImageInput:
    type = "image"

    def __init__(self, data=None, url=None, mime_type="image/png", file_name="", type="image"):
        self.data = data
        self.url = url
        self.mime_type = mime_type
        self.file_name = file_name
