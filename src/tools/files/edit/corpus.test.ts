import assert from "node:assert/strict";
import { test } from "node:test";

import { replaceText } from "./replace-text.ts";

/** Name, file, old, new, and the expected text afterwards, or that nothing changes. */
type Case = readonly [
  name: string,
  original: string,
  old: string,
  wanted: string,
  expected: { readonly result: string } | "ambiguous" | "not_found",
];

const becomes = (result: string) => ({ result });

const python = `import os


class Store:
    def __init__(self, path):
        self.path = path
        self.items = {}

    def load(self):
        with open(self.path) as file:
            for line in file:
                key, value = line.split("=")
                self.items[key] = value

    def get(self, key):
        return self.items.get(key)
`;

const go = 'package main\n\nfunc main() {\n\tif ready {\n\t\tfmt.Println("a b")\n\t\treturn\n\t}\n\tstop()\n}\n';

const asGiven: readonly Case[] = [
  ["a word", "hello world\n", "world", "there", becomes("hello there\n")],
  ["a part of a word", "foobar\n", "foo", "bar", becomes("barbar\n")],
  ["a part of a line", "const a = 1; // one\n", "a = 1", "a = 2", becomes("const a = 2; // one\n")],
  ["several lines", "a\nb\nc\n", "a\nb", "x\ny\nz", becomes("x\ny\nz\nc\n")],
  ["a deletion", "a\nb\nc\n", "b\n", "", becomes("a\nc\n")],
  ["a deletion without the line end", "a\nb\nc\n", "b", "", becomes("a\n\nc\n")],
  ["the whole file", "a\n", "a\n", "b\n", becomes("b\n")],
  ["at the very end without line end", "a\nb", "b", "c", becomes("a\nc")],
  ["joining two lines", "a\nb\n", "a\n", "a", becomes("ab\n")],
  ["$& in new", "price\n", "price", "$& $1 $$ $`", becomes("$& $1 $$ $`\n")],
  ["a backslash and a digit in new", "price\n", "price", "\\1 \\g<0>", becomes("\\1 \\g<0>\n")],
  ["regex characters in old", "a.b(c)*[d]+?\n", "b(c)*[d]+?", "x", becomes("a.x\n")],
  ["a dot is not a wildcard", "axb\n", "a.b", "x", "not_found"],
  ["escapes in new stay escapes", "\tx = 1\n", "x = 1", "x = '\\t\\n'", becomes("\tx = '\\t\\n'\n")],
  ["a tab in the file does not turn \\t in new into one", "\ta\n", "\ta", "\\tb", becomes("\\tb\n")],
  ["escapes that are in the file", 'a = "x\\n"\n', '"x\\n"', '"y\\n"', becomes('a = "y\\n"\n')],
  ["emoji", "a 🎉 b\n", "🎉", "🚀", becomes("a 🚀 b\n")],
  ["a family of emoji", "👩‍👩‍👧 x\n", "👩‍👩‍👧", "y", becomes("y x\n")],
  ["right to left", "שלום עולם\n", "עולם", "חבר", becomes("שלום חבר\n")],
  ["Chinese", "标题：第一章\n", "第一章", "第二章", becomes("标题：第二章\n")],
  ["curly quotes that are there", "say(“a”)\n", "“a”", "“b”", becomes("say(“b”)\n")],
  ["curly quotes made straight", "say(“a”)\n", "“a”", '"a"', becomes('say("a")\n')],
  ["nothing to change", "a\n", "a", "a", becomes("a\n")],
  ["white space alone, once", "a  b c\n", "  ", " ", becomes("a b c\n")],
  ["one blank line too many, once", "a\n\n\nb\n", "a\n\n\n", "a\n\n", becomes("a\n\nb\n")],
  ["NUL", "a\0b\n", "\0", "-", becomes("a-b\n")],
  ["a lone surrogate", "a\ud800b", "\ud800", "-", becomes("a-b")],
  ["indentation changed on purpose", "  a\n  b\n", "  b", "    b", becomes("  a\n    b\n")],
  ["a block moved left on purpose", "if x:\n    a\n    b\n", "    a\n    b", "a\nb", becomes("if x:\na\nb\n")],
  ["trailing blanks removed on purpose", "a  \nb\n", "a  \n", "a\n", becomes("a\nb\n")],
  ["one of two made unique by its neighbour", "a\nx\nb\nx\n", "b\nx", "b\ny", becomes("a\nx\nb\ny\n")],
  [
    "an exact one beside a drifted one",
    "  f()\nf( )\n\tf()  \n  f()x\n",
    "\tf()",
    "g()",
    becomes("  f()\nf( )\ng()  \n  f()x\n"),
  ],
  [
    "an exact block beside one deeper",
    "if a:\n  x\n  y\n    x\n    z\n",
    "  x\n  y",
    "  q",
    becomes("if a:\n  q\n    x\n    z\n"),
  ],
  ["exact quotes beside curly ones", "say(“a”)\nsay('a')\n", "say('a')", "b", becomes("say(“a”)\nb\n")],
  ["the file's byte order mark stays", "\uFEFFa = 1\n", "a = 1", "a = 2", becomes("\uFEFFa = 2\n")],
];

