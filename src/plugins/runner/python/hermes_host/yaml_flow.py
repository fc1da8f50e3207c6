"""Positions, quoted scalars and flow style (`[…]`, `{…}`) of YAML."""
import re

from hermes_host.yaml_scalars import plain_value, unescaped

# The key `<<`.
MERGE = object()

class YAMLError(Exception):
    pass

class FlowParser:
    def __init__(self, text):
        self.text = text if text.endswith("\n") else text + "\n"
        self.at = 0
        self.anchors = {}

    # Position

    def fail(self, message):
        line = self.text.count("\n", 0, self.at) + 1
        raise YAMLError(f"{message} in line {line}, column {self.column() + 1}")

    def column(self):
        return self.at - (self.text.rfind("\n", 0, self.at) + 1)

    def peek(self, offset=0):
        index = self.at + offset
        return self.text[index] if index < len(self.text) else ""

    def line(self):
        """The rest of the current line."""
        return self.text[self.at : self.text.find("\n", self.at)]

    def is_marker(self, marker):
        return self.column() == 0 and self.text.startswith(marker, self.at) and self.peek(3) in ("", " ", "\n", "\t")

    def skip_spaces(self):
        while self.peek() in (" ", "\t") and self.peek():
            self.at += 1

    def skip(self):
        """Skips spaces, comments and line ends up to the next token."""
        while self.at < len(self.text):
            self.skip_spaces()
            if self.peek() == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n"):
                self.at = self.text.find("\n", self.at)
            elif self.peek() == "\n":
                self.at += 1
            else:
                return

    def is_line_over(self):
        line = self.line()
        rest = line.strip()
        return not rest or (rest[0] == "#" and (line[0] != "#" or self.text[self.at - 1] in " \t\n"))

    # Values

    def tagged(self, tag, value):
        if tag == "!!str":
            return value if isinstance(value, str) else "" if value is None else str(value)
        if tag in ("!!int", "!!float", "!!bool", "!!null", "!!timestamp"):
            value = plain_value(value) if isinstance(value, str) else value
            return float(value) if tag == "!!float" else value
        if tag == "!!set":
            return set(value or ())
        if tag in (None, "!", "!!map", "!!seq", "!!omap"):
            return value
        if tag == "!!binary":
            from base64 import b64decode

            return b64decode(value)
        return self.fail(f"could not determine a constructor for the tag {tag!r}")

    def alias(self):
        name = re.compile(r"\*([^\s,\[\]{}]+)").match(self.text, self.at)
        if name is None or name.group(1) not in self.anchors:
            self.fail("found undefined alias")
        self.at = name.end()
        return self.anchors[name.group(1)]

    def quoted(self):
        quote = self.peek()
        pattern = r"'((?:[^']|'')*)'" if quote == "'" else r'"((?:[^"\\]|\\.)*)"'
        match = re.compile(pattern, re.S).match(self.text, self.at)
        if match is None:
            self.fail("found unexpected end of stream while scanning a quoted scalar")
        self.at = match.end()
        text = re.sub(r"(?<!\\)(?:\\\\)*\\\n[ \t]*", lambda one: one.group().rstrip()[:-1], match.group(1)) if quote == '"' else match.group(1)
        text = re.sub(r"[ \t]*\n(?:[ \t]*\n)*[ \t]*", lambda one: "\n" * (one.group().count("\n") - 1) or " ", text)
        if quote == "'":
            return text.replace("''", "'")
        try:
            return unescaped(text)
        except ValueError as error:
            return self.fail(str(error))

    def put(self, result, key, value):
        try:
            result[key] = value
        except TypeError:
            self.fail("found unhashable key")

    def with_merged(self, result, merged):
        for other in merged:
            if not isinstance(other, dict):
                self.fail("expected a mapping for merging")
            result = {**{key: value for key, value in other.items() if key not in result}, **result}
        return result

    # Flow style

    def flow(self):
        self.skip()
        if self.peek() == "?" and self.peek(1) in (" ", "\n"):
            self.at += 1
            self.skip()
        opener = self.peek()
        if opener == "[":
            return self.flow_list()
        if opener == "{":
            return self.flow_map()
        if opener == "*":
            return self.alias()
        if opener and opener in "&!":
            word = re.compile(r"[^\s,\[\]{}]+").match(self.text, self.at).group()
            self.at += len(word)
            self.skip()
            value = None if self.peek() in ",]}" else self.flow()
            if opener == "&":
                self.anchors[word[1:]] = value
                return value
            return self.tagged(word, value)
        if opener and opener in "'\"":
            return self.quoted()
        match = re.compile(r"(?:[^\s:,\[\]{}#]|:(?=[^\s,\[\]{}])|(?<=\S)#|\s+(?=[^\s:,\[\]{}#]|:[^\s,\[\]{}]))+").match(self.text, self.at)
        if match is None:
            self.fail("expected the node content")
        self.at = match.end()
        return MERGE if match.group() == "<<" else plain_value(re.sub(r"\s+", " ", match.group()))

    def flow_list(self):
        self.at += 1
        items = []
        while True:
            self.skip()
            if self.peek() == "]":
                self.at += 1
                return items
            item = self.flow()
            self.skip()
            if self.peek() == ":":
                self.at += 1
                self.skip()
                item = {item: None if self.peek() in ",]" else self.flow()}
                self.skip()
            items.append(item)
            if self.peek() == ",":
                self.at += 1
            elif self.peek() != "]":
                self.fail("expected ',' or ']'")

    def flow_map(self):
        self.at += 1
        result = {}
        merged = []
        while True:
            self.skip()
            if self.peek() == "}":
                self.at += 1
                return self.with_merged(result, merged)
            key = self.flow()
            self.skip()
            value = None
            if self.peek() == ":":
                self.at += 1
                self.skip()
                value = None if self.peek() in ",}" else self.flow()
                self.skip()
            if key is MERGE:
                merged.extend(value if isinstance(value, list) else [value])
            else:
                self.put(result, key, value)
            if self.peek() == ",":
                self.at += 1
            elif self.peek() != "}":
                self.fail("expected ',' or '}'")
