import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

async function scene(files: Readonly<Record<string, string>>) {
  const folder = await tempHome();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const home = join(folder.path, "home");
  await mkdir(home, { mode: 0o700 });
  return {
    path: folder.path,
    home,
    run: (...args: string[]) => hermes(args, { home, env: { HOME: folder.path }, cwd: folder.path }),
    read: (path: string) => readFile(join(home, path), "utf8"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const skill = (name: string) => `---\nname: ${name}\ndescription: Reviews.\n---\n\nRead the diff.\n`;

const claude = {
  ".claude/CLAUDE.md": "Always answer in English.\n",
  ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews code\ntools: Read, Grep\n---\nReview it.\n",
  ".claude/commands/git/commit.md": "---\ndescription: Write a commit\n---\nCommit $ARGUMENTS\n",
  ".claude/skills/review/SKILL.md": skill("review"),
  ".claude/skills/review/scripts/run.sh": "echo hi\n",
  ".claude/settings.json": JSON.stringify({
    permissions: { deny: ["Bash(git push --force:*)", "Read(./.env)"], allow: ["Bash(rm:*)"] },
    env: { ANTHROPIC_API_KEY: "sk-ant-secret-000000000000" },
  }),
  ".claude.json": JSON.stringify({ mcpServers: { docs: { url: "https://docs.example.test/mcp" } } }),
};

test("an import from Claude Code shows a plan, then imports instructions, agents, prompts, skills, deny rules and servers; a second run finds nothing to import", async () => {
  await using at = await scene(claude);
  const dry = await at.run("import", "claude-code", "--dry-run");
  assert.match(dry.out, /\+ instructions \(CLAUDE\.md\) → .*SOUL\.md/u);
  assert.match(dry.out, /- 1 allowed commands/u);
  assert.match(dry.out, /\+ MCP server docs/u);
  assert.deepEqual(await readdir(at.home), [], "a dry run writes nothing");
  assert.equal((await at.run("import", "claude-code")).code, 2, "without a terminal it needs --yes");
  const done = await at.run("import", "claude-code", "--yes");
  assert.equal(done.code, 0, done.err);
  assert.match(await at.read("SOUL.md"), /Always answer in English\./u);
  assert.match(await at.read("agents/reviewer.md"), /Review it\./u);
  assert.match(await at.read("skills/git-commit/SKILL.md"), /^---\nname: git-commit\n[^]*Commit \$ARGUMENTS/u);
  assert.equal(await at.read("skills/review/scripts/run.sh"), "echo hi\n");
  const config = await at.read("config.yaml");
  assert.match(config, /git push --force/u);
  assert.match(config, /docs\.example\.test/u);
  assert.doesNotMatch(config, /rm\b|sk-ant/u);
  assert.equal((await at.run("config", "check")).code, 0);
  assert.match((await at.run("skills", "list")).out, /git-commit/u);
  assert.match((await at.run("agents", "list")).out, /reviewer/u);
  assert.match((await at.run("import", "claude-code", "--yes")).out, /nothing to import/u);
});

test("an import keeps a copy of replaced files, and on request keeps both skills", async () => {
  await using at = await scene({ ...claude, "home2/x": "" });
  await writeFile(join(at.home, "SOUL.md"), "mine");
  await mkdir(join(at.home, "skills", "review"), { recursive: true });
  await writeFile(join(at.home, "skills", "review", "SKILL.md"), skill("review").replace("Reviews.", "Mine."));
  await at.run("import", "claude-code", "--yes", "--skill-conflict", "rename");
  assert.equal(await at.read("SOUL.md"), "mine");
  assert.match(await at.read("skills/review-2/SKILL.md"), /^name: review-2$/mu);
  await at.run("import", "claude-code", "--yes", "--overwrite");
  assert.match(await at.read("SOUL.md"), /Always answer/u);
  const copy = (await readdir(at.home)).find((name) => name.startsWith("SOUL.md.before-import-"));
  assert.equal(copy && (await at.read(copy)), "mine");
  assert.equal((await at.run("import", "claude-code", "--skill-conflict", "eat")).code, 2);
});

test("an import from Codex takes AGENTS.md, prompts, and only those settings that make approvals stricter", async () => {
  await using at = await scene({
    ".codex/AGENTS.md": "Use tabs.\n",
    ".codex/prompts/fix.md": "# Fix it\nFix $1\n",
    ".codex/config.toml": 'model = "gpt-5"\napproval_policy = "never"\nmodel_reasoning_effort = "high"\n',
  });
  const done = await at.run("import", "codex", "--yes");
  assert.equal(done.code, 0, done.err);
  assert.match(await at.read("SOUL.md"), /Use tabs\./u);
  assert.match(await at.read("skills/fix/SKILL.md"), /description: "Fix it \(a prompt of Codex\)"/u);
  const config = await at.read("config.yaml");
  assert.match(config, /reasoning_effort: high/u);
  assert.doesNotMatch(config, /gpt-5|yolo|never/u);
});

test("an import from OpenClaw takes notes, soul, skills and model; keys only on request, settings only in the full preset", async () => {
  await using at = await scene({
    ".openclaw/openclaw.json":
      "{\n // comment\n agents: { defaults: { model: { primary: 'anthropic/claude-opus-4-8' } } },\n env: { vars: { OPENROUTER_API_KEY: 'sk-or-0123456789abcdef' } },\n}\n",
    ".openclaw/workspace/SOUL.md": "You are calm.\n",
    ".openclaw/workspace/USER.md": "# User\n\n- Lives in Oslo\n- Likes short answers\n",
    ".openclaw/workspace/MEMORY.md": "The build needs Node 24.\n",
    ".openclaw/workspace/AGENTS.md": "Project rules\n",
    ".openclaw/workspace/skills/weather/SKILL.md": skill("weather"),
    "project/x": "",
  });
  const data = await at.run("claw", "migrate", "--preset", "user-data", "--yes", "--json");
  assert.equal(data.code, 0, data.out);
  assert.equal(await at.read("SOUL.md"), "You are calm.\n");
  assert.match(await at.read("memories/USER.md"), /Lives in Oslo[^]*Likes short answers/u);
  assert.match(await at.read("memories/MEMORY.md"), /Node 24/u);
  assert.ok(!existsSync(join(at.home, "config.yaml")));
  const plan = await at.run("claw", "migrate", "--dry-run");
  assert.match(plan.out, /OPENROUTER_API_KEY: keys are imported only with --migrate-secrets/u);
  assert.ok(!plan.out.includes("sk-or-0123456789abcdef"));
  await at.run("claw", "migrate", "--migrate-secrets", "--workspace-target", "project", "--yes");
  assert.match(await at.read(".env"), /OPENROUTER_API_KEY/u);
  assert.match(await at.read("config.yaml"), /claude-opus-4-8/u);
  assert.equal(await readFile(join(at.path, "project", "AGENTS.md"), "utf8"), "Project rules\n");
  assert.match((await at.run("import")).out, /OpenClaw: hermes import openclaw/u);
});

test("in a hostile folder, links, large files and control characters are refused, and nothing outside is read", async () => {
  await using at = await scene({
    "outside/secret.md": "TOP SECRET\n",
    ".claude/agents/big.md": "x".repeat(300_000),
    ".claude/agents/bell.md": "---\nname: bell\n---\n\u0007\u001b[31m\n",
    ".claude/skills/linked/SKILL.md": skill("linked"),
    ".claude/settings.json": "{",
  });
  await symlink(join(at.path, "outside", "secret.md"), join(at.path, ".claude", "CLAUDE.md"));
  await symlink(join(at.path, "outside"), join(at.path, ".claude", "commands"));
  await symlink("/etc/passwd", join(at.path, ".claude", "skills", "linked", "data.txt"));
  const done = await at.run("import", "claude-code", "--yes");
  assert.match(done.out, /CLAUDE\.md\): it is a link/u);
  assert.match(done.out, /agent big: it is larger than 256 KB/u);
  assert.match(done.out, /agent bell: it contains control characters/u);
  assert.match(done.out, /skill linked: data\.txt is a link/u);
  assert.ok(!done.out.includes("\u001b") && !done.out.includes("TOP SECRET"));
  assert.ok(!existsSync(join(at.home, "SOUL.md")) && !existsSync(join(at.home, "skills", "linked")));
});
