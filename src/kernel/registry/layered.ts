/**
 * A stack of values for each key: the last added value is on top, and removing a value from any depth keeps the others
 * in order. Keys without values are removed.
 */
interface Layered<K, V> {
  put(key: K, value: V): void;
  /** Removes a value. Returns false if it is missing. */
  remove(key: K, value: V): boolean;
  has(key: K, value: V): boolean;
  top(key: K): V | undefined;
  tops(): Iterable<readonly [K, V]>;
  /** The values of a key, from the first added to the last. */
  layers(): Iterable<readonly V[]>;
}

export function layered<K, V>(): Layered<K, V> {
  const stacks = new Map<K, V[]>();
  return {
    put(key, value) {
      const stack = stacks.get(key);
      if (stack) stack.push(value);
      else stacks.set(key, [value]);
    },
    remove(key, value) {
      const stack = stacks.get(key);
      const index = stack?.lastIndexOf(value) ?? -1;
      if (!stack || index < 0) return false;
      stack.splice(index, 1);
      if (stack.length === 0) stacks.delete(key);
      return true;
    },
    has: (key, value) => stacks.get(key)?.includes(value) ?? false,
    top: (key) => stacks.get(key)?.at(-1),
    *tops() {
      for (const [key, stack] of stacks) {
        const top = stack.at(-1);
        if (top !== undefined) yield [key, top];
      }
    },
    layers: () => stacks.values(),
  };
}
