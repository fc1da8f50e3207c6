"""A replacement for `logging`, which takes as long to import as a small plugin takes to start.

Loggers of the stand-in send their messages to Hermes. The first use of anything else loads the real module, and every
logger becomes a real one.
"""
import sys
from _thread import allocate_lock

_LEVELS = {"CRITICAL": 50, "FATAL": 50, "ERROR": 40, "WARNING": 30, "WARN": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}
_loading = allocate_lock()
_loggers = {}


def install(send, level):
    """`send(level, text)` passes on a message of this level or above."""
    if "logging" not in sys.modules:
        sys.modules["logging"] = LightModule(send, level)


def word_of(level):
    return "error" if level >= 40 else "warn" if level >= 30 else "info" if level >= 20 else "debug"


def forward(logging, send, level):
    """Sends messages of the real logging module to Hermes, too."""

    class Forward(logging.Handler):
        def emit(self, record):
            send(word_of(record.levelno), f"{record.name}: {self.format(record)}")

    logging.root.addHandler(Forward())
    logging.root.setLevel(level)


class LightModule(type(sys)):
    def __init__(self, send, level):
        super().__init__("logging")
        self.__dict__.update(_LEVELS)
        self._send = send
        self._level = level
        self._module = None

    def getLogger(self, name=None):
        if self._module is not None or not name:
            return self._real().getLogger(name)
        logger = _loggers.get(name)
        if logger is None:
            logger = _loggers[name] = LightLogger(self, name)
        return logger

    def _real(self):
        with _loading:
            if self._module is None:
                if sys.modules.get("logging") is self:
                    del sys.modules["logging"]
                import logging

                forward(logging, self._send, self._level)
                self._module = logging
        return self._module

    def __getattr__(self, name):
        if name in ("__path__", "__all__") or not name.startswith("__"):
            return getattr(self._real(), name)
        raise AttributeError(name)


class LightLogger:
    def __init__(self, module, name):
        self.__dict__.update(_light=module, name=name)

    def _write(self, level, method, message, args, options):
        light = self._light
        if light._module is None and not options:
            if level >= light._level:
                text = str(message)
                if args:
                    text = text % (args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args)
                light._send(word_of(level), f"{self.name}: {text}")
            return
        # The call stack has one more frame here than in the real logger.
        options["stacklevel"] = options.get("stacklevel", 1) + 2
        getattr(self._logger(), method)(message, *args, **options)

    def _logger(self):
        return self._light._real().getLogger(self.name)

    def debug(self, message, *args, **options):
        self._write(10, "debug", message, args, options)

    def info(self, message, *args, **options):
        self._write(20, "info", message, args, options)

    def warning(self, message, *args, **options):
        self._write(30, "warning", message, args, options)

    warn = warning

    def error(self, message, *args, **options):
        self._write(40, "error", message, args, options)

    def critical(self, message, *args, **options):
        self._write(50, "critical", message, args, options)

    fatal = critical

    def isEnabledFor(self, level):
        return level >= self._light._level if self._light._module is None else self._logger().isEnabledFor(level)

    @property
    def __class__(self):
        return type(self._logger())

    def __getattr__(self, name):
        return getattr(self._logger(), name)

    def __setattr__(self, name, value):
        setattr(self._logger(), name, value)
