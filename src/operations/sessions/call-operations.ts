import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { err, ok } from "../../base/result.ts";
import { cut, plural } from "../../base/text/text.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import { resultText, viewResult } from "../../contracts/tool/result-view.ts";
import { readOperation } from "../operation.ts";
import { nestedCalls, type RecordedCall, recordedCalls } from "./session-calls.ts";

/** Operations on the calls of this session. */
export const callOperations = {
  calls: readOperation({
    summary: "List the ended calls of this session, the last one first",
    input: object({ limit: optional(integer("maximum number of calls; default: 100", { minimum: 1 })) }),
    needs: ["session", "sessions"],
    async run({ limit = 100 }, { session, sessions }) {
      const entries = (await sessions?.path(session.id)) ?? [];
      const calls = recordedCalls(entries).slice(-limit).toReversed();
      return ok({
        calls: calls.map(({ callId, tool, args, result, durationMs }) => {
          const { failed, summary } = viewResult(result);
          return { callId, tool, args, durationMs, failed, summary };
        }),
      });
    },
  }),

  call: readOperation({
    summary: "Show everything about a call of this session: arguments, whole output, diff, nested calls",
    input: object({ call: string("the id of the call; `session.calls` lists them") }),
    needs: ["session", "sessions", "config"],
    async run({ call: id }, { session, sessions, config }) {
      const entries = (await sessions?.path(session.id)) ?? [];
      const call = recordedCalls(entries).find(({ callId }) => callId === id);
      if (!call) return err({ message: `This session has no call ${cut(id, 100)} that has ended.` });
      const home = config.home.path;
      const nested = await Promise.all(nestedCalls(entries, call.callId).map((each) => callData(each, home)));
      return ok({ ...(await callData(call, home)), nested });
    },
  }),

  output: readOperation({
    summary: "Show the whole result of a call of this session",
    input: object({ back: optional(integer("1 is the last call, 2 the one before; default: 1", { minimum: 1 })) }),
    needs: ["session", "sessions", "config"],
    async run({ back = 1 }, { session, sessions, config }) {
      const calls = recordedCalls((await sessions?.path(session.id)) ?? []);
      const call = calls.at(-back);
      if (!call)
        return err({
          message:
            calls.length === 0 ? "No tool was called yet." : `This session has only ${plural(calls.length, "call")}.`,
        });
      const { callId: _callId, ...data } = await callData(call, config.home.path);
      return ok(data);
    },
  }),
};

async function callData({ callId, tool, args, result, durationMs }: RecordedCall, home: string) {
  const { failed, summary, output, diff, outputPath } = viewResult(result);
  const spilled = outputPath === undefined ? undefined : await readSpilled(outputPath, home);
  const whole = spilled ?? output ?? resultText(result);
  return { callId, tool, args, durationMs, failed, summary, ...withoutUndefined({ diff }), output: whole };
}

/** The file of an output that was too long for the conversation. Only files that Hermes keeps are read. */
async function readSpilled(path: string, home: string): Promise<string | undefined> {
  if (!resolve(path).startsWith(`${home}/`)) return undefined;
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text && text.length > maxShownChars ? `${cut(text, maxShownChars)}\n… the rest is in ${path}` : text;
}

const maxShownChars = 1_000_000;
