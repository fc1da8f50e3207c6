"""The base class of chat adapters. Subclasses connect, disconnect and send; `handle_message` passes a message to Hermes."""
from abc import ABC, abstractmethod

from gateway.config import Platform, PlatformConfig
from gateway.session import SessionSource

from .event import MessageEvent, MessageType, SendResult


class BasePlatformAdapter(ABC):
    MAX_MESSAGE_LENGTH = 4096

    def __init__(self, config, platform):
        self.config = config
        self.platform = platform
        self.fatal_error = None
        self._message_handler = None
        self._running = False

    @property
    def name(self):
        return str(getattr(self.platform, "value", self.platform)).title()

    @property
    def is_connected(self):
        return self._running

    @abstractmethod
    async def connect(self, *, is_reconnect=False): ...

    @abstractmethod
    async def disconnect(self): ...

    @abstractmethod
    async def send(self, chat_id, content, reply_to=None, metadata=None): ...

    async def get_chat_info(self, chat_id):
        return {"name": chat_id, "type": "dm"}

    async def send_typing(self, chat_id, metadata=None):
        pass

    async def edit_message(self, chat_id, message_id, content, **kwargs):
        return SendResult(success=False, error="Not supported")

    async def send_image(self, chat_id, image_url, caption=None, reply_to=None, metadata=None):
        return await self.send(chat_id, f"{caption}\n{image_url}" if caption else image_url, reply_to, metadata)

    def set_message_handler(self, handler):
        self._message_handler = handler

    async def handle_message(self, event):
        if self._message_handler is not None:
            await self._message_handler(event)

    def build_source(self, chat_id, **fields):
        return SessionSource(platform=self.platform, chat_id=chat_id, **fields)

    def format_message(self, content):
        return content

    def _mark_connected(self):
        self._running = True

    def _mark_disconnected(self):
        self._running = False

    def _set_fatal_error(self, code, message, *, retryable=False):
        self.fatal_error = {"code": code, "message": message, "retryable": retryable}
        self._running = False

    async def _notify_fatal_error(self):
        pass

    def _acquire_platform_lock(self, *_, **__):
        return True

    def _release_platform_lock(self):
        pass

    def _wire_plugin_handlers(self, native):
        pass
