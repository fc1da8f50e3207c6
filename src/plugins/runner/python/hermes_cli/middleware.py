"""The names and exceptions that middleware uses."""
from hermes_host.hooks import MIDDLEWARE, MIDDLEWARE_SCHEMA_VERSION
from hermes_host.hooks import SCHEMA_VERSION as OBSERVER_SCHEMA_VERSION

TOOL_REQUEST_MIDDLEWARE, TOOL_EXECUTION_MIDDLEWARE, LLM_REQUEST_MIDDLEWARE, LLM_EXECUTION_MIDDLEWARE = MIDDLEWARE
VALID_MIDDLEWARE = set(MIDDLEWARE)


class LLMExecutionBlocked(Exception):
    """Raised by a middleware that refuses a call on purpose. Any other error only skips the middleware."""

    def __init__(self, reason, *, metadata=None):
        super().__init__(reason)
        self.reason = reason
        self.metadata = metadata or {}
