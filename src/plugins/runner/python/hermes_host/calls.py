"""Calls functions of a plugin with the arguments that they accept, and describes errors."""
from .wire import decode, encode

_ANY_POSITIONAL, _ANY_KEYWORD = 4, 8


class Signature:
    """The parameters of a function, read from its code object: importing `inspect` takes longer than a whole call."""

    __slots__ = ("positional", "keyword", "required", "only_positional", "any_positional", "any_keyword", "code")


def code_of(function):
    """The code that runs when `function` is called, or None for one written in C."""
    while True:
        inner = getattr(function, "func", None) if type(function).__name__ == "partial" else None
        if inner is None:
            inner = getattr(function, "__func__", None)
        if inner is None:
            break
        function = inner
    code = getattr(function, "__code__", None)
    if code is None:
        method = getattr(type(function), "__call__", None) if not isinstance(function, type) else function.__init__
        code = getattr(method, "__code__", None)
    return code


def signature_of(function):
    bound, given, named = 0, 0, ()
    target = function
    while type(target).__name__ == "partial" and hasattr(target, "func"):
        given += len(target.args)
        named = (*named, *target.keywords)
        target = target.func
    code = code_of(target)
    if code is None:
        return None
    owner = target
    if getattr(target, "__code__", None) is None and not hasattr(target, "__func__"):
        owner = target.__init__ if isinstance(target, type) else type(target).__call__
        bound = 1
    elif getattr(target, "__self__", None) is not None:
        bound = 1
    function = getattr(owner, "__func__", owner)
    names = code.co_varnames[: code.co_argcount]
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    skipped = bound + given
    defaults = len(getattr(function, "__defaults__", None) or ())
    result = Signature()
    result.code = code
    result.positional = names[skipped:]
    result.only_positional = names[skipped : max(skipped, code.co_posonlyargcount)]
    result.keyword = frozenset((*names[max(skipped, code.co_posonlyargcount) :], *only))
    own_defaults = getattr(function, "__kwdefaults__", None) or {}
    result.required = [
        name
        for name in (*names[skipped : len(names) - defaults], *(one for one in only if one not in own_defaults))
        if name not in named
    ]
    result.any_positional = bool(code.co_flags & _ANY_POSITIONAL)
    result.any_keyword = bool(code.co_flags & _ANY_KEYWORD)
    return result


def adapt(function, leading=1):
    """A function of (positional, keywords) that calls `function` with what it accepts of `leading` positional arguments
    and of the keyword arguments. A required parameter with an unknown name gets all keyword arguments as a dict."""
    signature = signature_of(function)
    if signature is None:
        return lambda positional, keywords: function(*positional)
    taken = leading if signature.any_positional else min(leading, len(signature.positional))
    first = frozenset(signature.positional[:taken])
    missing = [name for name in signature.required if name not in first]
    if signature.any_keyword and not missing and taken == leading:
        return lambda positional, keywords: function(*positional, **keywords)
    accepted = signature.keyword - first

    def call(positional, keywords):
        given = list(positional[:taken])
        for name in signature.only_positional[taken:]:
            given.append(keywords.get(name, keywords))
        if signature.any_keyword:
            named = {name: value for name, value in keywords.items() if name not in first}
        else:
            named = {name: value for name, value in keywords.items() if name in accepted}
        for name in missing:
            if name not in named and name in signature.keyword:
                named[name] = dict(keywords)
        return function(*given, **named)

    return call


def returns_something(function):
    """Whether a function may return a value. False means that it certainly returns nothing, so it only observes."""
    code = code_of(function)
    if code is None:
        return True
    import dis

    previous = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_CONST":
            if instruction.argval is not None:
                return True
        elif instruction.opname == "RETURN_VALUE":
            if instruction.is_jump_target or previous is None or previous.opname != "LOAD_CONST" or previous.argval is not None:
                return True
        if instruction.opname not in ("CACHE", "NOP", "EXTENDED_ARG"):
            previous = instruction
    return False


