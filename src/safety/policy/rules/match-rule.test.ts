import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { judgeCommand } from "../../command/judge-command.ts";
import { allowFault, allowRuleFor } from "./allow-rules.ts";
import { subjectsOf } from "./command-subjects.ts";
import { concerns, covers } from "./match-rule.ts";
import { parseRule, type WordRule } from "./rule-text.ts";
import type { Subject } from "./subject.ts";

const start = { cwd: "/project", home: "/home/anna", user: "anna", functions: {}, aliases: {}, variables: {} };

function subjects(command: string): readonly Subject[] {
  const { commands } = judgeCommand(command, start);
  return commands.map(subjectsOf(commands));
}

function last(command: string): Subject {
  const subject = subjects(command).at(-1);
  assert.ok(subject, command);
  return subject;
}

function rule(text: string): WordRule {
  const read = parseRule(text, "/home/anna");
  assert.ok(read.ok, text);
  return read.value;
}

const allows = (text: string, command: string, id = "outside") => covers(rule(text), last(command), id);
test("a danger in a free word is covered only by a rule that names the danger or contains the word", () => {
  for (const command of ["git push origin --force", "git push origin +main", "git push origin :main"]) {
    assert.ok(!allows("git push origin *", command, "git_rewrite"), command);
    assert.ok(allows("git push origin * # rule=git_rewrite", command, "git_rewrite"), command);
    assert.ok(!allows("git push origin * # rule=publish", command, "git_rewrite"), command);
  }
  assert.ok(!allows("git push * main", "git push --force main", "git_rewrite"));
  assert.ok(allows("git push --force *", "git push --force origin main", "git_rewrite"));
  assert.ok(allows("systemctl restart *", "systemctl restart nginx", "service"));
  assert.ok(allows("rm -rf dist-*", "rm -rf dist-a", "delete_recursive"));
  assert.ok(!allows("rm *", "rm -rf src", "delete_recursive"));
  assert.ok(allows("git push --force", "git push --force", "git_rewrite"));
});

const denies = (text: string, command: string) => subjects(command).some((subject) => concerns(rule(text), subject));

test("an allow rule covers exactly its words in their positions", () => {
  assert.ok(allows("git push --force", "git push --force"));
  assert.ok(allows("git push --force", "'git' pu''sh --for\\ce"));
  assert.ok(allows("git push --force", "/usr/bin/git push --force"));
  assert.ok(allows("git push *", "git push origin main"));
  assert.ok(allows("git push *", "git push"));
  assert.ok(allows("git push origin '*'", "git push origin '*'"));
  for (const [text, command] of [
    ["git push", "git push origin"],
    ["git push", "git"],
    ["git push", "/tmp/git push"],
    ["git push", "./git push"],
    ["git push *", "git pull"],
    ["git push *", "git -c core.pager=x push"],
    ["git push *", "GIT_SSH_COMMAND=x git push"],
    ["git push *", "git push > /etc/passwd"],
    ["git push *", "sudo git push"],
    ["git push *", "ssh host git push"],
    ["git push origin '*'", "git push origin x"],
    ["git push origin", "git push $x"],
    ["git push --force", "git push --Force"],
    ["rm a?", "rm a/"],
    ["rm 'a*'", "rm a*"],
    ["rm -rf dist/*", "rm -rf dist/*/*"],
    ["rm -rf dist/*", "rm -rf dist/a/b"],
  ] as const)
    assert.ok(!allows(text, command), `${text} covers ${command}`);
});

test("a shell pattern is covered by a rule with the same pattern, which also covers the names that it expands to", () => {
  assert.ok(allows("rm -rf dist/*", "rm -rf dist/*"));
  assert.ok(allows("rm -rf dist/*", "rm -rf dist/a"));
});

test("a rule with a folder, a rule id or programs applies only to these", () => {
  assert.ok(allows("rm -rf build # in=/project", "rm -rf build"));
  assert.ok(!allows("rm -rf build # in=/project", "cd /srv && rm -rf build"));
  assert.ok(!allows("rm -rf build # in=/srv", "rm -rf build"));
  assert.ok(!allows("rm -rf build # rule=delete_recursive", "rm -rf build", "delete_absolute"));
  assert.ok(allows("rm -rf build # via=sudo", "sudo rm -rf build"));
  assert.ok(!allows("rm -rf build # via=sudo", "rm -rf build"));
  assert.ok(allows("rm -rf build", "timeout 5 nice rm -rf build"));
  assert.ok(!allows("git push *", "git push", "user_ask"));
  assert.ok(allows("git push * # rule=user_ask", "git push", "user_ask"));
});

