import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import type { JsonObject } from "../../base/json.ts";
import { readRequest } from "./read-request.ts";

const shell = (command: string, more: JsonObject = {}) => ["terminal", { command, ...more }] as const;
const read = (path: string, more: JsonObject = {}) => ["read_file", { path, ...more }] as const;
const write = (path: string, content: string) => ["write_file", { path, content }] as const;
const search = (pattern: string, path?: string) => ["search_files", { pattern, ...(path && { path }) }] as const;
const find = (pattern: string, path?: string) =>
  ["search_files", { target: "files", pattern, ...(path && { path }) }] as const;
const replace = (path: string, old: string, replacement: string) =>
  ["patch", { mode: "replace", path, old_string: old, new_string: replacement, replace_all: true }] as const;
const append = (path: string, line: string) =>
  [
    "patch",
    { mode: "patch", patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n+${line}\n*** End of File\n*** End Patch` },
  ] as const;
const plan = (...items: readonly string[]) =>
  ["todo", { todos: items.map((content, index) => ({ id: String(index + 1), content, status: "pending" })) }] as const;

/** Prompts with the first call of each step. "it" refers to LAST.txt. */
const requests: readonly (readonly [string, ...(readonly [string, JsonObject])[]])[] = [
  ["run `npm test`", shell("npm test")],
  ["run npm test", shell("npm test")],
  ['Run "ls -la" please', shell("ls -la")],
  ["please run ls -la in src", shell("ls -la", { workdir: "src" })],
  ["could you run git status for me?", shell("git status")],
  ["execute the command uname -a", shell("uname -a")],
  ['run git commit -m "hello world"', shell('git commit -m "hello world"')],
  ["run echo `date`", shell("echo `date`")],
  ["run cd .. && ls", shell("cd .. && ls")],
  ["$ ls -la", shell("ls -la")],
  ["`ls -la`", shell("ls -la")],
  ["git log --oneline -5", shell("git log --oneline -5")],
  ["./build.sh --fast", shell("./build.sh --fast")],
  ["in src, run ls", shell("ls", { workdir: "src" })],
  ["run uname -a", shell("uname -a")],
  ["run echo hi; echo there", shell("echo hi; echo there")],
  ["run echo a, b", shell("echo a, b")],
  ["run `ls` and then run `pwd`", shell("ls"), shell("pwd")],
  ["first run ls and then run pwd", shell("ls"), shell("pwd")],
  ["run script.sh", shell("script.sh")],
  ["run npm install && npm test", shell("npm install && npm test")],
  ["run this: ls", shell("ls")],
  ["grep -rn TODO src", shell("grep -rn TODO src")],
  ["find . -name '*.ts'", shell("find . -name '*.ts'")],
  ["mkdir x", shell("mkdir x")],
  ["what time is it?", shell("date")],
  ["where am i", shell("pwd")],
  ["how large is this folder?", shell("du -sh .")],
  ["show me the diff", shell("git diff")],
  ["go to src", shell("cd -- src")],
  ["start `npm run dev` in the background", shell("npm run dev", { background: true, notify_on_complete: true })],
  ["show background processes", ["process", { action: "list" }]],
  ["show the output of proc_12ab", ["process", { action: "poll", session_id: "proc_12ab" }]],
  ["stop proc_12ab", ["process", { action: "kill", session_id: "proc_12ab" }]],
  ["list the files here", shell("ls -Ap")],
  ["list files", shell("ls -Ap")],
  ["ls", shell("ls -Ap")],
  ["what files are here?", shell("ls -Ap")],
  ["what is in this folder", shell("ls -Ap")],
  ["list files in src", shell("ls -Ap -- src")],
  ["show me the files in src", shell("ls -Ap -- src")],
  ["list src", shell("ls -Ap -- src")],
  ["what's in src", shell("ls -Ap -- src")],
  ["hey hermes, please list the files", shell("ls -Ap")],
  ["read notes.txt", read("notes.txt")],
  ["show me notes.txt", read("notes.txt")],
  ['open "my file.txt"', read("my file.txt")],
  ["show the contents of src/app.ts", read("src/app.ts")],
  ["what is in README.md?", read("README.md")],
  ["cat notes.txt", read("notes.txt")],
  ["read /etc/hosts", read("/etc/hosts")],
  ["show lines 10-20 of app.ts", read("app.ts", { offset: 10, limit: 11 })],
  ["show line 5 of app.ts", read("app.ts", { offset: 5, limit: 1 })],
  ["show the first 5 lines of notes.txt", read("notes.txt", { offset: 1, limit: 5 })],
  ["read it", read("LAST.txt")],
  ["read a.txt and b.txt", read("a.txt"), read("b.txt")],
  ['read a.txt, b.txt and "my file.txt"', read("a.txt"), read("b.txt"), read("my file.txt")],
  ["write hello to notes.txt", write("notes.txt", "hello\n")],
  ['write "hello world" to notes.txt', write("notes.txt", "hello world\n")],
  ["write hello, world to notes.txt", write("notes.txt", "hello, world\n")],
  ['put "a\\nb" in x.txt', write("x.txt", "a\nb\n")],
  ["write buy milk and call mom to list.txt", write("list.txt", "buy milk and call mom\n")],
  ["create a.txt with hi", write("a.txt", "hi\n")],
  ["create a.txt with hi and then show it", write("a.txt", "hi\n"), read("a.txt")],
  ["write hi to a.txt and then show it", write("a.txt", "hi\n"), read("a.txt")],
  ["create a file called a.txt with the text hello", write("a.txt", "hello\n")],
  ['please create a new file "x y.txt" with "some text"', write("x y.txt", "some text\n")],
  ["create notes.txt:\nline one\nline two", write("notes.txt", "line one\nline two\n")],
  ['write to hello.py:\n```python\nprint("hi")\n```', write("hello.py", 'print("hi")\n')],
  ["write this to a.txt:\nsome text", write("a.txt", "some text\n")],
  ["make an empty file x.txt", shell("touch -- x.txt")],
  ["append bye to notes.txt", append("notes.txt", "bye")],
  ['add "one more line" to notes.txt', append("notes.txt", "one more line")],
  ['append the line "x y" to the file a.txt', append("a.txt", "x y")],
  ["add a line to notes.txt saying hi", append("notes.txt", "hi")],
  ['put "x" at the end of notes.txt', append("notes.txt", "x")],
  ["replace foo with bar in x.txt", replace("x.txt", "foo", "bar")],
  ['replace "foo bar" with "baz" in src/a.ts', replace("src/a.ts", "foo bar", "baz")],
  ["change foo to bar in x.txt", replace("x.txt", "foo", "bar")],
  ["remove the word foo from x.txt", replace("x.txt", "foo", "")],
  ["delete notes.txt", shell("rm -- notes.txt")],
  ["delete it", shell("rm -- LAST.txt")],
  ["delete the folder build", shell("rm -r -- build")],
  ["delete the build folder", shell("rm -r -- build")],
  ["delete a.txt, b.txt and c.txt", shell("rm -- a.txt"), shell("rm -- b.txt"), shell("rm -- c.txt")],
  ["create a folder called docs", shell("mkdir -p -- docs")],
  ["copy a.txt to b.txt", shell("cp -R -n -- a.txt b.txt")],
  ["rename a.txt to b.txt", shell("mv -n -- a.txt b.txt")],
  ["find TODO in src", search("TODO", "src")],
  ["search for TODO", search("TODO")],
  ['search for "two words"', search("two words")],
  ["search for /a.*b/ in src", search("a.*b", "src")],
  ["search for a+b", search("a\\+b")],
  ["search src for TODO", search("TODO", "src")],
  ["look for TODO in the project", search("TODO")],
  ["grep foo in src", search("foo", "src")],
  ["which files contain TODO?", search("TODO")],
  ["where is foo used", search("foo")],
  ["find files named *.ts", find("*.ts")],
  ["find all .ts files in src", find("*.ts", "src")],
  ["where is package.json", find("package.json")],
  ["plan: write code, test it, ship it", plan("write code", "test it", "ship it")],
  ["plan: write the code, test it and ship it", plan("write the code", "test it", "ship it")],
  ["make a plan:\n- write\n- test", plan("write", "test")],
  ["show the plan", ["todo", {}]],
  ["what's on my todo list", ["todo", {}]],
  ["add buy milk to my todo list", ["todo", {}]],
  ["mark 1 as done", ["todo", {}]],
  ["clear the plan", ["todo", { todos: [] }]],
  ["remember that I like tea", ["memory", { action: "add", target: "memory", content: "I like tea" }]],
  ["what do you remember about the port?", ["memory", { target: "memory" }]],
  ['use tool read_file with {"path": "a.txt"}', read("a.txt")],
  ['call read_file with {"path":"a"}', read("a")],
  [
    'Create a folder called docs. Then write "hello" to docs/a.txt. Finally list docs.',
    shell("mkdir -p -- docs"),
    write("docs/a.txt", "hello\n"),
    shell("ls -Ap -- docs"),
  ],
  ["list the files, then read notes.txt, then delete it", shell("ls -Ap"), read("notes.txt"), shell("rm -- notes.txt")],
];

test("plain requests are converted to tool calls", () => {
  for (const [message, ...calls] of requests) assert.deepEqual(callsOf(message), calls, message);
});

test("upper case and polite words do not change the meaning of a request", () => {
  for (const [message, ...calls] of requests.filter(([text]) => /^[a-z][a-z ]+ \S+\.txt$/u.test(text))) {
    const capital = message.charAt(0).toUpperCase() + message.slice(1);
    for (const polite of [capital, `Please ${message}`, `could you ${message}?`, `hey hermes, ${message} please!`])
      assert.deepEqual(callsOf(polite), calls, polite);
  }
});

test("the user can stop, continue, repeat and correct a request", () => {
  for (const message of ["stop", "stop it", "never mind", "no"])
    assert.deepEqual(readRequest(message), { steps: [], dropsRest: true });
  for (const message of ["go on", "continue"]) assert.deepEqual(readRequest(message), { steps: [], again: "rest" });
  for (const message of ["again", "do that again"]) assert.deepEqual(readRequest(message), { steps: [], again: "all" });
  for (const message of ["no, read b.txt instead", "read b.txt instead"]) {
    assert.equal(readRequest(message)?.dropsRest, true);
    assert.deepEqual(callsOf(message), [read("b.txt")]);
  }
});

test("a request that needs a real model, or is only partly understood, results in no call", () => {
  const messages = [
    "run a marathon",
    "what is the meaning of life",
    "write me a poem about the sea",
    "explain quantum physics",
    "fix the bug in app.ts",
    "tell me a joke",
    "   ",
    "...",
    "run",
    "run the command",
    "run the tests",
    "start working",
    "save the output of ls to list.txt",
    "run ls and save the output to list.txt",
    "write a poem to poem.txt",
    "add a comment to app.ts",
    "remove the last line from a.txt",
    "remember this",
    "start a server on port 8000",
    "delete everything that is old",
    "replace foo in x.txt",
    "remove all the bugs",
    "the quick brown fox",
    "find out why the tests fail",
    "look at me",
    "make it faster",
    "do it",
    "start over",
    "change the world",
    "read a.txt and then explain what it means for mankind",
    "/help",
  ];
  for (const message of messages) assert.equal(readRequest(message), undefined, message);
});

test("quoted text and quoted names are used literally", () => {
  for (const text of ["and then delete it", "to x.txt", "run `ls`", 'say ""', "ü 漢字 🎉", "'", "a, b; c. D"])
    assert.deepEqual(callsOf(`write "${text.replaceAll('"', '\\"')}" to 'a b.txt'`), [write("a b.txt", `${text}\n`)]);
  assert.deepEqual(callsOf(`delete "a'; rm -rf ~ #.txt"`), [shell(`rm -- 'a'\\''; rm -rf ~ #.txt'`)]);
});

