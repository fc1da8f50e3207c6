import assert from "node:assert/strict";
import { test } from "node:test";

import { valueOptions } from "../../contracts/host/command-line.ts";
import { groups } from "./groups.ts";
import { globalOptions, optionFacts } from "./options.ts";
import { parseLine } from "./parse-line.ts";

function promptOf(...argv: readonly string[]): string | undefined {
  const line = parseLine(argv);
  return line.kind === "command" ? line.input.option("oneshot") : line.kind;
}

test("the argument of -z is the prompt, even the word help or text that starts with a dash", () => {
  assert.equal(promptOf("-z", "help"), "help");
  assert.equal(promptOf("-z", "- one\n- two"), "- one\n- two");
  assert.equal(promptOf("-z", "--verbose does nothing, why?", "--json"), "--verbose does nothing, why?");
  assert.equal(promptOf("-z", "-1 + 1"), "-1 + 1");
});

test("an option in place of a value means that the value is missing", () => {
  assert.equal(promptOf("-z", "--json"), "misunderstood");
  assert.equal(promptOf("-z"), "misunderstood");
  const message = (...argv: readonly string[]) => {
    const line = parseLine(argv);
    return line.kind === "misunderstood" && line.message;
  };
  assert.equal(message("-z"), "-z needs a value.");
  assert.equal(message("chat", "-Qz"), "-z needs a value.");
  assert.equal(message("--oneshot"), "--oneshot needs a value.");
  assert.equal(message("-m", "--json"), "-m needs a value.");
  assert.equal(message("-w=3"), "-w takes no value.");
  assert.equal(message("--worktree=3"), "--worktree takes no value.");
});

test("options of another program without -- give an error that shows the correct line", () => {
  const line = parseLine(["mcp", "add", "x", "--env", "A=1", "npx", "-y", "some pkg"]);
  assert.equal(
    line.kind === "misunderstood" && line.hint,
    "Write -- before the program: hermes mcp add x --env A=1 -- npx -y 'some pkg'",
  );
});

test("help may come before or after its topic", () => {
  for (const argv of [["help", "tools"], ["tools", "help"], ["help"], ["tools", "list", "--help"]])
    assert.equal(parseLine(argv).kind, "help");
});

test("ls and rm are aliases of list and remove unless a command has that name", () => {
  const pathOf = (...argv: readonly string[]) => {
    const line = parseLine(argv);
    return line.kind === "command" ? `${line.command.path.join(" ")} ${line.input.rest("which").join(" ")}` : line.kind;
  };
  assert.equal(pathOf("fallback", "ls"), "fallback list ");
  assert.equal(pathOf("fallback", "rm", "2"), "fallback remove 2");
  assert.equal(pathOf("doctor", "ls"), "misunderstood");
});

test("the option table in src/contracts lists exactly the options that take a value", () => {
  const commands = groups.flatMap((group) => group.commands);
  const declared = [
    ...globalOptions,
    ...commands.flatMap(({ options = [] }) => options.map(({ flags }) => optionFacts(flags))),
  ]
    .filter(({ takesValue, isOptional }) => takesValue && !isOptional)
    .flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
  assert.deepEqual([...valueOptions].toSorted(), [...new Set(declared)].toSorted());
});

test("a command of three words without its last one names the commands that it could be", () => {
  const line = parseLine(["skills", "snapshot"]);
  assert.equal(
    line.kind === "misunderstood" && line.hint,
    "Did you mean hermes skills snapshot export or hermes skills snapshot import?",
  );
});
