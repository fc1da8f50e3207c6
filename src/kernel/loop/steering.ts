import type { ContentPart } from "../../contracts/model/message.ts";

/** Messages of the user while a turn runs. */
export interface Steering {
  /** Reaches the model before its next request. */
  steer(content: readonly ContentPart[]): void;
  /** Like `steer`, and the running request is cancelled for it. */
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
