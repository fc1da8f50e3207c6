import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { assertFails } from "../../test/support/failure.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import type { SkillLibrary } from "../contracts/knowledge/skill.ts";
import { collectSkills } from "./skill-collection.ts";
import { createSkillKeeper } from "./skill-keeper.ts";
import { createSkillLibrary, type LibraryDeps } from "./skill-library.ts";
import type { SkillPlace, SkillRoot } from "./skill-roots.ts";

const { signal } = new AbortController();

interface Rig extends AsyncDisposable {
  readonly path: string;
  readonly library: SkillLibrary;
  readonly warnings: readonly string[];
  readonly judged: readonly string[];
}

async function rig(
  files: Readonly<Record<string, string>>,
  deps: Partial<LibraryDeps> = {},
  contributed: readonly { readonly name: string; readonly folder: string }[] = [],
): Promise<Rig> {
  const folder = await tempHome();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  const home = join(folder.path, "home");
  mkdirSync(home, { recursive: true });
  const roots: readonly SkillRoot[] = [
    { path: home, kind: "home" },
    { path: join(folder.path, "project"), kind: "project" },
  ];
  const warnings: string[] = [];
  const judged: string[] = [];
  const judge: Parameters<typeof collectSkills>[0]["judge"] = async (entries) => {
    judged.push(entries.map(({ path }) => path).join(","));
    const isEvil = entries.some((entry) => entry.kind === "file" && Buffer.from(entry.bytes).includes("EVIL"));
    return isEvil ? "it is evil" : undefined;
  };
  const ofPlugins = contributed.map(({ name, folder: below }): SkillPlace => {
    const path = join(folder.path, below);
    return { root: { path, kind: "plugin" }, folder: path, path: below, name };
  });
  const shelf = () => collectSkills({ home, roots, judge, version: "1", contributed: ofPlugins });
  const library = createSkillLibrary({
    home,
    author: "model",
    shelf,
    surroundings: {
      platform: "linux",
      environments: ["local", "cli"],
      hasTool: (name) => name !== "web_search",
      hasToolset: (name) => name === "terminal",
      disabled: ["off"],
    },
    readiness: {
      variable: () => undefined,
      home: folder.path,
      isCredentialFile: () => false,
      isElsewhere: false,
      platform: "linux",
      hasMcpServer: (name) => name === "github",
    },
    keeper: createSkillKeeper({
      home,
      shelf,
      judge,
      clock: systemClock,
      keepEntries: 10,
      mustApprove: false,
      isPinned: () => false,
    }),
    folderOf: ({ folder }) => folder,
    sessionId: "ses_7",
    setting: () => undefined,
    loaded() {},
    warn: (sentence) => void warnings.push(sentence),
    ...deps,
  });
  return { path: folder.path, library, warnings, judged, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const skill = (name: string, head = "", body = "Do it.") =>
  `---\nname: ${name}\ndescription: About ${name}.\n${head}---\n${body}\n`;

test("skills are listed with their categories, and hidden skills with the reason", async () => {
  await using at = await rig({
    "home/dev/a/SKILL.md": skill("a"),
    "home/mac/SKILL.md": skill("mac", "platforms: [macos]\n"),
    "home/off/SKILL.md": skill("off"),
    "home/web/SKILL.md": skill("web", "metadata: {hermes: {requires_tools: [web_search]}}\n"),
    "home/instead/SKILL.md": skill("instead", "metadata: {hermes: {fallback_for_toolsets: [terminal]}}\n"),
    "home/chat/SKILL.md": skill("chat", "environments: [telegram]\n"),
    "home/evil/SKILL.md": skill("evil", "", "EVIL"),
    "home/broken/SKILL.md": "no frontmatter",
    "home/.hidden/SKILL.md": skill("hidden"),
    "home/node_modules/x/SKILL.md": skill("x"),
  });
  const { skills, hidden, categories } = await at.library.list({}, signal);
  assert.deepEqual(skills, [{ name: "a", description: "About a.", category: "dev", origin: "user", tags: [] }]);
  assert.deepEqual(categories, ["dev"]);
  assert.deepEqual(Object.fromEntries(hidden.map(({ name, why }) => [name, why.slice(0, 30)])), {
    broken: "it does not start with frontma",
    mac: "it is for macos",
    off: "it is disabled in the settings",
    web: "it needs web_search",
    instead: "terminal is available, which i",
    chat: "it is for telegram",
    evil: "it is evil",
  });
});

test("a skill is shown without its frontmatter, with its files and its folder filled in", async () => {
  await using at = await rig({
    "home/a/SKILL.md": skill("a", "", "Run ${HERMES_SKILL_DIR}/scripts/x.sh in ${HERMES_SESSION_ID}. !`date`"),
    "home/a/scripts/x.sh": "echo ${HERMES_SKILL_DIR}",
  });
  const page = await at.library.view("a", undefined, signal);
  assert.ok(page.ok);
  const folder = join(at.path, "home", "a");
  assert.equal(page.value.content, `Run ${folder}/scripts/x.sh in ses_7. !\`date\``);
  assert.deepEqual(page.value.linkedFiles, ["scripts/x.sh"]);
  assert.equal(page.value.readiness, "available");
  const file = await at.library.view("a", "scripts/x.sh", signal);
  assert.equal(file.ok && file.value.content, "echo ${HERMES_SKILL_DIR}");
});

test("no path can leave the folder of a skill", async () => {
  await using at = await rig({ "home/a/SKILL.md": skill("a"), "home/a/references/x.md": "x", "secret.txt": "s3cret" });
  symlinkSync(join(at.path, "secret.txt"), join(at.path, "home", "a", "references", "link.md"));
  for (const file of [
    "../../secret.txt",
    "/etc/passwd",
    "references/../../../secret.txt",
    "references/link.md",
    "~/x",
    "C:\\x",
    "references\0",
    "none.md",
    "",
  ]) {
    const page = await at.library.view("a", file, signal);
    assert.ok(!page.ok, file);
    assert.ok(["refused", "unknown"].includes(page.error.kind), file);
  }
});

test("the error for an ambiguous skill name lists the locations, and a location identifies one skill", async () => {
  await using at = await rig({
    "home/one/notes/SKILL.md": skill("notes", "", "one"),
    "home/two/notes/SKILL.md": skill("notes", "", "two"),
    "project/notes/SKILL.md": skill("notes", "", "three"),
  });
  const page = await at.library.view("notes", undefined, signal);
  assert.ok(!page.ok && page.error.kind === "several");
  assert.match(page.error.message, /one\/notes or two\/notes or project:notes/u);
  for (const [name, content] of [
    ["two/notes", "two"],
    ["project:notes", "three"],
  ] as const) {
    const result = await at.library.view(name, undefined, signal);
    assert.equal(result.ok && result.value.content, content);
  }
  const { skills } = await at.library.list({}, signal);
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["one/notes", "two/notes", "project:notes"],
  );
  const unknown = await at.library.view("nots", undefined, signal);
  assertFails(unknown, /There is no skill .*Did you mean notes/u);
});

test("a dangerous skill is not loaded and the user gets a warning; changing the skill triggers a new scan", async () => {
  await using at = await rig({ "home/a/SKILL.md": skill("a"), "home/a/scripts/x.sh": "EVIL" });
  const page = await at.library.view("a", undefined, signal);
  assert.ok(!page.ok && page.error.kind === "dangerous");
  assert.match(at.warnings[0] ?? "", /hermes skills allow a/u);
  writeFileSync(join(at.path, "home", "a", "scripts", "x.sh"), "fine");
  assert.ok((await at.library.view("a", undefined, signal)).ok);
  const before = at.judged.length;
  assert.ok((await at.library.view("a", undefined, signal)).ok);
  assert.equal(at.judged.length, before, "what did not change is not scanned again");
});

test("a project's skill that links out of the project is ignored", async () => {
  await using at = await rig({ "project/a/SKILL.md": skill("a"), "elsewhere/b/SKILL.md": skill("b") });
  symlinkSync(join(at.path, "elsewhere", "b"), join(at.path, "project", "b"));
  const { skills } = await at.library.list({}, signal);
  assert.deepEqual(
    skills.map(({ name, origin }) => ({ name, origin })),
    [{ name: "a", origin: "project" }],
  );
});

test("a missing requirement of a skill is requested from the user once, and otherwise reported", async () => {
  const requested: string[] = [];
  const files = {
    "home/a/SKILL.md": skill(
      "a",
      "required_environment_variables: [{name: A_KEY, help: 'see x'}]\nprerequisites: {commands: [no-such-program-x]}\nrequired_credential_files: [{path: ../up.json}, {path: t.json, description: the token}]\n",
    ),
  };
  await using at = await rig(files, {
    async askVariable({ name }) {
      requested.push(name);
      return false;
    },
  });
  const page = await at.library.view("a", undefined, signal);
  assert.ok(page.ok);
  assert.equal(page.value.readiness, "setup_needed");
  assert.deepEqual(page.value.missing, [
    "the variable A_KEY",
    "the program no-such-program-x",
    "the file ../up.json",
    "the file t.json",
  ]);
  assert.match(page.value.note ?? "", /hermes config set A_KEY … \(see x\); install no-such-program-x/u);
  assert.deepEqual(requested, ["A_KEY"]);
});

test("commands in a skill's text run only if the caller provides a shell, and their output is limited", async () => {
  const ran: string[] = [];
  await using at = await rig(
    { "home/a/SKILL.md": skill("a", "", "Now: !`date +%Y`, `!not this`, x!`nor this`") },
    {
      async inlineShell(command) {
        ran.push(command);
        return "y".repeat(5_000);
      },
    },
  );
  const page = await at.library.view("a", undefined, signal);
  assert.ok(page.ok);
  assert.deepEqual(ran, ["date +%Y"]);
  assert.equal(page.value.content, `Now: ${"y".repeat(4_000)}, \`!not this\`, x!\`nor this\``);
});

test("circular links and folders that were already visited add no skills", async () => {
  await using at = await rig({ "home/ops/notes/SKILL.md": "---\nname: notes\ndescription: x\n---\nhi\n" });
  const home = join(at.path, "home");
  for (const [to, link] of [
    [home, "again"],
    [join(home, "ops"), "before"],
    ["..", "ops/up"],
  ] as const)
    symlinkSync(to, join(home, link));
  const { skills } = await at.library.list({}, signal);
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["notes"],
  );
});