const several: readonly Case[] = [
  ["the same word twice", "a b a\n", "a", "x", "ambiguous"],
  ["the same block twice", "f()\ng()\n--\nf()\ng()\n", "f()\ng()", "h()", "ambiguous"],
  ["overlapping", "aaa\n", "aa", "b", "ambiguous"],
  ["white space, twice", "a  b  c\n", "  ", " ", "ambiguous"],
  ["nothing to change, twice", "a a\n", "a", "a", "ambiguous"],
  ["the same block at two depths, drifted", "  f()\n  g()\n--\n    f()\n    g()\n", "f() \ng()", "h()", "ambiguous"],
  ["two drifted in different ways", "say(“a”, 1)\nsay('b')\nsay(\"a\",  1)\n", 'say("a", 1)', "x", "ambiguous"],
  ["curly quotes twice", "“a”\n“a”\n", '"a"', "b", "ambiguous"],
  ["CRLF twice", "a\r\nb\r\na\r\nb\r\n", "a\nb", "x", "ambiguous"],
  ["indented twice", "\tx = 1\n\ty = 2\n\n\tx = 1\n\ty = 2\n", "x = 1\ny = 2", "z", "ambiguous"],
  ["two with other blanks inside", "a =   1\na =  1\n", "a = 1", "a = 2", "ambiguous"],
];

const lineEnds: readonly Case[] = [
  ["LF edit in a CRLF file", "a\r\nb\r\nc\r\n", "a\nb", "a\nx", becomes("a\r\nx\r\nc\r\n")],
  ["more lines than before", "a\r\nb\r\n", "a\nb\n", "a\nx\ny\nb\n", becomes("a\r\nx\r\ny\r\nb\r\n")],
  ["one line becomes two", "a\r\nb\r\n", "b", "b\nc", becomes("a\r\nb\r\nc\r\n")],
  ["one line becomes two at the end without line end", "a\r\nb", "b", "b\nc", becomes("a\r\nb\r\nc")],
  ["a deletion", "a\r\nb\r\nc\r\n", "b\n", "", becomes("a\r\nc\r\n")],
  ["CRLF edit in an LF file", "a\nb\nc\n", "a\r\nb", "a\r\nx", becomes("a\nx\nc\n")],
  ["CRLF edit with new lines in an LF file", "a\nb\n", "a\r\nb\r\n", "a\r\nx\r\nb\r\n", becomes("a\nx\nb\n")],
  ["CRLF asked for on purpose", "GET\n", "GET", "GET\r\nHost", becomes("GET\r\nHost\n")],
  ["CRLF in old, LF in new", "a\r\nb\r\n", "a\r\nb", "x\ny", becomes("x\r\ny\r\n")],
  ["line ends changed on purpose", "a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", becomes("a\nb\n")],
  ["mixed: every kept line keeps its own", "a\r\nb\nc\r\n", "a\nb\nc\n", "a\nb\nx\n", becomes("a\r\nb\nx\r\n")],
  ["mixed: a new line takes after its neighbours", "a\nb\r\nc\r\n", "c", "c\nd", becomes("a\nb\r\nc\r\nd\r\n")],
  ["old Mac", "a\rb\rc\r", "a\nb", "a\nx", becomes("a\rx\rc\r")],
  ["CRLF and indentation", "  a\r\n    b\r\n", "a\n  b", "a\n  x\n  b", becomes("  a\r\n    x\r\n    b\r\n")],
  ["CRLF and trailing blanks", "a \r\nb\r\n", "a\nb", "a\nx", becomes("a\r\nx\r\n")],
  [
    "CRLF: the right one of two depths",
    "    a\r\n}\r\n  a\r\n}\r\n",
    "    a\n}",
    "    b\n}",
    becomes("    b\r\n}\r\n  a\r\n}\r\n"),
  ],
  ["mixed with lone CR: they are part of their line", "a\rb\nc\r\n", "a\rb\nc", "a\rb\nx", becomes("a\rb\nx\r\n")],
  ["a lone CR is not a line end beside LF", "a\rb\nc\n", "a\nb", "x", "not_found"],
  [
    "a CRLF block and an LF block, the same",
    "a\r\nb\r\n--\na\nb\n",
    "a\r\nb",
    "a\r\nx",
    becomes("a\r\nx\r\n--\na\nb\n"),
  ],
  ["CRLF and another word", "a\r\nb\r\n", "a\nc", "x", "not_found"],
  ["a byte order mark and CRLF", "\uFEFFa\r\nb\r\n", "a\nb", "a\nx", becomes("\uFEFFa\r\nx\r\n")],
  ["no final line end in the file", "a\nb", "b\n", "c\n", becomes("a\nc")],
  ["no final line end, several lines", "a\nb\nc", "b\nc\n", "b\nx\n", becomes("a\nb\nx")],
  ["no final line end with CRLF", "a\r\nb", "b\n", "c\n", becomes("a\r\nc")],
  [
    "no final line end, the same line less deep elsewhere",
    "f(\n  a\n)\ng(\n    a\n  )",
    "  )\n",
    "  );\n",
    becomes("f(\n  a\n)\ng(\n    a\n  );"),
  ],
  ["the line end is not at the end of the line", "a\nbc\n", "b\n", "x\n", "not_found"],
];

