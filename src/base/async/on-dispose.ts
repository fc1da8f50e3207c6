/** Calls `run` once, when it is disposed. */
export function onDispose(run: () => void): Disposable {
  return new DisposeOnce(run);
}

/** A class, because Node creates an object literal with a symbol as its key many times slower. */
class DisposeOnce implements Disposable {
  #run: (() => void) | undefined;

  constructor(run: () => void) {
    this.#run = run;
  }

  [Symbol.dispose](): void {
    const run = this.#run;
    this.#run = undefined;
    run?.();
  }
}
