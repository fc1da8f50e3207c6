"""Writes YAML that PyYAML reads back as the same value."""
import re

from .yaml_scalars import plain_value

_UNSAFE = re.compile(r"^<<$|^---|^\.\.\.|^[\s\-?:,\[\]{}#&*!|>'\"%@`=]|:(\s|$)|\s#|\s$|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


def dump_yaml(data, default_flow_style=False, sort_keys=True, indent=None, explicit_start=False, allow_unicode=None, **_):
    head = "---\n" if explicit_start else ""
    if default_flow_style or not isinstance(data, (dict, list, tuple, set)) or not data:
        text = _flow(data, sort_keys)
        return f"{head}{text}\n" if isinstance(data, (dict, list, tuple, set)) else f"{head}{text}\n...\n"
    return head + "".join(line + "\n" for line in _block(data, 0, indent or 2, sort_keys))


def _block(data, depth, step, sort_keys):
    pad = " " * depth
    if isinstance(data, dict):
        for key, value in _items(data, sort_keys):
            name = _flow(key, sort_keys)
            if _is_block(value):
                yield f"{pad}{name}:"
                yield from _block(value, depth if isinstance(value, (list, tuple)) else depth + step, step, sort_keys)
            else:
                yield f"{pad}{name}: {_flow(value, sort_keys)}"
        return
    for value in data:
        if not _is_block(value):
            yield f"{pad}- {_flow(value, sort_keys)}"
            continue
        lines = _block(value, depth + 2, step, sort_keys)
        yield f"{pad}- {next(lines)[depth + 2:]}"
        yield from lines


def _items(data, sort_keys):
    if isinstance(data, (set, frozenset)):
        data = {value: None for value in data}
    if not sort_keys:
        return data.items()
    try:
        return sorted(data.items())
    except TypeError:
        return data.items()


def _is_block(value):
    return isinstance(value, (dict, list, tuple)) and len(value) > 0


def _flow(value, sort_keys):
    if isinstance(value, (set, frozenset)):
        return "!!set {" + ", ".join(f"{_flow(one, sort_keys)}: null" for one in value) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key, sort_keys)}: {_flow(one, sort_keys)}" for key, one in _items(value, sort_keys)) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(one, sort_keys) for one in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (bytes, bytearray)):
        from base64 import b64encode

        return f'!!binary "{b64encode(value).decode()}"'
    if isinstance(value, str):
        return _text(value)
    if hasattr(value, "isoformat"):
        return value.isoformat(" ") if hasattr(value, "hour") else value.isoformat()
    raise TypeError(f"cannot represent an object of {type(value).__name__}")


def _float(value):
    if value - value != 0:
        return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
    text = repr(value)
    return text.replace("e", ".0e", 1) if "." not in text and "e" in text else text


def _text(value):
    if value and not _UNSAFE.search(value) and not any(one in value for one in ",[]{}") and plain_value(value) is value:
        return value
    if value and not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]", value):
        return "'" + value.replace("'", "''") + "'"
    import json

    return json.dumps(value) if value else "''"