const indentation: readonly Case[] = [
  [
    "further left by a level",
    python,
    "def get(self, key):\n    return self.items.get(key)",
    "def get(self, key, default=None):\n    return self.items.get(key, default)",
    becomes(
      python.replace(
        "    def get(self, key):\n        return self.items.get(key)",
        "    def get(self, key, default=None):\n        return self.items.get(key, default)",
      ),
    ),
  ],
  [
    "without any",
    python,
    "self.path = path\nself.items = {}",
    "self.path = path\nself.items = {}\nself.open = False",
    becomes(python.replace("self.items = {}\n", "self.items = {}\n        self.open = False\n")),
  ],
  [
    "further right",
    "def f():\n    a = 1\n    return a\n",
    "        a = 1\n        return a",
    "        a = 1\n        if a:\n            return a",
    becomes("def f():\n    a = 1\n    if a:\n        return a\n"),
  ],
  [
    "two for four",
    "def f():\n    return 1\n",
    "def f():\n  return 1",
    "def f():\n  if x:\n    return 2",
    becomes("def f():\n    if x:\n        return 2\n"),
  ],
  [
    "four for two",
    "a {\n  b {\n    c\n  }\n}\n",
    "a {\n    b {\n        c\n    }\n}",
    "a {\n    b\n}",
    becomes("a {\n  b\n}\n"),
  ],
  [
    "four for two, nested and further left",
    "x:\n  a {\n    b {\n      c\n",
    "a {\n    b {\n        c",
    "a {\n    b {\n        d {\n            c",
    becomes("x:\n  a {\n    b {\n      d {\n        c\n"),
  ],
  [
    "blanks for tabs",
    go,
    '    if ready {\n        fmt.Println("a b")',
    '    if ready {\n        fmt.Println("c")',
    becomes(go.replace('"a b"', '"c"')),
  ],
  [
    "blanks for tabs, one level more",
    go,
    '    if ready {\n        fmt.Println("a b")\n        return\n    }',
    "    if ready {\n        for {\n            return\n        }\n    }",
    becomes(go.replace('\t\tfmt.Println("a b")\n\t\treturn\n', "\t\tfor {\n\t\t\treturn\n\t\t}\n")),
  ],
  [
    "blanks for tabs and further left",
    go,
    'if ready {\n  fmt.Println("a b")',
    "if ready {\n  log()",
    becomes(go.replace('fmt.Println("a b")', "log()")),
  ],
  [
    "blanks for one tab",
    "\ta()\n\tb()\n",
    "    a()\n    b()",
    "    a()\n    if c {\n        b()\n    }",
    becomes("\ta()\n\tif c {\n\t\tb()\n\t}\n"),
  ],
  [
    "tabs for blanks",
    "f {\n    a\n    b\n}\n",
    "f {\n\ta\n\tb\n}",
    "f {\n\tb {\n\t\ta\n\t}\n}",
    becomes("f {\n    b {\n        a\n    }\n}\n"),
  ],
  ["off by one", "  a:\n    - b\n    - c\n", " a:\n   - b\n   - c", " a:\n   - b", becomes("  a:\n    - b\n")],
  [
    "a line further left than all of old",
    "f {\n    a;\n    b;\n}\n",
    "  a;\n  b;",
    "  a;\nl:\n  b;",
    becomes("f {\n    a;\n  l:\n    b;\n}\n"),
  ],
  ["a line further left than the file allows", "f\n  a\n  b\n", "      a\n      b", "      a\n  b", "not_found"],
  ["one line", "x\n    return a  \n", "  return a\n", "  return b\n", becomes("x\n    return b\n")],
  [
    "a part of the indentation is text as given",
    "x\n    return a\n",
    "  return a\n",
    "  if b:\n    return a\n",
    becomes("x\n    if b:\n    return a\n"),
  ],
  [
    "one line becomes a block",
    "x\n  return a\n",
    "    return a\n",
    "    if b:\n      return a\n",
    becomes("x\n  if b:\n    return a\n"),
  ],
  ["one line with quotes becomes a block", "x\n    a(“b”)\n", 'a("b")  ', 'if c:\n    a("b")', "not_found"],
  [
    "one line with quotes becomes two",
    "x\n    a(“b”)\n",
    'a("b")  ',
    'a("b")\nc()',
    becomes("x\n    a(“b”)\n    c()\n"),
  ],

  ["a blank line between", "    a\n\n    b\n", "a\n\nb", "a\n\nc\n\nb", becomes("    a\n\n    c\n\n    b\n")],
  ["blanks on a blank line", "a\n    \nb\n", "a\n\nb", "a\n\nc", becomes("a\n\nc\n")],
  ["blanks on a blank line of old", "a\n\nb\n", "a\n  \nb", "a\n\nc", becomes("a\n\nc\n")],
  [
    "first line cut off at its indentation",
    "    a(\n        b,  \n    )\n",
    "a(\n        b,\n    )",
    "x(\n        c,\n    )",
    becomes("    x(\n        c,\n    )\n"),
  ],
  [
    "first line cut off, a deeper line comes",
    "  a(  \n    b)\n",
    "a(\n    b)",
    "a(\n      c)",
    becomes("  a(\n      c)\n"),
  ],
  ["deleting lines", "x\n    a\n      b\ny\n", "a\n  b\n", "", becomes("x\ny\n")],
  ["another nesting is another meaning", "if x:\n    a()\n    b()\n", "if x:\n    a()\nb()", "c()", "not_found"],
  ["nesting that the file does not have", "a()\nb()\n", "a()\n    b()", "c()", "not_found"],
  ["levels that do not agree", "a\n  b\n    c\n", "a\n    b\n     d", "x", "not_found"],
  ["a new depth that nothing shows", "\tx\n\ty\n", "x\ny", "x {\n    z\n}\ny", "not_found"],
  ["odd blanks for tabs", "\tx\n\t\ty\n", "  x\n    y", "  x\n   y", "not_found"],
  [
    "text that begins with a tab in YAML",
    "a:\n  b: 1\n  c: 2\n",
    "\tb: 1\n\tc: 2",
    "\tb: 1\n\tc: 3",
    becomes("a:\n  b: 1\n  c: 3\n"),
  ],
  [
    "a closing brace further left",
    "  f({\n    a,\n  });\n",
    "f({\n  a,\n});",
    "f({\n  a,\n  b,\n});",
    becomes("  f({\n    a,\n    b,\n  });\n"),
  ],
  [
    "a template with CRLF and tabs",
    "<a>\r\n\t<b/>\r\n</a>\r\n",
    "<a>\n  <b/>\n</a>",
    "<a>\n  <c/>\n</a>",
    becomes("<a>\r\n\t<c/>\r\n</a>\r\n"),
  ],
  ["the last line cut off", "if x:\n    foo(bar)\n", "if x:\n  foo(ba", "if x:\n  foo(x", "not_found"],
  ["a statement cut off", "if x:\n    foo(a);\n    b\n", "if x:\n  foo(a", "if x:\n  bar(a);", "not_found"],
];

