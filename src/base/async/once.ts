/** Calls a function at most once; later callers get the first result, even a rejected promise. */
export function once<T>(make: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: make() }).value;
}
