import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { type AgentFilesOptions, readAgentFiles } from "./agent-files.ts";

const options: AgentFilesOptions = { judge: async () => undefined, modelFault: () => undefined };
const text = (name: string, more = "") => `---\nname: ${name}\ndescription: d\n${more}---\nPrompt of ${name}.\n`;

test("the first agent file with a name wins, and a damaged file does not affect the others", async () => {
  await using home = await tempHome();
  const own = join(home.path, "own");
  const shared = join(home.path, "shared");
  for (const folder of [own, shared]) mkdirSync(folder);
  writeFileSync(join(own, "a.md"), text("a"));
  writeFileSync(join(own, "b.md"), text("a"));
  writeFileSync(join(own, "bad.md"), "no front matter");
  writeFileSync(join(own, "README.md"), "not an agent");
  writeFileSync(join(shared, "a.md"), text("a"));
  writeFileSync(join(shared, "c.md"), text("c"));
  const { agents, problems } = await readAgentFiles(
    [
      { path: own, source: "home" },
      { path: join(home.path, "missing"), source: "project" },
      { path: shared, source: "bundled" },
    ],
    options,
  );
  assert.deepEqual(
    agents.map(({ name, source }) => [name, source]),
    [
      ["a", "home"],
      ["c", "bundled"],
    ],
  );
  assert.deepEqual(
    problems.map(({ path, isUnusable }) => [path, isUnusable]),
    [
      [join(own, "b.md"), true],
      [join(own, "bad.md"), true],
    ],
  );
});

test("huge agent files, folders, links that leave the project and links to other kinds of files are not read", async () => {
  await using home = await tempHome();
  const project = join(home.path, "project");
  const folder = join(project, ".claude", "agents");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(folder, "folder.md"));
  writeFileSync(join(home.path, "secret.md"), text("secret"));
  writeFileSync(join(project, ".env"), "KEY=1");
  symlinkSync(join(home.path, "secret.md"), join(folder, "out.md"));
  symlinkSync(join(project, ".env"), join(folder, "env.md"));
  symlinkSync(join(project, "nowhere.md"), join(folder, "broken.md"));
  writeFileSync(join(folder, "huge.md"), `${text("huge")}${"x".repeat(70_000)}`);
  writeFileSync(join(folder, "zero.md"), `${text("zero")}\0`);
  const { agents, problems } = await readAgentFiles([{ path: folder, source: "project", within: project }], options);
  assert.deepEqual(agents, []);
  assert.deepEqual(
    problems.map(({ message }) => message.replaceAll(home.path, "~")),
    [
      "It cannot be read: a broken link.",
      "It is a link to ~/project/.env, which is not a Markdown file.",
      "It is not a file.",
      "It has 70050 bytes; an agent file has at most 65536.",
      "It is a link out of the project, to ~/secret.md.",
      "It is not text.",
    ],
  );
});

test("an agent file with injected instructions is not offered, and the reason explains how to trust it", async () => {
  await using home = await tempHome();
  writeFileSync(join(home.path, "a.md"), text("a"));
  const judge = async (judged: string) => (judged.includes("Prompt of a.") ? "it looks like an attack" : undefined);
  const { agents, problems } = await readAgentFiles([{ path: home.path, source: "home" }], { ...options, judge });
  assert.deepEqual(agents, []);
  assert.match(problems[0]?.message ?? "", /an attack\. If the file is fine: hermes trust .*a\.md/u);
});

test("an agent's model that the settings do not allow is ignored and reported; the agent stays usable", async () => {
  await using home = await tempHome();
  writeFileSync(join(home.path, "a.md"), text("a", "model: huge\n"));
  const { agents, problems } = await readAgentFiles([{ path: home.path, source: "project" }], {
    ...options,
    modelFault: (model) => `not ${model}`,
  });
  assert.equal(agents[0]?.model, undefined);
  assert.deepEqual(problems, [{ path: join(home.path, "a.md"), message: "not huge", isUnusable: false }]);
});

test("the bundled agents load without problems, and each prompt describes its report", async () => {
  const folder = join(import.meta.dirname, "..", "..", "..", "agents");
  const { agents, problems } = await readAgentFiles([{ path: folder, source: "bundled" }], options);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    agents.map(({ name, permissions }) => [name, permissions]),
    [
      ["explore", "readonly"],
      ["review", "readonly"],
      ["test", undefined],
    ],
  );
  for (const { path } of agents) assert.match(readFileSync(path, "utf8"), /^Report\b/mu);
});
