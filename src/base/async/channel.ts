/**
 * A queue between one producer that never waits and one reader that iterates. Unread values are buffered up to a
 * capacity; beyond it the oldest are dropped and counted in `dropped`.
 */
export interface Channel<T> extends AsyncIterable<T, void, undefined> {
  /** Returns false if the value will not be read: the channel has ended or the reader has stopped. */
  push(value: T): boolean;
  /** The reader gets the buffered values, then the end. */
  end(): void;
  /** The reader gets the buffered values, then this error, once. */
  fail(error: unknown): void;
  /** Aborted when the reader stops before the end. */
  readonly readerLeft: AbortSignal;
  readonly dropped: number;
}

export function createChannel<T>(options: { readonly capacity?: number } = {}): Channel<T> {
  const capacity = Math.max(1, options.capacity ?? 10_000);
  const kept = createQueue<T>();
  const waiting = createQueue<PromiseWithResolvers<IteratorResult<T, void>>>();
  const left = new AbortController();
  let dropped = 0;
  let isRead = false;
  let ending: { readonly error?: unknown } | undefined;

  function close(how: { readonly error?: unknown }) {
    if (ending) return;
    ending = how;
    for (let reader = waiting.take(); reader; reader = waiting.take()) settle(reader.value);
  }

  /** Settles a reader if nothing is buffered and the channel has ended. */
  function settle(reader: PromiseWithResolvers<IteratorResult<T, void>>) {
    if (ending && "error" in ending) reader.reject(ending.error);
    else reader.resolve({ done: true, value: undefined });
    ending = {};
  }

  const reader: AsyncIterator<T, void, undefined> = {
    next() {
      const next = Promise.withResolvers<IteratorResult<T, void>>();
      const first = kept.take();
      if (first) next.resolve({ done: false, value: first.value });
      else if (ending) settle(next);
      else waiting.add(next);
      return next.promise;
    },
    async return() {
      const early = !ending || kept.size > 0;
      ending ??= {};
      kept.clear();
      for (let open = waiting.take(); open; open = waiting.take()) open.value.resolve({ done: true, value: undefined });
      if (early) left.abort();
      return { done: true, value: undefined };
    },
  };

  return {
    push(value) {
      if (ending) return false;
      const next = waiting.take();
      if (next) {
        next.value.resolve({ done: false, value });
        return true;
      }
      kept.add(value);
      if (kept.size > capacity) {
        kept.take();
        dropped += 1;
      }
      return true;
    },
    end: () => close({}),
    fail: (error) => close({ error }),
    readerLeft: left.signal,
    get dropped() {
      return dropped;
    },
    [Symbol.asyncIterator]() {
      if (isRead) throw new TypeError("a channel has one reader");
      isRead = true;
      return reader;
    },
  };
}

interface Link<T> {
  readonly value: T;
  next?: Link<T>;
}

/** First in, first out, in constant time for any length. */
function createQueue<T>() {
  let first: Link<T> | undefined;
  let last: Link<T> | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(value: T) {
      const link: Link<T> = { value };
      if (last) last.next = link;
      else first = link;
      last = link;
      size += 1;
    },
    take(): { readonly value: T } | undefined {
      const link = first;
      if (!link) return undefined;
      first = link.next;
      if (!first) last = undefined;
      size -= 1;
      return link;
    },
    clear() {
      first = last = undefined;
      size = 0;
    },
  };
}