/** `old` is off, the new lines are indented as the file is. */
const onlyOldDrifted: readonly Case[] = [
  ["further left", "f {\n    a\n    b\n}\n", "a\nb", "    a\n    c", becomes("f {\n    a\n    c\n}\n")],
  ["further right", "f {\n    a\n}\n", "      a\n", "    b\n", becomes("f {\n    b\n}\n")],
  ["without any, nested", "  f {\n    a\n  }\n", "f {\na\n}", "  f {\n    b\n  }", becomes("  f {\n    b\n  }\n")],
  ["blanks for tabs", "f {\n\ta\n}\n", "    a\n}", "\tb\n\tc\n}", becomes("f {\n\tb\n\tc\n}\n")],
  [
    "two for four",
    "def f():\n    return 1\n",
    "def f():\n  return 1",
    "def f():\n    return 2",
    becomes("def f():\n    return 2\n"),
  ],
  [
    "two for four, two levels",
    "a {\n    b {\n        c\n    }\n}\n",
    "a {\n  b {\n    c\n  }\n}",
    "a {\n    d\n}",
    becomes("a {\n    d\n}\n"),
  ],
  ["a block moved into another does not match", "    a\n", "a  \n", "if b:\n    a\n", "not_found"],
  [
    "nor are several lines that go into another",
    "f:\n    a\n    b\n",
    "a\nb",
    "if c:\n    a\n    b",
    becomes("f:\n    if c:\n        a\n        b\n"),
  ],
  ["further right on purpose, or as it is?", "f:\n    a\n    b\n", "a\nb", "    a\n    b", "not_found"],
  ["a depth that both have", "  f {\n    a\n  }\n", "f {\n  a\n}", "  b", "not_found"],
  ["other nesting below a first line cut off", "    a,\n  )\n", "a,\n)", "f(\na,\n)", "not_found"],
];

