// covers: test/fixtures/code
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { pathRule } from "../command/checks/path-rules.ts";
import { judgeCommand } from "../command/judge-command.ts";
import { knownField } from "../command/shell/field.ts";
import type { CodeLanguage } from "./code-judgement.ts";
import { readCode } from "./read-code.ts";

const folder = join(import.meta.dirname, "../../../test/fixtures/code");
const place = { home: "/home/user", workspace: "/home/user/project" };
const start = { cwd: place.workspace, home: place.home, user: "user", functions: {}, aliases: {}, variables: {} };

interface Case {
  readonly language: CodeLanguage;
  readonly code: string;
  readonly asked: boolean;
  readonly rule?: string;
  readonly args?: readonly string[];
}

/** All rules that match the code itself, the files that it uses and the commands that it runs. */
function rulesOf({ language, code, args = [] }: Pick<Case, "language" | "code" | "args">): readonly string[] {
  const { findings, paths, shell, programs } = readCode(language, code, { args });
  const commands = [...shell, ...programs.map((argv) => argv.map(quoteForShell).join(" "))];
  return [
    ...findings.map(({ rule }) => rule),
    ...paths.flatMap(
      ({ how, path, isRecursive }) =>
        pathRule({ kind: "path", how, path: knownField(path), isRecursive }, place.workspace, place) ?? [],
    ),
    ...commands.flatMap((command) => judgeCommand(command, start).findings.map(({ rule }) => rule)),
  ];
}

const files = readdirSync(folder);
const cases = files.flatMap((file) =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter(Boolean)
    // The fixtures are ours and have this form.
    .map((line) => JSON.parse(line) as Case),
);

for (const file of files) {
  test(`code that acts needs approval and code that computes does not: ${file}`, () => {
    const wrong = readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter(Boolean)
      .flatMap((line) => {
        const each = JSON.parse(line) as Case;
        const rules = rulesOf(each);
        const isRight = rules.length > 0 === each.asked && (each.rule === undefined || rules.includes(each.rule));
        return isRight ? [] : [`${each.code}: ${rules.join(", ") || "nothing found"}`];
      });
    assert.deepEqual(wrong, []);
  });
}

test("a shell command inside code is reported with the parts that are known", () => {
  const { shell, programs } = readCode(
    "python",
    "import os, subprocess\nname = 'x'\nos.system('echo ' + name + input())\nsubprocess.run(['git', 'log'])",
  );
  assert.deepEqual(shell, ["echo x\u{10FFFD}"]);
  assert.deepEqual(programs, [["git", "log"]]);
});

test("relative paths start in the folder to which the code changed", () => {
  const { paths } = readCode("python", "import os\nos.chdir('/etc')\nos.remove('passwd')");
  assert.deepEqual(paths, [{ how: "delete", path: "/etc/passwd", isRecursive: false }]);
  const { shell } = readCode("javascript", "require('child_process').execSync('rm -rf .', { cwd: '/' })");
  assert.deepEqual(shell, ["cd '/' && rm -rf ."]);
});

test("the body of a function is analysed with the arguments of its call", () => {
  const { paths } = readCode("python", "def save(p):\n    open(p, 'w').write('x')\nsave('a.txt')\nsave('/etc/hosts')");
  assert.deepEqual(
    paths.map(({ path }) => path),
    ["a.txt", "/etc/hosts"],
  );
  const arrow = readCode("javascript", "const save = (p) => fs.writeFileSync(p, ''); save('a.txt')");
  assert.deepEqual(arrow.paths, [{ how: "write", path: "a.txt", isRecursive: false }]);
});

test("a finding quotes the words that caused it", () => {
  assert.deepEqual(readCode("python", "import os\nprint(1)\nos.system('ls')").findings, [
    { rule: "inline_code", words: "os.system('ls')" },
  ]);
});

test("code that exceeds the size or depth limit is never considered harmless", () => {
  assert.equal(readCode("python", `print(1)\n${"#".repeat(200_000)}`).verdict, "unreadable");
  for (const [language, open, close] of [
    ["python", "(", ")"],
    ["javascript", "[", "]"],
    ["javascript", "(a) => {", "}"],
    ["perl", "(", ")"],
  ] as const) {
    const { verdict } = readCode(language, `${open.repeat(5_000)}1${close.repeat(5_000)}`);
    assert.equal(verdict, "unreadable", `${language} ${open}`);
  }
});

