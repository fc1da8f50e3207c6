class SessionSource:
    """The origin of a message: platform, chat and user."""

    def __init__(self, platform=None, chat_id="", **fields):
        self.platform = platform
        self.chat_id = chat_id
        self.chat_name = self.chat_topic = self.user_id = self.user_name = self.thread_id = None
        self.chat_type = "dm"
        self.__dict__.update(fields)