const spacing: readonly Case[] = [
  ["trailing blanks in the file", "a = 1   \nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 3", becomes("a = 1\nb = 3\n")],
  ["trailing blanks in old", "a = 1\nb = 2\n", "a = 1  \nb = 2  ", "a = 1\nb = 3", becomes("a = 1\nb = 3\n")],
  ["trailing blanks after one line of old", "x\na = 1\ny\n", "a = 1  ", "a = 2", becomes("x\na = 2\ny\n")],
  ["a trailing tab in the file", "a\t\nb\n", "a\nb", "c\nb", becomes("c\nb\n")],
  ["more blanks inside", "x   = 1\ny = 2\n", "x = 1\ny = 2", "x = 3\ny = 2", becomes("x = 3\ny = 2\n")],
  ["fewer blanks inside", "f(a, b)\n", "f(a,  b)", "f(b)", becomes("f(b)\n")],
  [
    "more blanks inside a part of a line",
    "r = f(a,  b) + t\n",
    "f(a, b)",
    "f(a, b, c)",
    becomes("r = f(a, b, c) + t\n"),
  ],
  ["blanks before a comment", "a = 1    # one\n", "a = 1  # one", "a = 2  # two", becomes("a = 2  # two\n")],
  ["two blanks after a full stop", "One.  Two. Three.\n", "One. Two.", "One.", becomes("One. Three.\n")],
  ["blanks that are not there", "x=1\n", "x = 1", "x = 2", "not_found"],
  ["blanks that are missing", "x = 1\n", "x=1", "x=2", "not_found"],
  ["blanks inside a string", 'p("a  b")\n', 'p("a b")', 'p("c")', "not_found"],
  ["blanks inside a string of one quote", "p('a b')\n", "p('a  b')", "p('c')", "not_found"],
  ["blanks inside a template", "p(`a  b`)\n", "p(`a b`)", "p(`c`)", "not_found"],
  ["blanks beside a string", 'p("a b",  1)\n', 'p("a b", 1)', 'p("a b", 2)', becomes('p("a b", 2)\n')],
  ["columns of a table are tabs", "id\tname\n", "id name", "id title", "not_found"],
  ["a word that continues", "foo  barn\n", "foo bar", "x", "not_found"],
  ["an operator that continues", "a ==  1\n", "= 1", "= 2", "not_found"],
  ["a number that continues", "a =  10\n", "a = 1", "a = 2", "not_found"],
  ["a missing blank line", "a\n\nb\n", "a\nb", "x", "not_found"],
  ["an extra blank line", "a\nb\n", "a\n\nb", "x", "not_found"],
  ["a line broken elsewhere", "f(a,\n  b)\n", "f(a, b)", "f(b)", "not_found"],
  ["a blank line before all", "x\na\nb\n", "\n\na\nb", "\n\na\nc", becomes("x\na\nc\n")],
  ["blank lines after all", "a\nb\nc\n", "a\nb\n\n\n", "a\nx\n\n\n", becomes("a\nx\nc\n")],
  ["blank lines around that new does not have", "x\na\nb\n", "\n\na\n\n", "y", "not_found"],
  ["a line end that only old has", "  a\n  b\n", "a\nb\n", "c", "not_found"],
  ["white space alone", "a b\n", "   ", "x", "not_found"],
  ["no-break space", "a\u00a0= 1\nb\n", "a = 1", "a = 2", becomes("a\u00a0= 2\nb\n")],
  [
    "no-break spaces as indentation",
    "\u00a0\u00a0a\n\u00a0\u00a0b\n",
    "  a\n  b",
    "  a\n  c",
    becomes("\u00a0\u00a0a\n\u00a0\u00a0c\n"),
  ],
  ["no-break space in old", "a = 1\n", "a\u00a0= 1", "a\u00a0= 2", becomes("a = 2\n")],
  ["wide Chinese blank", "標題\u3000第一章\n", "標題 第一章", "標題 第二章", becomes("標題\u3000第二章\n")],
  ["form feed", "\fdef f():\n  a \n  b\n", "def f():\n  a\n  b", "def f():\n  c", becomes("\fdef f():\n  c\n")],
  ["blanks and another word", "a  = 1\n", "a = 2", "x", "not_found"],
];

