"""Messages of a chat platform."""
from enum import Enum


class MessageType(Enum):
    TEXT = "text"
    COMMAND = "command"
    PHOTO = "photo"
    VIDEO = "video"
    AUDIO = "audio"
    VOICE = "voice"
    DOCUMENT = "document"
    STICKER = "sticker"
    LOCATION = "location"


class MessageEvent:
    def __init__(self, text="", message_type=MessageType.TEXT, source=None, raw_message=None, message_id=None,
                 media_urls=None, media_types=None, reply_to_message_id=None, timestamp=None, **fields):
        self.text = text
        self.message_type = message_type
        self.source = source
        self.raw_message = raw_message
        self.message_id = message_id
        self.media_urls = list(media_urls or [])
        self.media_types = list(media_types or [])
        self.reply_to_message_id = reply_to_message_id
        self.timestamp = timestamp
        self.__dict__.update(fields)


class SendResult:
    def __init__(self, success, message_id=None, error=None, raw_response=None, retryable=False, **fields):
        self.success = success
        self.message_id = message_id
        self.error = error
        self.raw_response = raw_response
        self.retryable = retryable
        self.__dict__.update(fields)
