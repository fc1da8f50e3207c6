import type { Message } from "../contracts/model/message.ts";
import type { ModelFacts } from "../contracts/model/model.ts";
import { textOf, type TurnCompanion } from "../contracts/session/turn-companion.ts";

/**
 * The system prompt contains the name of the session's first model and never changes. After a switch, the next prompt
 * contains the new model's name once.
 */
export function modelCompanion(of: {
  /** The `provider/model` in the system prompt. */
  readonly first: string;
  model(): ModelFacts;
  history(): readonly Message[];
}): TurnCompanion {
  return {
    added: (part) => part.type === "text" && marker.exec(part.text)?.[0] === part.text,
    async before() {
      const { provider, model, offline } = of.model();
      if (offline) return [];
      const name = `${provider}/${model}`;
      const names = of
        .history()
        .flatMap(({ role, content }) => (role === "user" ? (nameIn(textOf(content)) ?? []) : []));
      return (names.at(-1) ?? of.first) === name ? [] : [{ type: "text", text: `[You now run on ${name}.]` }];
    },
  };
}

/** Older sessions contain the second form. */
const marker = /^\[You (?:now run on (\S+)|run on (\S+) now)\.\]$/mu;

function nameIn(text: string): string | undefined {
  const [, name, oldName] = marker.exec(text) ?? [];
  return name ?? oldName;
}
