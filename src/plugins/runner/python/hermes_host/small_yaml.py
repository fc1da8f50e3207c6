"""Replaces `import yaml` if PyYAML is not installed: its safe part, with the same types (YAML 1.1)."""
import re

from hermes_host.yaml_dump import dump_yaml
from hermes_host.yaml_flow import MERGE, FlowParser, YAMLError
from hermes_host.yaml_scalars import plain_value

__version__ = "0 (part of Hermes)"


class MarkedYAMLError(YAMLError):
    pass


class SafeLoader:
    pass


class SafeDumper:
    pass


Loader = FullLoader = CSafeLoader = BaseLoader = SafeLoader
Dumper = CSafeDumper = SafeDumper


def safe_load(stream):
    documents = list(safe_load_all(stream))
    if len(documents) > 1:
        raise YAMLError("expected a single document in the stream, but found another document")
    return documents[0] if documents else None


def safe_load_all(stream):
    text = stream.read() if hasattr(stream, "read") else stream
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8-sig")
    yield from _Parser(text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")).documents()


def load(stream, Loader=None):
    return safe_load(stream)


def load_all(stream, Loader=None):
    return safe_load_all(stream)


full_load = safe_load


def safe_dump(data, stream=None, **options):
    text = dump_yaml(data, **options)
    if stream is None:
        return text
    stream.write(text)
    return None


def dump(data, stream=None, Dumper=None, **options):
    return safe_dump(data, stream, **options)


_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[\-?:](?=[^\s])")


class _Parser(FlowParser):
    def documents(self):
        while True:
            self.skip()
            while self.line().startswith("%"):
                self.at += len(self.line())
                self.skip()
            is_marked = self.is_marker("---")
            if is_marked:
                self.at += 3
                self.anchors = {}
            elif self.at >= len(self.text):
                return
            elif self.is_marker("..."):
                self.at += 3
                continue
            yield self.node(-1)
            self.skip()
            if self.at < len(self.text) and not self.is_marker("---") and not self.is_marker("..."):
                self.fail("expected the end of the document")

    # Block style

    def node(self, parent, is_value=False):
        """The node that starts here or on a later line. Its lines are indented more than `parent`. `is_value`: it stands
        after `key:`, where no mapping can start on the same line, and a list may have the indentation of the key."""
        start = self.at
        self.skip_spaces()
        has_moved = self.is_line_over()
        if has_moved:
            self.skip()
        column = self.column()
        if "\t" in self.text[self.at - column : self.at] and self.text[self.at - column : self.at].isspace():
            self.fail("found character '\\t' that cannot start any token")
        is_list = self.peek() == "-" and self.peek(1) in (" ", "\n", "\t")
        fits = column > parent or (is_value and has_moved and is_list and column == parent)
        if self.at >= len(self.text) or not fits or self.is_marker("---") or self.is_marker("..."):
            self.at = start if not has_moved else self.at
            return None
        if self.peek() in "&!":
            return self.node_with_properties(parent, is_value and not has_moved, is_value)
        if is_list and (has_moved or not is_value):
            return self.block_list(column)
        if self.peek() in "|>":
            return self.block_text(parent)
        if has_moved or not is_value:
            if self.peek() == "?" and self.peek(1) in (" ", "\n"):
                return self.block_map(column)
            if self.key_end() is not None:
                return self.block_map(column)
        return self.scalar(parent)

    def node_with_properties(self, parent, is_inline, is_value):
        anchor = tag = None
        while self.peek() and self.peek() in "&!":
            kind = self.peek()
            word = re.compile(r"[^\s,\[\]{}]+").match(self.text, self.at).group()
            if kind == "&":
                anchor = word[1:]
            else:
                tag = word
            if not self.is_line_over_after(len(word)) and self.key_end() is not None and not is_inline:
                # The tag or anchor belongs to the first key of a mapping.
                return self.block_map(self.column())
            self.at += len(word)
            self.skip_spaces()
        if self.is_line_over():
            value = self.node(parent, is_value)
            if value is None and tag in ("!!str", "!str"):
                value = ""
        elif tag == "!!str" and self.peek() not in "'\"|>[{":
            value = self.scalar(parent, as_text=True)
        else:
            value = self.node(parent, is_inline)
        value = self.tagged(tag, value)
        if anchor is not None:
            self.anchors[anchor] = value
        return value

    def is_line_over_after(self, count):
        self.at += count
        is_over = self.is_line_over()
        self.at -= count
        return is_over

    def block_list(self, column):
        items = []
        while self.column() == column and self.peek() == "-" and self.peek(1) in (" ", "\n", "\t"):
            self.at += 1
            items.append(self.node(column))
            self.skip()
            if self.at >= len(self.text):
                break
        if self.at < len(self.text) and self.column() > column:
            self.fail("expected an item of the list")
        return items

    def key_end(self):
        """The index of the colon if a key starts here."""
        start = self.at
        try:
            while self.peek() and self.peek() in "&!":
                self.at = re.compile(r"\S+[ \t]*").match(self.text, self.at).end()
            if self.peek() in "'\"" and self.peek():
                self.quoted()
            elif self.peek() in "[{" and self.peek():
                self.flow()
            elif self.peek() == "*":
                self.at = re.compile(r"\*[^\s,\[\]{}]+").match(self.text, self.at).end()
            else:
                if not _PLAIN.match(self.text, self.at):
                    return None
                match = re.compile(r"(?:[^\s:#]|:(?=\S)|(?<=\S)#|[ \t]+(?=[^\s#]))*").match(self.text, self.at)
                self.at = match.end()
            if "\n" in self.text[start : self.at]:
                return None
            self.skip_spaces()
            return self.at if self.peek() == ":" and self.peek(1) in (" ", "\n", "\t", "") else None
        except (YAMLError, AttributeError):
            return None
        finally:
            self.at = start

    def block_map(self, column):
        result = {}
        merged = []
        while self.at < len(self.text) and self.column() == column and not self.is_marker("---") and not self.is_marker("..."):
            if self.peek() == "?" and self.peek(1) in (" ", "\n"):
                self.at += 1
                key = self.node(column)
                self.skip()
                value = None
                if self.column() == column and self.peek() == ":":
                    self.at += 1
                    value = self.node(column)
            else:
                end = self.key_end()
                if end is None:
                    self.fail("could not find expected ':'")
                key = self.key(end)
                self.at = end + 1
                value = self.node(column, True)
            if key is MERGE:
                merged.extend(value if isinstance(value, list) else [value])
            else:
                self.put(result, key, value)
            self.skip()
        if self.at < len(self.text) and self.column() > column:
            self.fail("mapping values are not allowed here")
        return self.with_merged(result, merged)

    def key(self, end):
        anchor = None
        while self.peek() in "&!":
            word = re.compile(r"\S+").match(self.text, self.at).group()
            anchor = word[1:] if word[0] == "&" else anchor
            self.at += len(word)
            self.skip_spaces()
        if self.peek() in "'\"":
            key = self.quoted()
        elif self.peek() in "[{":
            key = self.flow()
        elif self.peek() == "*":
            key = self.alias()
        else:
            key = self.text[self.at : end].strip()
            key = MERGE if key == "<<" else plain_value(key)
        if anchor is not None:
            self.anchors[anchor] = key
        return key

    def block_text(self, parent):
        style = self.peek()
        header = self.line()
        match = re.fullmatch(r"[|>]([+-]?)([1-9]?)([+-]?)[ \t]*(?:#.*)?", header)
        if not match:
            self.fail("expected a block scalar")
        chomp = match.group(1) or match.group(3)
        self.at += len(header) + 1
        indent = max(parent, 0) + int(match.group(2)) if match.group(2) else None
        lines = []
        while self.at < len(self.text):
            line = self.text[self.at : self.text.find("\n", self.at)]
            spaces = len(line) - len(line.lstrip(" "))
            if line.strip(" "):
                if indent is None:
                    indent = max(spaces, parent + 1)
                if spaces < indent or (self.column() == 0 and indent == 0 and re.match(r"(---|\.\.\.)(\s|$)", line)):
                    break
            lines.append(line[indent:] if indent is not None else "")
            self.at += len(line) + 1
        body = []
        while lines and not lines[-1]:
            body.append(lines.pop())
        text = "\n".join(lines) if style == "|" else _folded(lines)
        if not lines:
            return "\n" * len(body) if chomp == "+" else ""
        return text + {"-": "", "+": "\n" * (len(body) + 1)}.get(chomp, "\n")

    # Scalars

    def scalar(self, parent, as_text=False):
        if self.peek() == "*":
            return self.alias()
        if self.peek() in "[{":
            value = self.flow()
        elif self.peek() in "'\"":
            value = self.quoted()
        else:
            text = self.plain(parent)
            return text if as_text else plain_value(text)
        if not self.is_line_over():
            self.fail("expected the end of the line")
        return value

    def plain(self, parent):
        """A plain scalar, which may continue on lines with more indentation."""
        if not _PLAIN.match(self.text, self.at):
            self.fail(f"found character {self.peek()!r} that cannot start any token")
        pieces = []
        while True:
            line = re.sub(r"[ \t]#.*", "", self.line())
            if re.search(r":(\s|$)", line):
                self.fail("mapping values are not allowed here")
            has_comment = len(line) < len(self.line())
            pieces.append(line.strip())
            self.at += len(self.line())
            end = self.at
            self.at += 1
            blanks = 0
            while self.at < len(self.text) and not self.line().strip():
                blanks += 1
                self.at += len(self.line()) + 1
            self.skip_spaces()
            is_over = self.at >= len(self.text) or self.column() <= parent or self.peek() == "#"
            if has_comment or is_over or self.is_marker("---") or self.is_marker("..."):
                self.at = end
                return "".join(pieces)
            pieces.append("\n" * blanks or " ")


def _folded(lines):
    """The lines of a `>` scalar: a line end becomes a space, except around empty lines and lines with more indentation."""
    text = ""
    previous_indented = False
    blanks = 0
    for index, line in enumerate(lines):
        if not line:
            blanks += 1
            continue
        indented = line[0] in " \t"
        if not text and index == blanks:
            text = "\n" * blanks
        elif indented or previous_indented:
            text += "\n" * (blanks + 1)
        else:
            text += "\n" * blanks or " "
        text += line
        previous_indented = indented
        blanks = 0
    return text
