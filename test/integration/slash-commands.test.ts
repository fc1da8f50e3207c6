// covers: src/commands, src/operations/sessions, src/operations/settings, src/operations/content, src/config/sources
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { scriptedModel } from "../support/scripted-model.ts";
import { slashSession } from "../support/slash-session.ts";
import { tempHome } from "../support/temp-home.ts";

const answering = () => scriptedModel((_request, index) => ({ text: `answer ${index + 1}` }));

test("/history, /copy and /save show the conversation and write it to files", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  await using rig = await slashSession({ folder, model: answering() });
  assert.equal((await rig.command("/history")).text, "This session is empty.");
  assert.equal((await rig.command("/copy")).text, "There is no answer yet.");
  assert.equal((await rig.command("/save")).failed, true);
  await rig.ask("first question");
  await rig.ask("second question");
  const history = await rig.command("/history");
  assert.match(history.text, /first question\n {2}answer 1\n.*second question\n {2}answer 2/u);
  assert.match((await rig.command("/history 1")).text, /… 3 earlier messages: \/history 4\n {2}answer 2$/u);
  assert.deepEqual((await rig.command("/copy")).effect, { kind: "copy", text: "answer 2" });
  assert.deepEqual((await rig.command("/copy 2")).effect, { kind: "copy", text: "answer 1" });
  assert.match((await rig.command("/copy 3")).text, /only 2 answers/u);
  await rig.command("/save json copy.json redact");
  const saved = JSON.parse(readFileSync(join(folder, "copy.json"), "utf8")) as {
    readonly session: { readonly id: string };
    readonly exchanges: readonly { readonly parts: readonly { readonly role: string }[] }[];
  };
  assert.equal(saved.session.id, rig.session.id);
  assert.deepEqual(
    saved.exchanges.map(({ parts }) => parts.map(({ role }) => role)),
    [
      ["user", "assistant"],
      ["user", "assistant"],
    ],
  );
  await rig.command("/save md notes.txt");
  assert.match(readFileSync(join(folder, "notes.txt"), "utf8"), /first question/u);
  assert.match((await rig.command("/save md notes.txt")).text, /exists/u);
  assert.match((await rig.command("/save md a b")).text, /does not know "b"/u);
});

test("/image attaches a file, /paste reports why it cannot, and a text is not an image", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12No+N8AAAQCAgB4aqzuAAAAAElFTkSuQmCC";
  writeFileSync(join(folder, "a picture.png"), Buffer.from(pixel, "base64"));
  writeFileSync(join(folder, "text.png"), "not an image");
  await using rig = await slashSession({ folder, model: answering() });
  const { effect } = await rig.command('/image "a picture.png"');
  assert.equal(effect?.kind, "attach");
  assert.deepEqual(effect.content, [{ type: "image", mimeType: "image/png", data: pixel }]);
  for (const line of ["/image", "/image missing.png", "/image text.png", "/paste"])
    assert.equal((await rig.command(line)).failed, true, line);
});

test("/reload reads .env again: names are shown, values are masked and take effect", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const file = join(folder, ".hermes", ".env");
  mkdirSync(join(folder, ".hermes"), { recursive: true });
  writeFileSync(file, "OLD_API_KEY=old-secret-value\nGROQ_API_KEY=first-secret-value\n", { mode: 0o600 });
  await using rig = await slashSession({ folder, model: answering() });
  assert.match((await rig.command("/reload")).text, /has no changes/u);
  writeFileSync(file, "GROQ_API_KEY=second-secret-value\nNEW_API_KEY=third-secret-value\n", { mode: 0o600 });
  const { text } = await rig.command("/reload");
  assert.equal(text, "3 variables: added NEW_API_KEY; changed GROQ_API_KEY; removed OLD_API_KEY.");
  const { secrets } = await rig.runtime.services.get("config");
  assert.equal(secrets.get("GROQ_API_KEY"), "second-secret-value");
  assert.equal(secrets.get("OLD_API_KEY"), undefined);
  const { redact } = await rig.runtime.services.get("redactor");
  assert.doesNotMatch(redact("key third-secret-value here"), /third-secret-value/u);
});