class Faults:
    """Describes errors of one plugin: the plugin, the part that failed, file and line."""

    def __init__(self, plugin, folder):
        self.plugin = plugin
        self.folder = folder.rstrip("/") + "/"

    def place(self, error, function=None):
        found = None
        if isinstance(error, SyntaxError) and error.filename:
            found = (error.filename, error.lineno or 1)
        else:
            step = getattr(error, "__traceback__", None)
            while step is not None:
                file = step.tb_frame.f_code.co_filename
                if file.startswith(self.folder):
                    found = (file, step.tb_lineno)
                step = step.tb_next
        if found is None and function is not None:
            code = code_of(function)
            if code is not None:
                found = (code.co_filename, code.co_firstlineno)
        if found is None:
            return ""
        file, line = found
        return f" ({file[len(self.folder):] if file.startswith(self.folder) else file}, line {line})"

    def text(self, what, error, function=None):
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        reason = f"{type(error).__name__}: {message[:2000]}" if message else type(error).__name__
        return f"Plugin {self.plugin}: {what}: {reason}{self.place(error, function)}"


def failure(message, data=None, kind="failed"):
    error = {"kind": kind, "message": message, "effect": "unknown"}
    if data:
        error["data"] = data
    return {"ok": False, "error": error}


def success(text, data=None):
    value = {"content": [{"type": "text", "text": text}]}
    if data is not None:
        value["data"] = data
    return {"ok": True, "value": value}


def tool_result(value):
    """Converts the result of a handler. Python Hermes requires JSON text; here, a dict or another value works too."""
    if isinstance(value, str):
        text, data = value, None
        if text[:1] in ("{", "["):
            try:
                data = decode(text)
            except ValueError:
                data = None
    elif isinstance(value, dict) and value.get("_multimodal") is True and isinstance(value.get("content"), list):
        return {"ok": True, "value": {"content": [_part(one) for one in value["content"]]}}
    elif value is None:
        return success("The tool returned nothing.")
    elif isinstance(value, (bytes, bytearray)):
        return success(bytes(value).decode("utf-8", "replace"))
    elif isinstance(value, (dict, list, tuple, set, frozenset, int, float)) or hasattr(value, "__dataclass_fields__"):
        data = decode(encode(value))
        text = _readable(data)
    else:
        return None
    error = data.get("error") if isinstance(data, dict) else None
    if not error:
        return success(text, data)
    rest = {key: one for key, one in data.items() if key != "error"}
    return failure(error if isinstance(error, str) else encode(error), rest)


def _readable(data):
    import json

    return json.dumps(data, ensure_ascii=False)


def _part(part):
    """Converts a content part of the OpenAI format to our format."""
    if isinstance(part, dict):
        kind = part.get("type")
        if kind == "text":
            return {"type": "text", "text": str(part.get("text", ""))}
        if kind in ("image", "audio") and isinstance(part.get("data"), str):
            return {"type": kind, "mimeType": str(part.get("mimeType") or part.get("mime_type") or "image/png"), "data": part["data"]}
        url = part.get("image_url")
        url = url.get("url") if isinstance(url, dict) else url
        if isinstance(url, str) and url.startswith("data:") and ";base64," in url:
            head, _, data = url.partition(";base64,")
            return {"type": "image", "mimeType": head[5:] or "image/png", "data": data}
        if isinstance(url, str):
            return {"type": "text", "text": url}
    return {"type": "text", "text": part if isinstance(part, str) else encode(part)}


def text_of(result):
    """Converts a tool result of Hermes to the text that Python Hermes' handlers return."""
    if not isinstance(result, dict):
        return encode(result)
    if result.get("ok"):
        parts = (result.get("value") or {}).get("content") or []
        return "\n".join(part.get("text", f"[{part.get('type')}]") for part in parts)
    error = result.get("error") or {}
    data = error.get("data")
    return _readable({"error": error.get("message", "failed"), **(data if isinstance(data, dict) else {})})


def is_coroutine(value):
    return hasattr(value, "__await__") and not isinstance(value, type)