test("skills of plugins are listed and viewed as plugin:name, next to a user's skill of that name", async () => {
  await using at = await rig({ "home/rain/SKILL.md": skill("rain"), "plugin/SKILL.md": skill("rain") }, {}, [
    { name: "weather:rain", folder: "plugin" },
  ]);
  const { skills } = await at.library.list({}, signal);
  assert.deepEqual(
    skills.map(({ name, origin }) => [name, origin]),
    [
      ["rain", "user"],
      ["weather:rain", "plugin"],
    ],
  );
  const page = await at.library.view("weather:rain", undefined, signal);
  assert.ok(page.ok);
  assert.equal(page.value.card.name, "weather:rain");
});

test("a skill that needs an MCP server names the missing one and how to add it", async () => {
  await using at = await rig({
    "home/a/SKILL.md": skill("a", "mcp_servers: [github, linear]\n"),
    "home/b/SKILL.md": skill("b", "metadata: {hermes: {mcp_servers: github}}\n"),
  });
  const page = await at.library.view("a", undefined, signal);
  assert.ok(page.ok);
  assert.equal(page.value.readiness, "setup_needed");
  assert.deepEqual(page.value.missing, ["the MCP server linear"]);
  assert.match(page.value.note ?? "", /hermes mcp add linear/u);
  const other = await at.library.view("b", undefined, signal);
  assert.equal(other.ok && other.value.readiness, "available");
});