test("/approvals, /whoami, /profile, /insights and /debug report the session and the installation", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  await using rig = await slashSession({ folder, model: answering() });
  assert.match((await rig.command("/approvals")).text, /^manual: /u);
  await rig.command("/approvals off");
  assert.equal(rig.session.approvals.mode(), "yolo");
  assert.match((await rig.command("/approvals")).text, /^off: /u);
  await rig.command("/approvals smart");
  assert.equal(rig.session.approvals.mode(), "smart");
  assert.match((await rig.command("/approvals sometimes")).text, /not one of manual, smart, off/u);
  assert.match((await rig.command("/whoami")).text, /user +local:.*\n {2}profile +default\n {2}session +\d{8}_/u);
  assert.match((await rig.command("/profile")).text, /profile +default\n {2}home +.*\.hermes\n {2}others +none/u);
  await rig.ask("hello");
  assert.match((await rig.command("/insights 7")).text, /1 session in the last 7 days/u);
  assert.equal((await rig.command("/insights many")).failed, true);
  assert.match((await rig.command("/debug")).output ?? "", /version: /u);
  await rig.command("/debug share report.txt");
  assert.match(readFileSync(join(folder, "report.txt"), "utf8"), /version: /u);
});

test("/bundles lists bundles, and /reload-skills finds new ones", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  await using rig = await slashSession({ folder, model: answering() });
  assert.match((await rig.command("/bundles")).text, /There are no bundles yet/u);
  await rig.command("/reload-skills");
  const bundles = join(folder, ".hermes", "skill-bundles");
  mkdirSync(bundles, { recursive: true });
  writeFileSync(join(bundles, "duo.yaml"), "description: two\nskills: [a, b]\n");
  assert.match((await rig.command("/reload-skills")).text, /new: duo/u);
  assert.match((await rig.command("/bundles")).text, /\/duo +two/u);
  assert.match((await rig.command("/bundles duo")).text, /Skills: a, b/u);
  assert.match((await rig.command("/bundles trio")).text, /no bundle trio/u);
});

test("/quit --delete asks, /branch --here branches here, /rollback --all lists every checkpoint", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  await using rig = await slashSession({ folder, model: answering() });
  await rig.ask("hello");
  const confirm = async () => false;
  assert.equal((await rig.command("/quit --delete", { confirm })).text, "The session continues.");
  assert.deepEqual((await rig.command("/quit --delete now", { confirm })).effect, { kind: "quit", deletes: true });
  assert.deepEqual((await rig.command("/quit")).effect, { kind: "quit" });
  assert.match((await rig.command("/quit --later")).text, /does not know "--later"/u);
  assert.match((await rig.command("/branch side --here")).text, /new branch side/u);
  assert.match((await rig.command("/rollback --all")).text, /1 .* ★ saved before \/undo or another branch/u);
  for (const [line, panel] of [
    ["/sessions", "sessions"],
    ["/resume", "sessions"],
    ["/tree", "tree"],
    ["/rollback", "checkpoints"],
    ["/model", "models"],
    ["/prompt", "prompt"],
  ] as const)
    assert.deepEqual((await rig.command(line, { hasPanels: true })).effect, { kind: "open", panel }, line);
});

test("/prompt without panels asks for the text, and /login lists usable providers", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  await using rig = await slashSession({ folder, model: answering() });
  const fillIn = async () => ({ ok: true, value: { prompt: "several\nlines" } }) as never;
  assert.deepEqual((await rig.command("/prompt", { fillIn })).effect, {
    kind: "prompt",
    content: [{ type: "text", text: "several\nlines" }],
  });
  await rig.idle();
  assert.match((await rig.command("/login")).text, /Sign in: \/login PROVIDER/u);
  assert.equal((await rig.command("/login nobody")).failed, true);
});

test("/reasoning and /fast change the next requests; show and hide change the display", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const model = answering();
  await using rig = await slashSession({ folder, model });
  assert.match((await rig.command("/reasoning")).text, /Effort: auto\. Thoughts are hidden\./u);
  await rig.ask("one");
  await rig.command("/reasoning high");
  await rig.command("/fast fast");
  await rig.ask("two");
  await rig.command("/reasoning none");
  await rig.command("/fast");
  await rig.ask("three");
  assert.deepEqual(
    model.requests.map(({ reasoning, isFast }) => [reasoning, isFast]),
    [
      [undefined, undefined],
      ["high", true],
      ["off", undefined],
    ],
  );
  assert.match((await rig.command("/fast status")).text, /normal speed/u);
  assert.deepEqual((await rig.command("/reasoning show")).effect, {
    kind: "display",
    change: { show_reasoning: true },
  });
  assert.match((await rig.command("/reasoning much")).text, /is not one of auto, none, minimal/u);
  assert.match((await rig.command("/reasoning low --global")).text, /Saved as the default\./u);
  assert.match(readFileSync(join(folder, ".hermes", "config.yaml"), "utf8"), /reasoning_effort: low/u);
});