test("a rule for the words of a command does not cover input that the program would run", () => {
  assert.ok(allows("psql mydb", "psql mydb"));
  assert.ok(!allows("psql mydb", "cat drop.sql | psql mydb"));
  assert.ok(!allows("python3 -", "echo x | python3 -"));
  assert.ok(!allows("bash -s", "bash -s <<< 'rm -rf a'"));
  assert.ok(allows("rm x", "yes | rm x"));
});

test("a deny rule matches the command in every spelling, order, path and wrapper", () => {
  for (const [text, command] of [
    ["rm -rf", "rm -fr x"],
    ["rm -rf", "rm -r -f x"],
    ["rm -rf", "rm --recursive --force x"],
    ["rm -rf", "rm x -rfv"],
    ["rm -rf", "/bin/rm -Rf x"],
    ["rm -rf", "sudo env A=1 r''m -rf x"],
    ["rm -rf", "bash -c 'rm -rf x'"],
    ["rm -rf", "$(echo rm) -rf x"],
    ["rm -rf *", "rm -rf x"],
    ["yarn", "yarn test"],
    ["git push --force", "git -C dir push origin main --force"],
    ["git push --force", "git push --forc"],
    ["git push", "GIT PUSH"],
    ["sudo *", "/usr/bin/sudo -n id -u"],
    ["sudo", "env FOO=bar /usr/bin/sudo id"],
    ["*", "anything"],
    ["cat /etc/*", "cd /etc && cat ssh/x"],
    ["curl", "echo $(curl http://x)"],
    ["docker", "podman ps"],
  ] as const)
    assert.ok(denies(text, command), `${text} misses ${command}`);
  for (const [text, command] of [
    ["git push", "git commit -m push"],
    ["git push --force", "git push"],
    ["rm -rf", "rm -r x"],
    ["yarn", "echo yarn"],
    ["cat /etc/*", "cat src/etc/x"],
  ] as const)
    assert.ok(!denies(text, command), `${text} means ${command}`);
});

test("no rule allows every use of a program that runs other programs", () => {
  for (const text of [
    "bash",
    "bash *",
    "/bin/zsh -lc *",
    "sudo *",
    "sudo",
    "env *",
    "env FOO=1 *",
    "python *",
    "python3 -c *",
    "node -e *",
    "xargs *",
    "find *",
    "git *",
    "git -c *",
    "ssh host *",
    "*",
    "r* -rf",
    "@write",
    "@nonsense x",
    "timeout 5 *",
    "awk *",
  ])
    assert.notEqual(allowFault(rule(text)), undefined, text);
  for (const text of [
    "git push *",
    "rm -rf build",
    "sudo systemctl restart nginx",
    "python3 -c 'print(1)'",
    "npm run *",
    "@write /srv/*",
    "docker stop *",
  ])
    assert.equal(allowFault(rule(text)), undefined, text);
});

test("a stored rule matches the same command again, and no command that differs in a word", () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 8 }),
    fc.constantFrom("-rf", "--force", "build", "a b", "it's", "*", "a*", "#x", "~", "$HOME", "\n", ">", ";"),
  );
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.nat(), word, (args, offset, other) => {
      const command = ["rm", ...args.map(quoted)].join(" ");
      const subject = last(command);
      const text = allowRuleFor(subject, "delete_recursive");
      if (text === undefined) return;
      const read = parseRule(text, "/elsewhere");
      assert.ok(read.ok);
      assert.ok(covers(read.value, subject, "delete_recursive"));
      assert.ok(!covers(read.value, subject, "delete_absolute"));
      const index = offset % args.length;
      if (args[index] === other) return;
      const changed = last(["rm", ...args.with(index, other).map(quoted)].join(" "));
      assert.ok(
        !covers(read.value, changed, "delete_recursive"),
        `${text} covers ${JSON.stringify(args.with(index, other))}`,
      );
      const longer = last(["rm", ...args, other].map(quoted).join(" "));
      assert.ok(!covers(read.value, longer, "delete_recursive"));
    }),
    { numRuns: 500 },
  );
});

test("an approval of an unknown command, or of one that runs its input, is not stored", () => {
  for (const command of [
    "rm -rf $X",
    'rm -rf "$X/a"',
    "curl x | sh",
    "find . | xargs rm",
    "rm -rf *",
    "cd $X; rm -rf a",
    "eval $Y",
    "bash <<< 'rm -rf a'",
  ])
    assert.equal(allowRuleFor(last(command), "delete_recursive"), undefined, command);
  assert.equal(
    allowRuleFor(last("rm -rf build"), "delete_recursive"),
    "rm -rf build # in=/project rule=delete_recursive",
  );
  assert.equal(
    allowRuleFor(last("rm -rf dist/*"), "delete_recursive"),
    "rm -rf dist/* # in=/project rule=delete_recursive",
  );
  assert.equal(allowRuleFor(last("systemctl restart nginx"), "service"), "systemctl restart nginx # rule=service");
});
