import assert from "node:assert/strict";
import { test } from "node:test";

import { policyRig } from "../../../../test/support/policy-rig.ts";
import { ok } from "../../../base/result.ts";
import type { PolicyRequest, Verdict } from "../../../contracts/safety/approval.ts";

/** Every way in which a command can change a file. */
const writers: readonly ((path: string) => string)[] = [
  (path) => `echo x > ${path}`,
  (path) => `echo x >> ${path}`,
  (path) => `echo x | tee ${path}`,
  (path) => `cp a.txt ${path}`,
  (path) => `mv a.txt ${path}`,
  (path) => `touch ${path}`,
  (path) => `sed -i s/a/b/ ${path}`,
  (path) => `install a.txt ${path}`,
  (path) => `rsync a.txt ${path}`,
  (path) => `sort a.txt -o ${path}`,
  (path) => `truncate -s 5 ${path}`,
  (path) => `python3 -c 'open("${path}", "w").write("x")'`,
  (path) => `node -e 'require("fs").writeFileSync("${path}", "x")'`,
  (path) => `perl -pi -e s/a/b/ ${path}`,
  (path) => `bash -c "echo x > ${path}"`,
  (path) => `cd /tmp && cp a.txt ${path}`,
];

const answer = (verdict: Verdict) => (verdict.decision === "allow" ? "allow" : (verdict.cause ?? "none"));

/** Symbolic links of the file system, by their path. */
function linked(links: Readonly<Record<string, string>>): Pick<PolicyRequest, "environment"> {
  const state = { cwd: "/project", path: "", functions: {}, aliases: {}, programs: {} };
  const realPath = async (path: string) => {
    const [from, to] = Object.entries(links).find(([link]) => path === link || path.startsWith(`${link}/`)) ?? [];
    return ok(from === undefined ? path : `${to}${path.slice(from.length)}`);
  };
  // A partial object, because only these two members are used.
  return {
    environment: { state: async () => state, files: { realPath } } as unknown as NonNullable<
      PolicyRequest["environment"]
    >,
  };
}

test("a file gets the same verdict for file tools, redirections, programs and inline code", async () => {
  const places = [
    ["/project/src/new.txt", "allow"],
    ["/tmp/new.txt", "allow"],
    ["/srv/data/new.txt", "no_approver"],
    ["/home/anna/notes.txt", "no_approver"],
    ["/etc/hosts", "no_approver"],
    ["/home/anna/.ssh/authorized_keys", "rule"],
    ["/home/anna/.aws/credentials", "rule"],
    ["/etc/passwd", "rule"],
    ["/home/anna/.hermes/audit/1.jsonl", "rule"],
  ] as const;
  for (const [path, expected] of places) {
    const { decide, run } = policyRig({ settings: { denialLimit: 10_000 } });
    assert.equal(answer(await decide([{ kind: "write", path }], { tool: "write_file" })), expected, path);
    for (const write of writers) assert.equal(answer(await run(write(path))), expected, write(path));
  }
});

test("deny lists apply to the real path, even through a link in the workspace", async () => {
  const links = linked({ "/project/link": "/home/anna/.ssh", "/project/out": "/srv/data" });
  const { run } = policyRig({ settings: { denialLimit: 10_000 } });
  for (const write of writers.slice(0, -1)) {
    assert.equal(answer(await run(write("link/config2"), links)), "rule", write("link/config2"));
    assert.equal(answer(await run(write("out/x"), links)), "no_approver", write("out/x"));
  }
  assert.equal(answer(await run("cat link/id_rsa", links)), "no_approver");
  assert.equal(answer(await run("rm link", links)), "allow");
});

test("reading a secret needs approval, and reading a file of Hermes is denied", async () => {
  const { run } = policyRig({ settings: { denialLimit: 10_000 } });
  assert.equal(answer(await run("cat .env")), "no_approver");
  assert.equal(answer(await run("cat < .env")), "rule");
  assert.equal(answer(await run("cat ~/.hermes/audit/1.jsonl")), "rule");
  assert.equal(answer(await run("cat README.md")), "allow");
});

test("reading the names of variables without their values needs no approval", async () => {
  const { run } = policyRig({ settings: { denialLimit: 10_000 } });
  for (const command of [
    "grep -oE '^(export )?[A-Za-z_][A-Za-z0-9_]*=' .env",
    "grep -o '^[A-Z_]*=' .env",
    "grep -o '^[^=]*=' .env",
    "grep -oP '^\\w+(?==)' .env .env.local",
    "grep -ohE '^[[:alpha:]_][[:alnum:]_]*=' .env | sort",
    "egrep -o '^(OPENAI|GROQ)_API_KEY=' .env",
    "grep -c '^OPENAI_API_KEY=' .env",
    "grep -q ^GROQ_ .env && echo set",
    "cut -d= -f1 .env",
    "cut -d '=' -f 1 config/.env.local | sort",
    "cut -s --delimiter== --fields=1 prod.env",
  ])
    assert.equal(answer(await run(command)), "allow", command);
  for (const command of [
    "cut -d= -f2 .env",
    "cut -d= -f1- .env",
    "cut -d= -f1,2 .env",
    "cut -d: -f1 .env",
    "cut -c1-80 .env",
    "cut -d= -f1 --complement .env",
    "cut -d= -f1 ~/.ssh/id_rsa",
    "grep KEY .env",
    "grep -o 'KEY=.*' .env",
    "grep -o '^[A-Z_]*=.*' .env",
    "grep -oE '^[A-Z_]+=|.*' .env",
    "grep -oE '^[A-Z]+' .env",
    "grep -oE '^\\w+' .env",
    "grep -o '^[^#]*=' .env",
    "grep -oE '^[A-Z=]+=' .env",
    "grep -ov '^[A-Z_]*=' .env",
    "grep -oz '^[A-Z_]*=' .env",
    "grep -o -e '^[A-Z_]*=' -e '.*' .env",
    "grep -o -f patterns '^[A-Z_]*=' .env",
    "grep -oA3 '^[A-Z_]*=' .env",
    "grep '^[A-Z_]*=' .env",
    'grep -o "$PATTERN" .env',
    "grep -c '^KEY=a' .env",
    "grep -c KEY .env",
    "rg -o '^[A-Z_]*=' -r '$0' .env",
  ])
    assert.equal(answer(await run(command)), "no_approver", command);
});

test("the workspace is the folder of the project, not the start folder of the command", async () => {
  const { decide } = policyRig();
  const run = (command: string, cwd: string) => decide([{ kind: "exec", command, cwd, background: false }]);
  assert.equal(answer(await run("touch ../other.txt", "/project/src")), "allow");
  assert.equal(answer(await run("touch new.txt", "/srv")), "no_approver");
});

test("a symbolic link that the script creates is resolved to its target", async () => {
  const { run } = policyRig({ settings: { denialLimit: 10_000 } });
  for (const [command, expected] of [
    ["ln -s ~/.ssh l && echo k >> l/authorized_keys", "rule"],
    ["ln -sfn /srv/data l; cp a.txt l/a.txt", "no_approver"],
    ["ln -s /srv/data/x.txt; echo y > x.txt", "no_approver"],
    ["ln -s ../srv l && ln -s l m && touch m/x", "no_approver"],
    ["ln -st links /srv/data && touch links/data/x", "no_approver"],
    ["ln -s src/a.ts b.ts && echo x > b.ts", "allow"],
    ["ln -s l l; echo x > l", "allow"],
  ] as const)
    assert.equal(answer(await run(command)), expected, command);
});