const typography: readonly Case[] = [
  ["curly double quotes", "say(“hello”)\n", 'say("hello")', "shout()", becomes("shout()\n")],
  [
    "curly quotes that stay",
    "He said “no” to her.\n",
    'He said "no" to her.',
    'He said "no" to him.',
    becomes("He said “no” to him.\n"),
  ],
  ["curly quotes around what changes", "say(“hello”)\n", 'say("hello")', 'say("bye")', becomes("say(“bye”)\n")],
  [
    "an apostrophe",
    "// don’t stop\nrun()\n",
    "// don't stop\nrun()",
    "// don't stop\nwalk()",
    becomes("// don’t stop\nwalk()\n"),
  ],
  [
    "an apostrophe in a string",
    "const s = 'Don’t panic';\n",
    "const s = 'Don't panic';",
    "const s = 'Don't panic!';",
    becomes("const s = 'Don’t panic!';\n"),
  ],
  ["curly quotes from the model", "print('a')\n", "print(‘a’)", "print(‘b’)", becomes("print('b')\n")],
  ["curly quotes from the model, straight in new", 'x = "a"\n', "x = “a”", 'x = "b"', becomes('x = "b"\n')],
  ["low quotes", "„Hallo“\n", '"Hallo"', "Hallo", becomes("Hallo\n")],
  ["a part of a line", "  x = “a” + y  # c\n", 'x = "a"', "x = b", becomes("  x = b + y  # c\n")],
  ["a line with new quotes is as given", "say(“a”)\n", 'say("a")', 'say("a", "b")', becomes('say("a", "b")\n')],
  ["quotes in another order", "say(“a”)\n", 'say("a")', 'say("b", "a")', becomes('say("b", "a")\n')],
  ["a pair around something else", "“a” “b”\n", '"a" "b"', 'a "x" b', becomes("a “x” b\n")],
  ["one of two quoted words goes", "“a” and “b”\n", '"a" and "b"', '"b"', becomes("“b”\n")],
  ["an apostrophe stays beside new quotes", "don’t\n", "don't", "don't 'x'", becomes("don’t 'x'\n")],
  ["a line with new quotes beside one without", "“a”\n“b”\n", '"a"\n"b"', '"a"\n"b" "c"', becomes('“a”\n"b" "c"\n')],
  ["curly quotes that only the model has", 'x = "a"\n', "x = “a”", "x = f(“a”, “b”)", "not_found"],
  ["en dash", "pages 3–5\n", "pages 3-5", "pages 3-6", becomes("pages 3–6\n")],
  ["em dash", "value—fallback\n", "value--fallback", "value--default", becomes("value—default\n")],
  ["em dash removed", "a — b\n", "a -- b", "a or b", becomes("a or b\n")],
  ["a hyphen is not an em dash", "a — b\n", "a - b", "x", "not_found"],
  ["figure dash", "555‒0100\n", "555-0100", "555-0199", becomes("555‒0199\n")],
  ["horizontal bar", "― He said\n", "-- He said", "-- She said", becomes("― She said\n")],
  ["an en quad", "a\u2000b c\n", "a b c", "a b d", becomes("a\u2000b d\n")],
  ["a blank that does not break, at the end", "a\u00a0\nb\n", "a\nb", "a\nc", becomes("a\nc\n")],
  [
    "a blank that does not break, in the indentation",
    "\u00a0 a\n\u00a0 b\n",
    "  a\n  b",
    "  a\n  c",
    becomes("\u00a0 a\n\u00a0 c\n"),
  ],
  ["a zero-width blank in the file", "foo\u200bbar\n", "foobar", "x", "not_found"],
  ["a zero-width blank in old", "foobar\n", "foo\u200bbar", "x", "not_found"],
  ["a soft hyphen in the file", "foo\u00adbar\n", "foobar", "x", "not_found"],
  ["$& beside a drifted quote", "say(“a”)\n", 'say("a")', "$& $1 $` \\1 \\n", becomes("$& $1 $` \\1 \\n\n")],
  ["escapes beside a drifted quote stay", "p(“a\\tb”)\n", 'p("a\\tb")', 'p("a\\tc")', becomes("p(“a\\tc”)\n")],
  ["a prime is not a quote", "5′ 10″\n", "5' 10\"", "x", "not_found"],
  ["minus sign", "a = b − 1\n", "a = b - 1", "a = c - 1", becomes("a = c − 1\n")],
  ["ellipsis", "Wait…and go\n", "Wait...and go", "Wait...then go", becomes("Wait…then go\n")],
  ["half an ellipsis", "Wait…\n", "Wait..", "x", "not_found"],
  [
    "composed and decomposed letters",
    "caf\u0065\u0301 ole\n",
    "caf\u00e9 ole",
    "caf\u00e9 noir",
    becomes("caf\u0065\u0301 noir\n"),
  ],
  ["decomposed in old", "caf\u00e9 ole\n", "caf\u0065\u0301 ole", "caf\u0065\u0301 noir", becomes("caf\u00e9 noir\n")],
  ["a letter without its mark", "caf\u00e9\n", "cafe", "x", "not_found"],
  ["Korean in parts", "\u1112\u1161\u11ab글 a\n", "한글 a", "한글 b", becomes("\u1112\u1161\u11ab글 b\n")],
  ["quotes and indentation", "    a(“x”)\n    b()\n", 'a("x")\nb()', 'a("x")\nc()', becomes("    a(“x”)\n    c()\n")],
  ["quotes and CRLF", "a(“x”)\r\nb()\r\n", 'a("x")\nb()', 'a("x")\nc()', becomes("a(“x”)\r\nc()\r\n")],
  ["quotes and trailing blanks", "a(“x”)  \nb\n", 'a("x")\nb', 'a("y")\nb', becomes("a(“y”)\nb\n")],
  [
    "the right depth of two",
    "    say(“a”);\n--\n  say(“a”);\n",
    '    say("a");',
    "    x;",
    becomes("    x;\n--\n  say(“a”);\n"),
  ],
  ["single for double quotes", "say('a')\n", 'say("a")', "x", "not_found"],
  ["a backtick is not a quote", "say(`a`)\n", "say('a')", "x", "not_found"],
  ["angle quotes are others", "«a»\n", '"a"', "x", "not_found"],
  ["a letter that looks like another", "scоpe\n", "scope", "x", "not_found"],
  ["full width punctuation", "f（a）\n", "f(a)", "x", "not_found"],
  ["a word that continues after a quote", "it’sy\n", "it's", "x", "not_found"],
];