test("/personality is sent to the model once, with the next prompt, and the system prompt stays the same", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const model = answering();
  await using rig = await slashSession({
    folder,
    model,
    settings: {
      "agent.personalities.gardener.system_prompt": "Speak of plants.",
      "agent.personalities.gardener.tone": "calm",
    },
  });
  const notes = () =>
    model.requests.map(({ messages }) => {
      const last = messages.findLast(({ role }) => role === "user");
      return (last?.content ?? []).flatMap((part) =>
        part.type === "text" && part.text.startsWith("[Personality") ? [part.text.slice(0, 41)] : [],
      );
    });
  await rig.ask("one");
  assert.match((await rig.command("/personality pirate")).text, /answers as pirate/u);
  await rig.ask("two");
  await rig.ask("three");
  await rig.command("/personality gardener");
  await rig.ask("four");
  await rig.command("/personality none");
  await rig.ask("five");
  assert.deepEqual(notes(), [
    [],
    ["[Personality pirate, from now on: Talk li"],
    [],
    ["[Personality gardener, from now on: Speak"],
    ["[Personality none, from now on. Answer in"],
  ]);
  const [first] = model.requests;
  for (const { system } of model.requests) assert.deepEqual(system, first?.system);
  assert.match((await rig.command("/personality")).text, /gardener +Speak of plants\. Tone: calm/u);
  assert.match((await rig.command("/personality pirat")).text, /Did you mean pirate\?/u);
  const undone = await rig.command("/undo now");
  assert.deepEqual(undone.effect, { kind: "draft", text: "five" });
});

test("the personality in the settings applies to new sessions", async () => {
  await using home = await tempHome();
  const model = answering();
  await using rig = await slashSession({ folder: home.path, model, settings: { "display.personality": "concise" } });
  await rig.ask("one");
  await rig.ask("two");
  const noted = JSON.stringify(model.requests[1]?.messages).split("[Personality concise, from now on").length - 1;
  assert.equal(noted, 1);
});

test("a quick command runs in the shell of the session, under its policy", async () => {
  await using home = await tempHome();
  const settings = {
    "quick_commands.where.command": "pwd; echo quick",
    "quick_commands.wipe.command": "rm -rf /",
    "quick_commands.v.type": "alias",
    "quick_commands.v.target": "version",
  };
  await using rig = await slashSession({ folder: home.path, model: answering(), settings });
  const { output = "", failed } = await rig.command("/where");
  assert.equal(failed, false);
  assert.match(output, /quick/u);
  assert.equal((await rig.command("/wipe")).failed, true);
  assert.match((await rig.command("/whree")).text, /Did you mean \/where\?/u);
  assert.equal(rig.session.history().length, 0);
});

test("/snapshot keeps and restores files of the home; the state before a restore is kept too", async () => {
  await using home = await tempHome();
  const own = join(home.path, ".hermes");
  mkdirSync(join(own, "skins"), { recursive: true });
  writeFileSync(join(own, "config.yaml"), "display:\n  footer: true\n");
  writeFileSync(join(own, "skins", "mine.yaml"), "tool_prefix: '>'\n");
  symlinkSync("/etc/hostname", join(own, "SOUL.md"));
  await using rig = await slashSession({ folder: home.path, model: answering() });
  assert.match((await rig.command("/snapshot")).text, /no snapshots yet/u);
  assert.match((await rig.command("/snapshot create first try")).text, /2 files, no secrets/u);
  const id = /(?<id>\d{8}-\d{6}-\w+) .*first try/u.exec((await rig.command("/snap list")).text)?.groups?.["id"] ?? "";
  writeFileSync(join(own, "config.yaml"), "display:\n  footer: false\n");
  mkdirSync(join(own, "agents"));
  writeFileSync(join(own, "agents", "new.md"), "later");
  const confirm = async () => false;
  assert.equal((await rig.command(`/snapshot restore ${id}`, { confirm })).text, "Nothing was changed.");
  const { text } = await rig.command(`/snapshot restore ${id}`);
  assert.match(readFileSync(join(own, "config.yaml"), "utf8"), /footer: true/u);
  assert.equal(existsSync(join(own, "agents", "new.md")), false);
  await rig.command(/snapshot restore \S+/u.exec(text)?.[0].replace(/^/u, "/") ?? "");
  assert.equal(readFileSync(join(own, "agents", "new.md"), "utf8"), "later");
  assert.match((await rig.command("/snapshot restore 19990101")).text, /no snapshot/u);
  assert.equal((await rig.command("/snapshot prune 1")).text, "Deleted 2 snapshots.");
  assert.equal((await rig.command("/snapshot prune many")).failed, true);
});
