/** Calls a function at most once; later callers get the first result, even a rejected promise. */
export function once<T>(make: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: make() }).value;
}

/** Like `once`, for each object: the result lives as long as the object. */
export function oncePer<K extends WeakKey, T>(make: (key: K) => T): (key: K) => T {
  const results = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    const earlier = results.get(key);
    if (earlier) return earlier.value;
    const value = make(key);
    results.set(key, { value });
    return value;
  };
}
