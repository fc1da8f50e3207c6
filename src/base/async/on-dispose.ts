/** Returns a disposable that calls `run` once, when it is disposed. */
export function onDispose(run: () => void): Disposable {
  return new DisposeOnce(run);
}

/** A class, because Node is many times slower with an object literal that has a symbol key. */
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
