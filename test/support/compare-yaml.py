"""Compares our YAML reader with PyYAML: hand-written snippets, and values that PyYAML writes in every style. Prints differences."""
import datetime
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import hermes_host.small_yaml as ours
import yaml

SNIPPETS = [
    "", "# only a comment\n", "---\n", "a", "a: 1\nb: [1, 2, {c: d}]\n", "- a\n- - b\n  - c\n-\n  d: e\n", "a:\n- 1\n- 2\nb: x\n",
    "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n", "base: &b\n  x: 1\n  y: 2\nother:\n  <<: [*b, {z: 3}]\n  y: 5\n", "a: |\n  one\n   two\n\n  three\nb: >-\n  folded\n  line\n\n  next\n",
    "a: |+\n  kept\n\n\nb: |2\n   indented\n", "'a b': \"q\\n\\u00e9\\x41\"\n\"c: d\": 'it''s'\n", "a: one\n  two\n  three\n", "a: \"one\n  two\n\n  three\"\n",
    "? a\n: b\n? [c, d]\n: e\n", "[a, b: c, 'd', \"e\"]\n", "{a, b: , 'c': 1}\n", "a: b # comment\nc: 'd' # comment\ne: f#g\n", "on: yes\noff: No\nx: ~\ny: null\nz:\n",
    "- 0o14\n- 014\n- 0x1F\n- 0b11\n- 1_000\n- 12:30:45\n- 1.5e+3\n- 1e3\n- .5\n- -.inf\n- .nan\n- +1\n", "- 2001-12-14\n- 2001-12-14 21:59:43.10 -5\n- 2001-12-14T21:59:43Z\n",
    "a: !!str 12\nb: !!int '7'\nc: !!float 1\nd: !!binary aGk=\ne: !!set {x, y}\n", "%YAML 1.1\n---\na: 1\n...\n", "url: http://x.y:80/z?a=b#c\npath: C:\\x\n", "a:   \n  b:\n    c: d\n  e: f\n",
    "- a: 1\n  b: 2\n-   c: 3\n    d: 4\n", "a: [\n  1,\n  2, # two\n]\nb: {\n  c: d,\n}\n", "- &a x\n- *a\n- !!str\n", "a: - b\n", "a: b: c\n", "a: [1, 2\n", "a: *missing\n", "\ta: b\n", "a: 'x\n", "@x\n", "a: !foo bar\n",
    "a: 1\n b: 2\n", "- a\nb: c\n", "a: \"\\q\"\n", "key: >\n  a\n    b\n  c\n\n\n  d\n", "a: 'x'\n'b' : 2\n\"c\":3\n", "é: ü\n日本: 語\n", "a: ''\nb: \"\"\n", "- |-\n  x\n- >\n  y\n", "x: \n- a\n- b:\n  - c\n",
]
WORDS = [
    "a", "b c", "yes", "no", "null", "~", "1", "0x1f", "1.5", "012", "- x", "x: y", "# c", "a #b", "a#b", "'q'", '"d"', "", "  lead", "trail ", "two\nlines", "a\n\nb\n",
    "\ttab", "é", "日本", "&a", "*a", "!t", "|", ">", "%", "@", "`", "[x]", "{y}", "a, b", "2001-01-01", "12:30", "=", "<<", "...", "---", "a: ", "a:b", "http://x.y/z", "-", "?", "? x", "-x", ":x", ".5",
    "1_000", "+1", ".inf", ".nan", "on", "tRue", "\\n", "long " * 30, "\x07",
]


def outcome(function):
    try:
        return repr(function())
    except (yaml.YAMLError, ours.YAMLError):
        return "an error"


def differ(kind, text, expected, actual):
    if expected != actual:
        print(kind, repr(text)[:300], "\n  PyYAML", expected[:300], "\n  ours  ", actual[:300])


def value(source, depth=0):
    kind = source.random()
    if depth < 4 and kind < 0.3:
        return {source.choice(WORDS): value(source, depth + 1) for _ in range(source.randint(0, 4))}
    if depth < 4 and kind < 0.5:
        return [value(source, depth + 1) for _ in range(source.randint(0, 4))]
    if kind < 0.9:
        return source.choice(WORDS)
    return source.choice([1, -5, 1.5, True, False, None, float("inf"), 1e20, 1.5e-7, datetime.date(2020, 1, 2)])


for text in SNIPPETS:
    differ("load", text, outcome(lambda: yaml.safe_load(text)), outcome(lambda: ours.safe_load(text)))
for text in ("a: 1\n---\nb: 2\n---\n", "---\na\n...\n---\nb\n"):
    differ("load all", text, outcome(lambda: list(yaml.safe_load_all(text))), outcome(lambda: list(ours.safe_load_all(text))))
source = random.Random(17)
for _ in range(500):
    data = value(source)
    text = yaml.safe_dump(
        data,
        default_flow_style=source.choice([None, True, False]),
        allow_unicode=source.choice([True, False]),
        default_style=source.choice([None, None, None, "'", '"', "|", ">"]),
        width=source.choice([20, 80, 1000]),
        indent=source.choice([2, 4]),
        explicit_start=source.choice([True, False]),
    )
    differ("load", text, outcome(lambda: yaml.safe_load(text)), outcome(lambda: ours.safe_load(text)))
    text = ours.safe_dump(data, default_flow_style=source.choice([True, False]), sort_keys=False)
    differ("dump", text, repr(data), outcome(lambda: yaml.safe_load(text)))
for data in ({"b": 1, "a": [1, {"c": "x"}], "d": {"e": None, "f": True}}, [[1, 2], []], "text", {}, {"n": "yes", "t": "a: b"}):
    differ("same text", data, yaml.safe_dump(data), ours.safe_dump(data))
