import assert from "node:assert/strict";
import { test } from "node:test";

import { plainDisplay, slashRun } from "../../../test/support/slash-run.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import type { DisplayChange } from "../../contracts/host/command.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import { builtinCommands } from "../builtin-commands.ts";
import { runCommand } from "../run-command.ts";
import type { SlashContext } from "../slash-command.ts";

/** A chat that applies display changes and records writes to the settings. */
function rig(more: Partial<SlashContext> = {}) {
  const saved: string[] = [];
  let display = plainDisplay;
  const real = slashRun({
    config: { home: { path: "/nonexistent" }, values: { display: { skin: "default" } } } as never,
  });
  const scripted: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => object>> = {
    "config.set": ({ key, value }) => ({ done: saved.push(`${String(key)}=${String(value)}`) }),
    "session.status": () => ({ id: "ses_1", isEmpty: false, isBusy: false }),
    "skills.use": () => ({ prompt: null }),
    "skills.names": () => ({ skills: [] }),
    "quick.list": () => ({ commands: [] }),
  };
  const run = async (name: string, input: object): Promise<unknown> =>
    scripted[name]?.({ ...input }) ?? real(name as never, input as never);
  return {
    saved,
    async command(line: string) {
      const reply = await runCommand(line, true, {} as Pick<Session, "turn" | "stop">, {
        // The cast is safe: each scripted operation returns a value of its declared type.
        run: run as unknown as SlashContext["run"],
        sessionId: asId<SessionId>("ses_1"),
        commands: builtinCommands,
        offered: {},
        answersAs: "the test",
        columns: 80,
        signal: new AbortController().signal,
        display,
        ...more,
      });
      if (reply.effect?.kind === "display") display = { ...display, ...reply.effect.change };
      return reply;
    },
  };
}

function changeOf(change: DisplayChange) {
  return { kind: "display", change };
}

test("/verbose cycles through its levels, and accepts a level by name", async () => {
  const { command } = rig();
  const seen: unknown[] = [];
  for (let round = 0; round < 4; round++) seen.push((await command("/verbose")).effect);
  assert.deepEqual(
    seen,
    (["verbose", "off", "new", "all"] as const).map((tool_progress) => changeOf({ tool_progress })),
  );
  assert.deepEqual((await command("/verbose off")).effect, changeOf({ tool_progress: "off" }));
  assert.match((await command("/verbose loud")).text, /"loud" is not one of off, new, all, verbose/u);
});

test("switches accept on, off and toggle; status changes nothing", async () => {
  const { command } = rig();
  assert.deepEqual((await command("/sb")).effect, changeOf({ status_line: false }));
  assert.deepEqual((await command("/statusbar on")).effect, changeOf({ status_line: true }));
  assert.equal((await command("/footer status")).effect, undefined);
  assert.deepEqual((await command("/footer on")).effect, changeOf({ footer: true }));
  assert.deepEqual((await command("/ts")).effect, changeOf({ timestamps: true }));
  assert.deepEqual((await command("/focus")).effect, changeOf({ focus: true }));
  assert.deepEqual((await command("/focus")).effect, changeOf({ focus: false }));
  assert.equal((await command("/timestamps maybe")).failed, true);
});

test("/busy and /indicator show and change one value", async () => {
  const { command } = rig();
  assert.match((await command("/busy status")).text, /^interrupt: /u);
  assert.deepEqual((await command("/busy steer")).effect, changeOf({ busy_input_mode: "steer" }));
  assert.match((await command("/busy")).text, /^steer: /u);
  assert.deepEqual((await command("/indicator ascii")).effect, changeOf({ indicator: "ascii" }));
  assert.equal((await command("/indicator neon")).failed, true);
});

test("--global also writes the setting, unless settings are fixed here", async () => {
  const { command, saved } = rig();
  const reply = await command("/busy queue --global");
  assert.match(reply.text, /Saved as the default\./u);
  await command("/footer on --global");
  await command("/skin mono --global");
  assert.deepEqual(saved, ["display.busy_input_mode=queue", "display.footer=true", "display.skin=mono"]);
  const fixed = rig({ fixedSettings: "not here" });
  assert.deepEqual(await fixed.command("/busy queue --global"), { text: "not here", failed: true });
  assert.deepEqual(fixed.saved, []);
});

test("/skin lists skins and refuses unknown ones with the nearest name", async () => {
  const { command } = rig();
  const list = await command("/skin");
  assert.match(list.text, /default .* ← here/u);
  assert.match(list.text, /warm-lightmode/u);
  assert.deepEqual((await command("/skin Slate")).effect, changeOf({ skin: "slate" }));
  const wrong = await command("/skin charizrad");
  assert.equal(wrong.failed, true);
  assert.match(wrong.text, /Did you mean charizard\?/u);
  const skin = builtinCommands.find(({ name }) => name === "skin");
  const choices = await skin?.choices?.([], {
    run: async () => ({ skins: [{ name: "x", description: "y" }] }),
  } as never);
  assert.deepEqual(choices, [{ value: "x", summary: "y" }]);
});

test("/clear starts a new session in an empty window, after confirmation", async () => {
  const questions: string[] = [];
  const confirm = async (question: string) => questions.push(question) > 1;
  const { command } = rig({ confirm });
  assert.deepEqual(await command("/clear"), { text: "Nothing was cleared. The session continues." });
  assert.deepEqual((await command("/clear")).effect, { kind: "new", clears: true });
  assert.deepEqual((await command("/clear now")).effect, { kind: "new", clears: true });
  assert.equal(questions.length, 2);
});

test("/redraw and /palette are available only on displays that support them", async () => {
  const { command } = rig();
  assert.deepEqual(await command("/redraw"), { text: "", effect: { kind: "redraw" } });
  assert.match((await command("/palette")).text, /full screen/u);
  const reply = await rig({ hasPanels: true }).command("/palette mod");
  assert.deepEqual(reply, { text: "", effect: { kind: "open", panel: "palette", about: "mod" } });
});
