// covers: docs/guide/plugins.md, src/plugins, src/operations/plugins, src/hosts/cli/screen/panels
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { err } from "../../src/base/result.ts";
import type { PanelHost } from "../../src/hosts/cli/screen/panels/panel-host.ts";
import { openPluginUi } from "../../src/hosts/cli/screen/panels/plugin-ui.ts";
import { screenQuestions } from "../../src/hosts/cli/screen/panels/screen-questions.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { servicesOf } from "../../src/operations/operation.ts";
import { createRunner } from "../../src/operations/run-operation.ts";
import type { OpenedRuntime } from "../../src/runtime/create-runtime.ts";
import { eventually } from "../support/eventually.ts";
import { panelRig } from "../support/panel-rig.ts";
import { pluginFolder } from "../support/plugin-folder.ts";
import { settingsRuntime } from "../support/settings-runtime.ts";

const guide = await readFile(join(import.meta.dirname, "../../docs/guide/plugins.md"), "utf8");

/** The example of the guide in this language. */
function example(language: "ts" | "python"): string {
  const section = guide.slice(guide.indexOf("## Parts of the screen\n"));
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\`\\n`, "su").exec(section)?.[1] ?? assert.fail(language);
}

/** Panels over a real session with this plugin in its real process. */
async function screenWith(files: Readonly<Record<string, string>>) {
  const stack = new AsyncDisposableStack();
  const opened = stack.use(
    await settingsRuntime({ plugins: { enabled: ["tasks"] }, model: { provider: "offline" } }, async (home) => {
      await pluginFolder(join(home, "plugins"), "tasks", "", files);
    }),
  );
  // The program opens the whole runtime.
  const runtime = opened.runtime as OpenedRuntime;
  const session = stack.use(await runtime.openSession({ source: "cli", cwd: opened.cwd }));
  const rig = panelRig({ columns: 60, rows: 12 });
  const [notes, inserted]: [string[], string[]] = [[], []];
  const { signal } = new AbortController();
  const services = servicesOf(() => runtime.services, { session: () => session });
  const report = () => undefined;
  const note = (line: string) => void notes.push(line);
  const host: PanelHost = {
    ...rig,
    run: createRunner(services, { principal: localPrincipal(), signal, clock: systemClock, cwd: opened.cwd, report }),
    sessionId: () => session.id,
    apply: async () => {},
    submit: () => {},
    insert: (text) => void inserted.push(text),
    commands: () => [],
    keys: () => [],
  };
  const questions = screenQuestions({ ...rig, note, tryRule: async () => err({ message: "" }) });
  const { fillIn } = questions.asker;
  const isTaken = (chord: string) => chord === "alt+m";
  const ui = stack.use(await openPluginUi({ host, fillIn, note, redraw() {}, isTaken, signal }));
  return {
    ...rig,
    ui,
    notes,
    inserted,
    async shows(pattern: RegExp) {
      await eventually(() => pattern.test(rig.text()), `never shown: ${String(pattern)}, but: ${rig.text()}`);
    },
    segments: () => ui.segments().map(({ text }) => text),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

for (const [language, file] of [
  ["ts", "index.ts"],
  ["python", "__init__.py"],
] as const) {
  test(`the example in the guide adds parts to the screen (${language})`, async () => {
    await using screen = await screenWith({ [file]: example(language) });
    await eventually(() => screen.segments()[0] === "2 tasks");
    assert.equal(screen.ui.press("alt+x"), false);
    assert.equal(screen.ui.press("alt+t"), true);
    await screen.shows(/Tasks \(plugin tasks\)[^]*❯ Write the tests/u);
    screen.press("down", "enter");
    await eventually(() => screen.inserted[0] === "Work on this task: Answer the mail");
    screen.ui.open("tasks:panel:list");
    await screen.shows(/Add a task/u);
    screen.press("up", "enter");
    await screen.shows(/Question from the plugin tasks[^]*│ A new task[^]*Title/u);
    screen.ready();
    screen.type("Sleep");
    screen.press("enter");
    await eventually(() => screen.notes.some((line) => line.includes("tasks: Added: Sleep")));
    screen.clock.advance(5_000);
    await eventually(() => screen.segments()[0] === "3 tasks");
  });
}

test("a plugin UI that fails, hangs or returns invalid data causes no delay and takes no key binding of Hermes", async () => {
  const code = `
    let calls = 0;
    const ui = {
      segments: [
        { name: "dying", everySeconds: 1, text: () => { if (++calls > 1) throw new Error("gone"); return "alive\\u001b[2J\\u202e"; } },
        { name: "hanging", text: () => new Promise(() => {}) },
        { name: "lying", text: () => ({ a: 1 }) },
      ],
      keys: [
        { name: "enter", chord: "enter", summary: "s", press: () => "stolen" },
        { name: "letter", chord: "o", summary: "s", press: () => "stolen" },
        { name: "cancel", chord: "ctrl+c", summary: "s", press: () => "stolen" },
        { name: "taken", chord: "alt+m", summary: "s", press: () => "stolen" },
        { name: "broken", chord: "f6", summary: "s", press: () => { throw new Error("no\\u001b[2J luck"); } },
        { name: "lost", chord: "f7", summary: "s", press: () => ({ panel: "nowhere" }) },
        { name: "odd", chord: "f8", summary: "s", press: () => ({ panel: "odd" }) },
      ],
      panels: [{ name: "odd", title: "Odd\\u001b[H", content: () => ({ rows: [1, null, { title: "a\\nb\\u001b[2J" }] }) }],
    };
    export default { setup: () => ({ ui }) };`;
  await using screen = await screenWith({ "index.mjs": code });
  for (const chord of ["enter", "o", "ctrl+c", "alt+m"]) assert.equal(screen.ui.press(chord), false, chord);
  assert.match(screen.notes.join("\n"), /the key alt\+m is in use/u);
  await eventually(() => screen.segments()[0] === "alive");
  screen.clock.advance(1_000);
  await eventually(() => screen.segments()[0] === "alive (old)");
  assert.equal(screen.segments().length, 1);
  screen.ui.press("f6");
  await eventually(() =>
    screen.notes.some((line) => /plugin tasks: .*no\[2J luck|plugin tasks: .*no luck/u.test(line)),
  );
  screen.ui.press("f7");
  await eventually(() => screen.notes.some((line) => line.includes("There is no part tasks:panel:nowhere")));
  screen.ui.press("f8");
  await screen.shows(/❯ a b/u);
});