const languages: readonly CodeLanguage[] = [
  ...(["python", "javascript", "perl", "ruby", "php", "lua"] as const),
  ...(["awk", "sed", "vim", "sql", "jq"] as const),
];
const language = fc.constantFrom(...languages);

test("Ruby, PHP, Lua and Vim code needs approval unless it only reads, calculates and prints", () => {
  const plain = [
    ["ruby", "puts 1 + 1"],
    ["ruby", 'puts "rm -rf /"'],
    ["php", "echo PHP_VERSION;"],
    ["php", '$j = json_decode(file_get_contents("a.json"), true); echo $j["name"];'],
    ["lua", "print(2^10)"],
    ["vim", ":q"],
  ] as const;
  for (const [language, code] of plain) assert.equal(readCode(language, code).verdict, "computes", code);
  const others = [
    ["ruby", "puts `id`"],
    ["ruby", 'puts "#{`id`}"'],
    ["ruby", 'puts 1; eval("1")'],
    ["ruby", "File.write('a', 'b')"],
    ["php", 'echo "system"("id");'],
    ["php", '$f = "system"; $f("id");'],
    ["php", 'echo file_get_contents("https://example.com");'],
    ["php", 'echo file_get_contents("ht" . "tps://example.com");'],
    ["lua", 'os.execute("id")'],
    ["vim", ":!id"],
    ["vim", "call system('id')"],
  ] as const;
  for (const [language, code] of others) assert.equal(readCode(language, code).verdict, "unreadable", code);
  assert.deepEqual(readCode("ruby", 'puts File.read("/etc/shadow")').paths, [
    { how: "read", path: "/etc/shadow", isRecursive: false },
  ]);
});

test("analysing any text never throws", () => {
  const pieces = fc.array(fc.oneof(fc.constantFrom(...cases.map(({ code }) => code)), fc.string()), { maxLength: 4 });
  fc.assert(
    fc.property(language, pieces, fc.nat(), (which, list, index) => {
      const text = list.join(" ");
      readCode(which, text);
      readCode(which, text.slice(index % (text.length + 1)));
      readCode(which, text.slice(0, index % (text.length + 1)));
    }),
  );
});

test("analysing any sequence of symbols and words neither throws nor hangs", () => {
  const words = fc.constantFrom(
    ..."( ) [ ] { } ${ @{ #{ ' \" ` ''' \"\"\" / // /* */ # -- \\ \n ; , . :: -> => = == + - * % & | || && ? : ! @ $ ~ << <<A <<<A".split(
      " ",
    ),
    ..."if for in while def lambda function class import from return eval exec system x y 1 0x2 'a' q{ qw( %w[ s/ m/ tr/ f' r\" \u{10FFFD}".split(
      " ",
    ),
  );
  fc.assert(
    fc.property(language, fc.array(words, { maxLength: 60 }), fc.constantFrom("", " "), (which, list, between) => {
      readCode(which, list.join(between));
    }),
  );
});

test("surrounding code does not make a dangerous effect look harmless", () => {
  const acting = cases.filter(
    (each) => each.asked && each.language === "python" && !/["'\n]x$|unterminated/u.test(each.code),
  );
  const harmless = cases.filter(
    (each) => !each.asked && each.language === "python" && !each.code.includes("\u{10FFFD}"),
  );
  fc.assert(
    fc.property(fc.constantFrom(...acting), fc.constantFrom(...harmless), (bad, good) => {
      assert.notEqual(rulesOf({ language: "python", code: `${good.code}\n${bad.code}` }).length, 0);
    }),
  );
});

test("the time to analyse a script grows linearly with its length", async () => {
  const line = "def f(a, b):\n    return [x.strip() for x in open(a).read().split(b) if x]\nprint(f('a.txt', ','))\n";
  const nested = ["a.", "a(", "[x for x in [", "f'{", "x=x+x\n", "not "];
  for (const piece of [line, ...nested]) {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    await assertGrowsLinearly(100_000, (size) => readCode("python", text.slice(0, size)), text.slice(0, 20));
  }
});
