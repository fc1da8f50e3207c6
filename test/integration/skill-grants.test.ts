// covers: src/skills, src/runtime, src/environments
import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { SessionId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { type SshServer, sshServer } from "../support/ssh-server.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const head = [
  "required_environment_variables: [{name: PET_TOKEN}, {name: OPENAI_API_KEY}]",
  "required_credential_files: [{path: keys/pets.json}, {path: .env}]",
  "",
].join("\n");

/** A home with a skill that needs a variable, a provider's key, a file, and a file that it must not have. */
async function home(folder: string, frontmatter: string): Promise<string> {
  const hermes = join(folder, ".hermes");
  await mkdir(join(hermes, "skills", "pets"), { recursive: true });
  await mkdir(join(hermes, "keys"));
  await writeFile(
    join(hermes, "skills", "pets", "SKILL.md"),
    `---\nname: pets\ndescription: Pets.\n${frontmatter}---\nFeed them.\n`,
  );
  await writeFile(join(hermes, "keys", "pets.json"), "pets of mine");
  await writeFile(join(hermes, ".env"), "PET_TOKEN=p3t-t0ken\nOPENAI_API_KEY=sk-never-shown-to-anybody\n", {
    mode: 0o600,
  });
  await mkdir(join(folder, "project"));
  return hermes;
}

async function play(
  folder: string,
  settings: Readonly<Record<string, unknown>>,
  calls: readonly (readonly [string, JsonObject])[],
  { resume, skill }: { readonly resume?: SessionId; readonly skill?: string } = {},
): Promise<{ readonly id: SessionId; readonly results: readonly string[]; readonly said: readonly string[] }> {
  const messages: string[] = [];
  let next = 0;
  const model = scriptedModel(() => {
    const call = calls[next++];
    return call ? { calls: [{ name: call[0], args: call[1] }] } : { text: "done" };
  });
  await using runtime = await runtimeRig({
    folder,
    cwd: join(folder, "project"),
    model,
    settings: { "approvals.mode": "yolo", "security.redact_secrets": false, ...settings },
    say: (sentence) => void messages.push(sentence),
  });
  const session = await runtime.openSession({ source: "test", ...(resume !== undefined && { resume }) });
  const before = session.history().length;
  const used = skill === undefined ? undefined : await runtime.skills.use(skill, "go", new AbortController().signal);
  await session.prompt([{ type: "text", text: used?.ok ? used.value : "go" }]).done;
  const results = session
    .history()
    .slice(before)
    .flatMap(({ role, content }) =>
      role === "tool" ? [content.map((part) => (part.type === "text" ? part.text : "")).join("")] : [],
    );
  return { id: session.id, results, said: messages };
}

const show = 'echo "<$PET_TOKEN|$OPENAI_API_KEY>"';

test("a skill's variable reaches background commands, but a provider's key reaches no command", async () => {
  await using temp = await tempHome();
  await home(temp.path, head);
  const { results, said: notices } = await play(temp.path, {}, [
    ["skill_view", { name: "pets" }],
    ["terminal", { command: show }],
    ["terminal", { command: `${show} > here.txt`, background: true, notify_on_complete: true }],
    ["terminal", { command: "until [ -s here.txt ]; do sleep 0.05; done; cat here.txt", timeout: 60 }],
  ]);
  assert.match(results[1] ?? "", /<p3t-t0ken\|>/u);
  assert.match(results[3] ?? "", /<p3t-t0ken\|>/u);
  assert.match(notices.join("\n"), /names OPENAI_API_KEY, which commands do not see.*terminal\.env_passthrough/u);
  assert.match(results[0] ?? "", /the file \.env/u, "a file of Hermes itself is not a credential file");
});

