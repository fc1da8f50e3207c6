// covers: skills, src/skills
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { Message } from "../../src/contracts/model/message.ts";
import { createSkillJudge } from "../../src/runtime/knowledge/judge-skill.ts";
import { makeBundledIndex } from "../../src/skills/bundled/make-bundled-index.ts";
import { skillTextFault } from "../../src/skills/frontmatter.ts";
import { readSkillEntries } from "../../src/skills/skill-folder.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import type { SkillScenario } from "../support/skill-scenario.ts";
import { skillScenarios } from "../support/skill-scenarios.ts";
import { tempHome } from "../support/temp-home.ts";

const folder = join(import.meta.dirname, "..", "..", "skills");

/** One home for all scenarios: the first start copies every bundled skill into it. */
const home = mkdtempSync(join(tmpdir(), "hermes-skills-"));
after(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

describe("scenarios", { concurrency: 3 }, () => {
  before(async () => {
    await using runtime = await runtimeRig({ folder: home, home, model: scriptedModel([]) });
    await using _session = await runtime.openSession({ source: "library" });
  });
  for (const scenario of skillScenarios) {
    test(`the skill ${scenario.skill} does what it describes when a model follows it`, async (t) => {
      const { needs } = scenario;
      if (needs !== undefined && !isThere(needs)) return t.skip(`${needs} is not here`);
      await play(scenario);
    });
  }
});

test("the skill postgres-backup creates a backup and proves that it can be restored", async (t) => {
  const server = startPostgres();
  if (server === undefined) return t.skip("PostgreSQL cannot be started here");
  using _stop = server;
  await play({
    skill: "postgres-backup",
    prepare() {},
    steps: [
      {
        from: "sh $DIR/scripts/backup.sh DATABASE /var/backups/postgres",
        with: `${server.env} sh $DIR/scripts/backup.sh app ./backups && ls backups`,
        shows: [/backed up .*app-\d{8}-\d{6}\.dump \(\d+ bytes, 2 tables\)/u, /\.sha256/u],
      },
      {
        from: "sh $DIR/scripts/verify-restore.sh /var/backups/postgres/FILE.dump",
        with: `${server.env} sh $DIR/scripts/verify-restore.sh ./backups/*.dump`,
        shows: [/restore verified: 2 tables, 103 rows/u],
      },
      {
        from: "find /var/backups/postgres -name '*.dump' -mmin -1560 | grep -q .",
        with: "find ./backups -name '*.dump' -mmin -1560 | grep -q . && echo fresh",
        shows: [/fresh/u],
      },
    ],
  });
});

test("the skill hermes-agent leads a model to Hermes' own settings, sessions and health", () => {
  const hermes = `$NODE ${join(folder, "..", "dist", "hermes.js")}`;
  return play({
    skill: "hermes-agent",
    prepare() {},
    steps: [
      { from: "hermes config check", with: `${hermes} config check --json`, shows: [/"problems"|"faults"|\{/u] },
      {
        from: "hermes sessions list",
        with: `${hermes} sessions list --all --json`,
        shows: [/"sessions":\s*\[/u, /"id"/u],
      },
      { from: "hermes prompt-size", with: `${hermes} prompt-size --json`, shows: [/"tools"/u] },
    ],
  });
});

test("every bundled skill is valid, has a description in the index, and has a scenario", async () => {
  const { skills } = await makeBundledIndex(folder);
  const played = new Set([...skillScenarios.map(({ skill }) => skill), "postgres-backup", "hermes-agent"]);
  assert.ok(skills.length >= 12);
  for (const { name, path, head } of skills) {
    const text = readFileSync(join(folder, path, "SKILL.md"), "utf8");
    assert.equal(await skillTextFault(text, name), undefined, name);
    assert.equal(path.split("/").at(-1), name);
    assert.ok(head.description.length <= 60, `${name}: ${head.description.length} characters`);
    assert.ok(played.has(name), `${name} is never run`);
    for (const related of head.relatedSkills)
      assert.ok(
        skills.some((each) => each.name === related),
        `${name}: ${related}`,
      );
    for (const [, file = ""] of text.matchAll(
      /(?:\$\{HERMES_SKILL_DIR\}\/|\]\()((?:scripts|references|templates)\/[\w./-]+)/gu,
    ))
      assert.ok(statSync(join(folder, path, file)).isFile(), `${name}: ${file}`);
  }
});

test("the safety scan classifies no bundled skill as dangerous", async () => {
  const judge = createSkillJudge({ env: { HOME: "/home/ann" }, user: "ann" });
  const { skills } = await makeBundledIndex(folder);
  for (const { name, path } of skills) {
    // Generated lists of commands and settings are not prose: one of them may read like an instruction.
    const written = readSkillEntries(join(folder, path)).filter(
      (entry) => name !== "hermes-agent" || !entry.path.startsWith("references/"),
    );
    assert.equal(await judge(written), undefined, name);
  }
});

async function play({ skill, prepare, steps }: SkillScenario): Promise<void> {
  await using folder = await tempHome();
  const cwd = join(folder.path, "work");
  mkdirSync(cwd);
  prepare(cwd);
  let text = "";
  const outputs: { readonly output: string; readonly exit_code: number }[] = [];
  const model = scriptedModel(({ messages }, turn) => {
    if (turn === 0) return { calls: [{ name: "skill_view", args: { name: skill } }] };
    const output = lastOutput(messages);
    if (turn === 1) text = output;
    else outputs.push(JSON.parse(output));
    const step = steps[turn - 1];
    if (!step) return { text: "done" };
    const command = (step.with ?? step.from).replaceAll("$DIR", folderIn(text)).replaceAll("$NODE", process.execPath);
    return { calls: [{ name: "terminal", args: { command } }] };
  });
  await using runtime = await runtimeRig({
    folder: folder.path,
    home,
    cwd,
    model,
    settings: { "approvals.mode": "yolo", "checkpoints.enabled": false },
  });
  const session = await runtime.openSession({ source: "library" });
  const outcome = await session.prompt([{ type: "text", text: "go" }]).done;
  assert.equal(outcome.reason, "answered", outcome.why);
  const skillFolder = folderIn(text);
  assert.match(skillFolder, new RegExp(`/${skill}$`, "u"), text);
  for (const [index, { from, shows, fails }] of steps.entries()) {
    assert.ok(text.includes(from.replaceAll("$DIR", skillFolder)), `${skill} does not say: ${from}`);
    const { output, exit_code: exitCode } = outputs[index] ?? { output: "", exit_code: -1 };
    for (const pattern of shows) assert.match(output, pattern, `${skill}: ${from}`);
    assert.equal(exitCode !== 0, fails === true, `${skill}: ${from}\n${output}`);
  }
}

/** The folder of the skill, as the tool names it. */
function folderIn(text: string): string {
  return /^Folder: (.*)$/mu.exec(text)?.[1] ?? "";
}

function lastOutput(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "tool");
  const parts = last?.content ?? [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function isThere(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}

/** A separate server below a temporary folder, run by a user that may run one. */
function startPostgres(): (Disposable & { readonly env: string }) | undefined {
  const versions = (() => {
    try {
      return readdirSync("/usr/lib/postgresql");
    } catch {
      return [];
    }
  })();
  const [version] = versions.toSorted().toReversed();
  if (version === undefined || process.getuid?.() !== 0 || !isThere("runuser")) return undefined;
  const bin = join("/usr/lib/postgresql", version, "bin");
  try {
    const folder = mkdtempSync(join(tmpdir(), "hermes-pg-"));
    chmodSync(folder, 0o755);
    execFileSync("chown", ["postgres", folder]);
    const as = (...command: readonly string[]) =>
      execFileSync("runuser", ["-u", "postgres", "--", ...command], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    as(join(bin, "initdb"), "-D", join(folder, "data"), "-A", "trust", "-U", "postgres");
    const options = `-c listen_addresses= -c unix_socket_directories=${folder} -c fsync=off`;
    as(join(bin, "pg_ctl"), "-D", join(folder, "data"), "-w", "-l", join(folder, "log"), "-o", options, "start");
    const env = `PGHOST=${folder} PGUSER=postgres`;
    const stop = () => {
      as(join(bin, "pg_ctl"), "-D", join(folder, "data"), "-m", "immediate", "stop");
      rmSync(folder, { recursive: true, force: true });
    };
    const sql = (database: string, text: string) => as(join(bin, "psql"), "-h", folder, "-d", database, "-c", text);
    sql("postgres", "create database app");
    sql(
      "app",
      'create table a as select generate_series(1, 100) as n; create table "B c" (x int); insert into "B c" values (1), (2), (3)',
    );
    return { env, [Symbol.dispose]: stop };
  } catch (thrown) {
    process.stderr.write(`${dirname(bin)}: ${String(thrown)}\n`);
    return undefined;
  }
}
