import type { ModelClient } from "../../contracts/model/model.ts";

/** The currently selected model of a session, wrapped as one client. */
export interface ActiveModel extends ModelClient {
  current(): ModelClient;
  /** Switches the model. `forOneTurn`: after `endTurn`, the previous model is used again. */
  change(next: ModelClient, forOneTurn: boolean): void;
  endTurn(): void;
}

export function createActiveModel(first: ModelClient): ActiveModel {
  let current = first;
  let previous: ModelClient | undefined;
  return {
    current: () => current,
    facts: () => current.facts(),
    stream: (request, signal, classify) => current.stream(request, signal, classify),
    get beside() {
      return current.beside ?? current;
    },
    change(next, forOneTurn) {
      previous = forOneTurn ? (previous ?? current) : undefined;
      current = next;
    },
    endTurn() {
      current = previous ?? current;
      previous = undefined;
    },
  };
}