test("a skill that the user runs provides its variables and files, even for the first command of a resumed session", async () => {
  await using temp = await tempHome();
  const hermes = await home(temp.path, head);
  const byModel = await play(temp.path, {}, [["skill_view", { name: "pets" }]]);
  const byPerson = await play(temp.path, {}, [["terminal", { command: show }]], { skill: "pets" });
  assert.match(byPerson.results[0] ?? "", /<p3t-t0ken\|>/u);
  const neither = await play(temp.path, {}, [
    ["skill_view", { name: "pets", file_path: "SKILL.md" }],
    ["skill_view", { name: "nothing" }],
  ]);
  const again = async ({ id }: { readonly id: SessionId }) =>
    play(temp.path, {}, [["terminal", { command: show }]], { resume: id });
  for (const before of [byModel, byPerson]) {
    const resumed = await again(before);
    assert.match(resumed.results[0] ?? "", /<p3t-t0ken\|>/u);
    assert.doesNotMatch(resumed.said.join("\n"), /OPENAI_API_KEY/u, "the notice came when the skill was read");
  }
  assert.match((await again(neither)).results[0] ?? "", /<\|>/u);
  await rm(join(hermes, "skills", "pets"), { recursive: true });
  assert.match((await again(byModel)).results[0] ?? "", /<\|>/u, "what is gone brings nothing");
});

test(
  "a confined command sees the credential file of a skill, and no others",
  { skip: missingPrograms({ bwrap: "bubblewrap" }) },
  async () => {
    await using temp = await tempHome();
    const hermes = await home(temp.path, head);
    const command = `cat ${hermes}/keys/pets.json; ls -A ${hermes}; echo end`;
    const { id, results } = await play(temp.path, { "isolation.mode": "on" }, [
      ["terminal", { command }],
      ["skill_view", { name: "pets" }],
      ["terminal", { command }],
    ]);
    assert.doesNotMatch(results[0] ?? "", /pets of mine/u);
    assert.match(results[2] ?? "", /pets of mine/u);
    assert.doesNotMatch(results[2] ?? "", /\.env|sessions/u);
    const resumed = await play(temp.path, { "isolation.mode": "on" }, [["terminal", { command }]], { resume: id });
    assert.match(resumed.results[0] ?? "", /pets of mine/u);
  },
);

describe("over ssh", { skip: missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" }) }, () => {
  let server: SshServer;
  before(async () => {
    server = await sshServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("variables and credential files of a skill are available once it is read, and not in the next session", async () => {
    await using temp = await tempHome();
    await home(temp.path, head);
    const settings = {
      "terminal.backend": "ssh",
      "terminal.ssh_host": "127.0.0.1",
      "terminal.ssh_port": server.port,
      "terminal.ssh_user": server.user,
      "terminal.ssh_key": server.keyFile,
      "terminal.ssh_known_hosts": server.knownHosts,
      "checkpoints.enabled": false,
    };
    const look = "cat ~/.hermes/keys/pets.json; ls -A ~/.hermes; echo end";
    const { results } = await play(temp.path, settings, [
      ["terminal", { command: look }],
      ["skill_view", { name: "pets" }],
      ["terminal", { command: `${look}; ${show}` }],
      ["terminal", { command: `${show} > there.txt`, background: true, notify_on_complete: true }],
      ["terminal", { command: "until [ -s there.txt ]; do sleep 0.1; done; cat there.txt", timeout: 60 }],
    ]);
    assert.doesNotMatch(results[0] ?? "", /pets of mine/u);
    assert.match(results[2] ?? "", /pets of mine.*end.*<p3t-t0ken\|>/su);
    assert.doesNotMatch(results[2] ?? "", /\.env/u);
    assert.match(results[4] ?? "", /<p3t-t0ken\|>/u);
    assert.equal(await readFile(join(server.home, ".hermes", "keys", "pets.json"), "utf8"), "pets of mine");
    const later = await play(temp.path, settings, [["terminal", { command: look }]]);
    assert.doesNotMatch(later.results[0] ?? "", /pets of mine/u);
  });
});
