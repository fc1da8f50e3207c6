import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { isObject, type JsonObject, parsedJson } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { hookAliases, originalHookNames } from "../../contracts/host/hook.ts";
import { object, optional, string } from "../../contracts/host/input-schema.ts";
import { filesOf } from "../../plugins/shell-hooks/consents.ts";
import { readHookAnswer, runShellHook, shellInput } from "../../plugins/shell-hooks/run-shell-hook.ts";
import { programOf, type ShellHook } from "../../plugins/shell-hooks/shell-hook.ts";
import type { OpenedShellHooks } from "../../runtime/plugins/open-shell-hooks.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { sampleArguments } from "./sample-arguments.ts";

/** Shell hooks: the person's own programs that run at hooks. */
export const operations = {
  list: readOperation({
    summary: "List the shell hooks of the settings, and whether each was accepted",
    needs: ["shellHooks"],
    run: async (_input, { shellHooks }) =>
      ok({ hooks: shellHooks.hooks.map((hook) => shown(hook, shellHooks)), problems: shellHooks.problems }),
  }),

  accept: writeOperation({
    summary: "Accept shell hooks with exactly the content that their files have now",
    input: object({ command: optional(string("only this command, as in the settings; default: all")) }),
    needs: ["shellHooks"],
    async run({ command }, { shellHooks }, { signal }) {
      const named = shellHooks.hooks.filter((hook) => command === undefined || hook.command === command);
      if (command !== undefined && named.length === 0) return err(unknownCommand(command, shellHooks.hooks));
      const open = named.filter((hook) => shellHooks.consents.stateOf(hook) !== "accepted");
      const stored = open.length === 0 ? ok(undefined) : await shellHooks.consents.accept(open, signal);
      return stored.ok ? ok({ accepted: open.map((hook) => shown(hook, shellHooks)) }) : stored;
    },
  }),

  revoke: writeOperation({
    summary: "Revoke the consent to a shell hook",
    input: object({ command: string("the command, as in the settings") }),
    needs: ["shellHooks"],
    async run({ command }, { shellHooks }, { signal }) {
      const revoked = await shellHooks.consents.revoke(command, signal);
      if (!revoked.ok) return revoked;
      return revoked.value === 0 ? err(unknownCommand(command, shellHooks.hooks)) : ok({ revoked: revoked.value });
    },
  }),

  test: writeOperation({
    summary: "Run the accepted shell hooks of an event with sample arguments",
    input: object({
      event: string("such as pre_tool_call"),
      forTool: optional(string("name of the tool; default: terminal")),
      payloadFile: optional(string("JSON file with arguments that replace the sample's")),
    }),
    needs: ["shellHooks"],
    async run({ event, forTool, payloadFile }, { shellHooks }, { cwd, signal }) {
      if (!events.includes(event) && !shellHooks.hooks.some((hook) => hook.event === event)) {
        return err({ message: `There is no event ${event}. ${didYouMean(event, events)}`.trim() });
      }
      const payload = payloadFile === undefined ? ok({}) : await readPayload(resolve(cwd, payloadFile));
      if (!payload.ok) return payload;
      const args = {
        ...sampleArguments(event),
        ...(forTool !== undefined && { tool_name: forTool }),
        ...payload.value,
      };
      const fitting = shellHooks.hooks.filter((hook) => hook.event === event && covers(hook, args));
      const results = [];
      for (const hook of fitting) {
        const isAccepted = shellHooks.consents.stateOf(hook) === "accepted";
        const outcome = isAccepted ? await tryHook(hook, args, shellHooks, signal) : notAccepted;
        results.push({ ...shown(hook, shellHooks), ...outcome });
      }
      return ok({ event, results });
    },
  }),

  doctor: writeOperation({
    summary: "Check the shell hooks: their programs, consents and answers to sample arguments",
    needs: ["shellHooks"],
    async run(_input, { shellHooks }, { signal }) {
      const checked = [];
      for (const hook of shellHooks.hooks) checked.push(await examine(hook, shellHooks, signal));
      const faults = [
        ...shellHooks.problems,
        ...checked.flatMap(({ command, faults: own }) => own.map((fault) => `${command}: ${fault}`)),
      ];
      return ok({ hooks: checked, problems: shellHooks.problems, healthy: faults.length === 0 });
    },
  }),
};

const events: readonly string[] = [...Object.keys(originalHookNames), ...Object.keys(hookAliases)];
const notAccepted = { fault: "it was not accepted, so it did not run" };

function shown(hook: ShellHook, { consents, run }: OpenedShellHooks) {
  const acceptedAt = consents.acceptedAt(hook);
  return {
    event: hook.event,
    command: hook.command,
    ...(hook.matcher && { matcher: hook.matcher.source.slice(4, -2) }),
    timeout: hook.timeoutMs / 1000,
    policy: hook.isPolicy,
    state: consents.stateOf(hook),
    files: filesOf(hook, run.cwd),
    ...(acceptedAt !== undefined && { acceptedAt }),
  };
}

function unknownCommand(command: string, hooks: readonly ShellHook[]) {
  const commands = hooks.map((hook) => hook.command);
  return { message: `No shell hook has the command ${command}. ${didYouMean(command, commands)}`.trim() };
}

function covers({ matcher }: ShellHook, { tool_name: name }: JsonObject): boolean {
  return !matcher || typeof name !== "string" || matcher.test(name);
}

async function readPayload(path: string) {
  const text = await readFile(path, "utf8").catch(() => undefined);
  const value = text === undefined ? undefined : parsedJson(text);
  // The cast is safe: the value was parsed from JSON.
  return isObject(value) ? ok(value as JsonObject) : err({ message: `${path} is not a JSON file with an object.` });
}

/** `answer`: the parsed output of the hook. `fault`: the reason why the run counts as failed. */
async function tryHook(hook: ShellHook, args: JsonObject, { run }: OpenedShellHooks, signal: AbortSignal) {
  const ran = await runShellHook(hook, shellInput(hook, args, run.cwd), run, signal);
  if (!ran.ok) return { fault: ran.error };
  const { exitCode, stdout, stderr, durationMs } = ran.value;
  const facts = { exitCode, stdout, stderr, durationMs: Math.round(durationMs) };
  const output = readHookAnswer(ran.value);
  if (!output.ok) return { ...facts, fault: output.error };
  return output.value === undefined ? facts : { ...facts, answer: output.value };
}

async function examine(hook: ShellHook, opened: OpenedShellHooks, signal: AbortSignal) {
  const { run } = opened;
  const about = shown(hook, opened);
  const faults: string[] = [];
  if (programOf(hook, run.env) === undefined) faults.push(`${hook.words[0]} is missing or not executable`);
  if (about.state === "new") faults.push("not accepted: hermes hooks accept");
  if (about.state === "changed") faults.push("changed since you accepted it: read it, then hermes hooks accept");
  const writable = about.files.filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0);
  for (const file of writable) faults.push(`other users can write ${file}: chmod go-w`);
  if (about.state !== "accepted") return { ...about, faults };
  const tried = await tryHook(hook, sampleArguments(hook.event), opened, signal);
  return { ...about, ...tried, faults: "fault" in tried ? [...faults, tried.fault] : faults };
}
