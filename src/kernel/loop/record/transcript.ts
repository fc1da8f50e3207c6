import { asId, type EntryId } from "../../../base/ids.ts";
import { err, ok } from "../../../base/result.ts";
import type { Transcript } from "../../../contracts/host/ports.ts";
import type { Message } from "../../../contracts/model/message.ts";
import type { Entry } from "../../../contracts/session/session.ts";
import { toolMessage } from "../../dispatch/result/render.ts";

/** Reads the record of one session. */
export function createTranscript(entryOf: (id: EntryId) => Promise<Entry | undefined>): Transcript {
  return {
    async read(id) {
      const entry = await entryOf(asId<EntryId>(id));
      const shown = entry && shownEntry(entry);
      return shown ? ok(shown) : err({ message: `There is nothing with the id ${id} in this conversation.` });
    },
  };
}

function shownEntry(entry: Entry): { readonly about: string; readonly text: string } | undefined {
  switch (entry.type) {
    case "message":
      return { about: entry.message.role === "user" ? "said to you" : "said by you", text: textOf(entry.message) };
    case "settled": {
      const message = toolMessage({ id: entry.callId, name: entry.tool, args: {} }, entry.result);
      return { about: `result of ${entry.tool}`, text: textOf(message) };
    }
    case "compacted":
      return { about: "a summary", text: entry.messages.map(textOf).join("\n\n") };
    default:
      return undefined;
  }
}

function textOf(message: Message): string {
  const parts = message.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
  const calls =
    message.role === "assistant"
      ? message.calls.map(({ name, args }) => `${name} ${typeof args === "string" ? args : JSON.stringify(args)}`)
      : [];
  return [...parts, ...calls].join("\n");
}
