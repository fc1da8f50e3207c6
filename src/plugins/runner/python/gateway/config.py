"""Settings of a chat platform."""


class Platform(str):
    """The name of a platform. `Platform("irc").value` is that name."""

    @property
    def value(self):
        return str(self)

    @property
    def name(self):
        return self.upper()


class HomeChannel:
    def __init__(self, platform=None, chat_id="", name="", thread_id=None):
        self.platform = platform
        self.chat_id = chat_id
        self.name = name
        self.thread_id = thread_id


class PlatformConfig:
    def __init__(self, enabled=True, token=None, api_key=None, home_channel=None, extra=None, **fields):
        self.enabled = enabled
        self.token = token
        self.api_key = api_key
        self.home_channel = home_channel
        self.extra = dict(extra or {})
        self.__dict__.update(fields)