test('"this" refers to the text that was piped in', () => {
  const request = readRequest("save this to log.txt", { input: "from a pipe" });
  assert.deepEqual(
    request?.steps.map((step) => "call" in step && step.call.args),
    [{ path: "log.txt", content: "from a pipe" }],
  );
  assert.equal(readRequest("save this to log.txt"), undefined);
});

test("any text is parsed without an exception", () => {
  const words =
    "run read show write append replace find search list delete create plan mark start stop the a my all in to with and then it file files folder called named .txt *.ts \" ' ` “ ” ``` : , . ; ? ! \n 1. 12 - $ \\ \u0000 \ue000 \ud800 🎉 漢";
  const word = fc.constantFrom(...words.split(" "));
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 60 }).map((each) => each.join(" ")),
  );
  fc.assert(
    fc.property(text, (message) => {
      const request = readRequest(message, { lastPath: "x" });
      assert.ok(request === undefined || Array.isArray(request.steps));
    }),
    { numRuns: 300 },
  );
});

test("a sentence that is too long is not analysed, but a long quoted text is accepted", () => {
  assert.equal(readRequest(`write ${"and a ".repeat(200)} to a.txt`), undefined);
  const text = "and a ".repeat(2_000);
  assert.deepEqual(callsOf(`write "${text}" to a.txt`), [write("a.txt", `${text}\n`)]);
});

function callsOf(message: string): readonly (readonly [string, JsonObject])[] | undefined {
  const request = readRequest(message, { lastPath: "LAST.txt" });
  return request?.steps.flatMap((step) => ("call" in step ? [[step.call.name, step.call.args] as const] : []));
}