const notGuessed: readonly Case[] = [
  ["nothing alike", "a\nb\n", "zebra", "x", "not_found"],
  ["an empty old", "a\n", "", "x", "not_found"],
  ["an empty file", "", "a", "b", "not_found"],
  ["an empty old in an empty file", "", "", "b", "not_found"],
  [
    "another number in the middle",
    "def f():\n    x = 1\n    y = 2\n    return x\n",
    "def f():\n    x = 1\n    y = 9\n    return x",
    "x",
    "not_found",
  ],
  ["a variable of another name", "a = first\nb = first + 1\n", "a = first\nb = second + 1", "x", "not_found"],
  ["a comment that changed", "# old note\nrun()\n", "# new note\nrun()", "walk()", "not_found"],
  ["first and last line alike", "start\none\ntwo\nend\n", "start\nthree\nfour\nend", "x", "not_found"],
  ["one letter", "colour = 1\n", "color = 1", "x", "not_found"],
  ["another case", "Value = 1\n", "value = 1", "x", "not_found"],
  ["a missing line", "a\nb\nc\n", "a\nc", "x", "not_found"],
  ["a line too many", "a\nc\n", "a\nb\nc", "x", "not_found"],
  ["lines in another order", "a\nb\n", "b\na", "x", "not_found"],
  ["a missing semicolon", "a();\nb();\n", "a()\nb()", "x", "not_found"],
  ["a missing comma", "[1, 2]\n", "[1 2]", "x", "not_found"],
  ["another bracket", "f(a)\n", "f[a]", "x", "not_found"],
  ["another operator", "a <= b\n", "a < b", "x", "not_found"],
  ["line ends as two characters", "a\nb\n", "a\\nb", "x", "not_found"],
  ["tabs as two characters", "\ta\n", "\\ta", "x", "not_found"],
  ["quotes with a backslash", 'say("a")\n', 'say(\\"a\\")', "x", "not_found"],
  ["a backslash too many", "a = '\\n'\n", "a = '\\\\n'", "x", "not_found"],
  ["line numbers of a listing", "a = 1\nb = 2\n", "1|a = 1\n2|b = 2", "x", "not_found"],
  ["a diff", "a\nb\n", "-a\n+c\n b", "x", "not_found"],
  ["a code fence around", "a\nb\n", "```\na\nb\n```", "x", "not_found"],
  ["three dots for the lines between", "a\nb\nc\nd\n", "a\n...\nd", "x", "not_found"],
  ["the edit was made before", "return b\n", "return a", "return b", "not_found"],
  ["HTML entities", "a < b\n", "a &lt; b", "x", "not_found"],
  ["a placeholder of redaction", "key = abcdef\n", "key = ***", "x", "not_found"],
];

