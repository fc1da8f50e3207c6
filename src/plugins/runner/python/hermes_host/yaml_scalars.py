"""Converts plain YAML 1.1 scalars to Python values, and resolves escapes in double-quoted ones."""
import re

_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
for _word, _value in (("yes", True), ("no", False), ("true", True), ("false", False), ("on", True), ("off", False)):
    for _form in (_word, _word.capitalize(), _word.upper()):
        _WORDS[_form] = _value

_INT = re.compile(
    r"[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
)
_FLOAT = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_DATE = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|[-+]\d\d?(?::\d\d)?))?)?"
)

_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
            " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}
_LENGTHS = {"x": 2, "u": 4, "U": 8}


def plain_value(text):
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first not in "-+.0123456789":
        return text
    if _INT.fullmatch(text):
        return _int(text)
    if _FLOAT.fullmatch(text):
        return _float(text)
    match = _DATE.fullmatch(text) if first.isdigit() else None
    if match is None or (match.group(4) is None and not re.fullmatch(r"\d{4}-\d\d-\d\d", text)):
        return text
    return _date(match)


def _int(text):
    digits = text.replace("_", "")
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("+-")
    if digits == "0":
        return 0
    if digits.startswith("0b"):
        return sign * int(digits[2:], 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    if digits[0] == "0":
        return sign * int(digits, 8)
    value = 0
    for part in digits.split(":"):
        value = value * 60 + int(part)
    return sign * value


def _float(text):
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits[0] == "-" else 1.0
    digits = digits.lstrip("+-")
    if digits in (".inf", ".nan"):
        return sign * float(digits[1:])
    value = 0.0
    for part in digits.split(":"):
        value = value * 60 + float(part)
    return sign * value


def _date(match):
    import datetime

    year, month, day = (int(match.group(index)) for index in (1, 2, 3))
    if match.group(4) is None:
        return datetime.date(year, month, day)
    fraction = int((match.group(7) or "")[:6].ljust(6, "0"))
    hour, minute, second = (int(match.group(index)) for index in (4, 5, 6))
    zone = match.group(8)
    info = None
    if zone == "Z":
        info = datetime.timezone.utc
    elif zone:
        hours, _, minutes = zone[1:].partition(":")
        delta = datetime.timedelta(hours=int(hours), minutes=int(minutes or 0))
        info = datetime.timezone(-delta if zone[0] == "-" else delta)
    return datetime.datetime(year, month, day, hour, minute, second, fraction, tzinfo=info)


def unescaped(text):
    """The text of a double-quoted scalar. Raises ValueError."""
    if "\\" not in text:
        return text
    pieces = []
    at = 0
    while True:
        index = text.find("\\", at)
        if index < 0:
            return "".join((*pieces, text[at:]))
        pieces.append(text[at:index])
        name = text[index + 1 : index + 2]
        if name in _LENGTHS:
            end = index + 2 + _LENGTHS[name]
            pieces.append(chr(int(text[index + 2 : end], 16)))
            at = end
        elif name in _ESCAPES:
            pieces.append(_ESCAPES[name])
            at = index + 2
        else:
            raise ValueError(f"found unknown escape character {name!r}")
