import type { Message } from "../contracts/model/message.ts";
import type { Personality } from "../contracts/session/runtime.ts";
import { textOf, type TurnCompanion } from "../contracts/session/turn-companion.ts";

/**
 * The system prompt never changes, so that providers can cache it. A chosen personality is sent to the model with the
 * next prompt, and again after a compaction that removed it.
 */
export function personalityCompanion(of: {
  /** The chosen personality. Undefined: none was chosen since the session was opened. */
  chosen(): Personality | undefined;
  history(): readonly Message[];
}): TurnCompanion {
  return {
    added: (part) => part.type === "text" && marker.exec(part.text)?.index === 0,
    async before() {
      const chosen = of.chosen();
      if (!chosen) return [];
      const names = of
        .history()
        .flatMap(({ role, content }) => (role === "user" ? (marker.exec(textOf(content))?.[1] ?? []) : []));
      if ((names.at(-1) ?? noPersonality) === chosen.name) return [];
      return [{ type: "text", text: noteOf(chosen) }];
    },
  };
}

/** The name that stands for the model's default style. */
export const noPersonality = "none";

const marker = /^\[Personality ([\w-]+), from now on[.:]/mu;

function noteOf({ name, text }: Personality): string {
  if (name === noPersonality) return `[Personality ${name}, from now on. Answer in your usual manner again.]`;
  return `[Personality ${name}, from now on: ${text} This is about the manner of your answers only: tools, code, files and safety rules stay as they are.]`;
}
