import type { Message } from "../contracts/model/message.ts";
import type { ModelFacts } from "../contracts/model/model.ts";
import { textOf, type TurnCompanion } from "../contracts/session/turn-companion.ts";

/**
 * The system prompt names the first model of the session and never changes. After a switch, the next prompt tells the new
 * model its name once.
 */
export function modelCompanion(of: {
  /** `provider/model` that the system prompt names. */
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
      const told = of.history().findLast((message) => message.role === "user" && marker.test(textOf(message.content)));
      const known = told ? marker.exec(textOf(told.content))?.groups?.["name"] : of.first;
      return known === name ? [] : [{ type: "text", text: `[You now run on ${name}.]` }];
    },
  };
}

const marker = /^\[You run on (?<name>\S+) now\.\]$/mu;