const everywhere: readonly Case[] = [
  ["all of them", "a b a b a\n", "a", "x", becomes("x b x b x\n")],
  ["overlapping ones from the left", "aaaa\n", "aa", "b", becomes("bb\n")],
  ["an odd one is left", "aaa\n", "aa", "b", becomes("ba\n")],
  ["new holds old", "a a\n", "a", "aa", becomes("aa aa\n")],
  ["$& for all", "a a\n", "a", "$&", becomes("$& $&\n")],
  ["deleting all", "a, b, a\n", "a", "", becomes(", b, \n")],
  ["one only", "a b\n", "a", "x", becomes("x b\n")],
  ["none", "a b\n", "z", "x", "not_found"],
  [
    "exact ones only, drifted ones stay",
    "f(a, b)\nf(a,  b)\nf(a, b)\n",
    "f(a, b)",
    "g()",
    becomes("g()\nf(a,  b)\ng()\n"),
  ],
  [
    "different line ends do not prevent a replacement",
    "a\r\nb\r\n--\r\na\r\nb\r\n",
    "a\nb\n",
    "c\n",
    becomes("c\r\n--\r\nc\r\n"),
  ],
  ["one drifted", "  f(a,  b)\n", "f(a, b)", "g()", becomes("  g()\n")],
  ["several drifted", "f(a,  b)\nf(a,   b)\n", "f(a, b)", "g()", "ambiguous"],
  ["several curly", "“a”\n“a”\n", '"a"', "b", "ambiguous"],
  ["more lines in a CRLF file", "a\r\nb\r\na\r\n", "a", "a\nx", becomes("a\r\nx\r\nb\r\na\r\nx\r\n")],
  ["an empty old", "abc\n", "", "x", "not_found"],
];

const groups = { asGiven, several, lineEnds, indentation, onlyOldDrifted, spacing, typography, notGuessed };

for (const [group, cases] of [...Object.entries(groups), ["everywhere", everywhere] as const]) {
  for (const [name, original, old, replacement, expected] of cases) {
    test(`edit, ${group}: ${name}`, () => {
      const edited = replaceText(original, { old, new: replacement, replaceAll: group === "everywhere" });
      const actual = edited.outcome === "applied" ? becomes(edited.result) : edited.outcome;
      assert.deepEqual(actual, expected);
    });
  }
}
