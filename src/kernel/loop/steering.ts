import type { ContentPart } from "../../contracts/model/message.ts";

/** Messages that the user sends while a turn runs. */
export interface Steering {
  /** Adds a message that the model gets with its next request. */
  steer(content: readonly ContentPart[]): void;
  /** Like `steer`, but also cancels the running model request. */
  redirect(content: readonly ContentPart[]): void;
  /** Returns the waiting messages, oldest first, and marks them as delivered. */
  take(): readonly (readonly ContentPart[])[];
  readonly isWaiting: boolean;
  onRedirect(stop: () => void): Disposable;
}

export function createSteering(): Steering {
  let waiting: (readonly ContentPart[])[] = [];
  const listeners = new Set<() => void>();
  return {
    steer: (content) => void waiting.push(content),
    redirect(content) {
      waiting.push(content);
      for (const stop of listeners) stop();
    },
    take() {
      const messages = waiting;
      waiting = [];
      return messages;
    },
    get isWaiting() {
      return waiting.length > 0;
    },
    onRedirect(stop) {
      listeners.add(stop);
      return { [Symbol.dispose]: () => void listeners.delete(stop) };
    },
  };
}
