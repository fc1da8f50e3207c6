import { once } from "./once.ts";

/** Named values that their first user opens and that are closed together. */
export interface OpenedByName<T> extends AsyncDisposable {
  /** Opens the value at the first call; later calls get the same one. If opening fails, the next call tries again. */
  get<N extends keyof T>(name: N): Promise<T[N]>;
  /** Opens only the named values. */
  open<N extends keyof T>(...names: readonly N[]): Promise<Pick<T, N>>;
  isOpen(name: keyof T): boolean;
}

/** An opener gets the other values and a stack for values that must be closed. */
export interface Opener<T> extends Pick<OpenedByName<T>, "get" | "isOpen"> {
  /** Registers a resource to dispose with the others, in reverse order. */
  use<R extends Disposable | AsyncDisposable>(resource: R): R;
}

export function openByName<T>(openers: {
  readonly [N in keyof T]: (opener: Opener<T>) => Promise<T[N]>;
}): OpenedByName<T> {
  const opened: { [N in keyof T]?: Promise<T[N]> } = {};
  const resources = new AsyncDisposableStack();
  let isClosed = false;
  const isOpen = (name: keyof T) => opened[name] !== undefined;
  const opener: Opener<T> = { get, isOpen, use: (resource) => resources.use(resource) };

  function get<N extends keyof T>(name: N): Promise<T[N]> {
    if (isClosed) throw new Error(`${String(name)} was requested after everything was closed`);
    const existing = opened[name];
    if (existing) return existing;
    const value = openers[name](opener);
    opened[name] = value;
    value.catch(() => delete opened[name]);
    return value;
  }

  return {
    get,
    async open<N extends keyof T>(...names: readonly N[]) {
      const pairs = await Promise.all(names.map(async (name) => [name, await get(name)] as const));
      // The cast is safe: each value is stored under its own name.
      return Object.fromEntries(pairs) as Pick<T, N>;
    },
    isOpen,
    [Symbol.asyncDispose]: once(async () => {
      isClosed = true;
      await Promise.allSettled(Object.values(opened));
      await resources.disposeAsync();
    }),
  };
}
