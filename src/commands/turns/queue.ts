import { plural, oneLine } from "../../base/text/text.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import { textOf } from "../../contracts/session/turn-companion.ts";
import { heldQueueText, promptText } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";

export const queueCommand: SlashCommand = {
  name: "queue",
  aliases: ["q"],
  args: "<prompt> | list | edit N [text] | rm N | move A B | send | clear",
  summary: "Queue a prompt after the running turn, or change the queue",
  async run(args, { run }) {
    if (args === "clear") {
      const { removed } = await run("session.clearQueue", {});
      return { text: removed === 0 ? listText([]) : `Removed ${plural(removed, "prompt")} from the queue.` };
    }
    if (args === "send") {
      const { sent } = await run("session.sendHeld", {});
      return sent > 0 ? { text: "" } : { text: "No prompt is held.", failed: true };
    }
    if (args === "" || args === "list") {
      const { queued, held, heldPrompts } = await run("session.queue", {});
      const note = heldPrompts === 0 ? "" : `\n${heldQueueText(heldPrompts)}`;
      return { text: `${listText(queued, held)}${note}` };
    }
    const change =
      /^(?:(?<verb>edit|rm|remove) (?<place>\d+)(?:\s+(?<text>[\s\S]+))?|move (?<from>\d+) (?<to>\d+))$/u.exec(args);
    if (change?.groups) return changed(change.groups, run);
    const [, word = wrongPlace(args)] = /^(?:rm|remove|edit) (\S+)$/u.exec(args) ?? [];
    if (word !== undefined)
      return { text: `"${oneLine(word, 40)}" is not a position in the queue. /queue list shows it.`, failed: true };
    if (/^(?:rm|remove|edit|move)$/u.test(args))
      return { text: `Usage: /queue ${args === "move" ? "move A B" : `${args} N`}`, failed: true };
    const { isBusy, queued } = await run("session.queue", { text: args });
    return { text: isBusy ? `Queued after the running turn (${plural(queued.length, "prompt")}).` : "" };
  },
};

async function changed(
  { verb, place, text, from, to }: Readonly<Record<string, string | undefined>>,
  run: SlashContext["run"],
) {
  if (from !== undefined) {
    const { queued } = await run("session.moveQueued", { place: Number(from), to: Number(to) });
    return { text: listText(queued) };
  }
  const position = Number(place);
  if (verb !== "edit") {
    const { removed } = await run("session.removeQueued", { place: position });
    return { text: `Removed: ${oneLine(promptText(removed), 160)}` };
  }
  if (text !== undefined) {
    const { queued } = await run("session.editQueued", { place: position, text });
    return { text: listText(queued) };
  }
  // Without a new text, the prompt is moved back to the input line.
  const { removed } = await run("session.removeQueued", { place: position });
  return {
    text: `Removed prompt ${position} from the queue. Edit it, and send it with /queue.`,
    effect: { kind: "draft", text: `/queue ${textOf(removed)}` } as const,
  };
}

/** The word that is not a number in `move A B`, if the other one is. Anything else may be a prompt. */
function wrongPlace(args: string): string | undefined {
  const words = /^move (\S+) (\S+)$/u.exec(args)?.slice(1) ?? [];
  const wrong = words.filter((word) => !/^\d+$/u.test(word));
  return words.length === 2 && wrong.length === 1 ? wrong[0] : undefined;
}

function listText(queued: readonly (readonly ContentPart[])[], held: readonly boolean[] = []): string {
  const lines = queued.map(
    (content, index) => `  ${index + 1}. ${held[index] ? "(held) " : ""}${oneLine(promptText(content), 160)}`,
  );
  return lines.join("\n") || "The queue is empty.";
}
