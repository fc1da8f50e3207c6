/** The same function, called at most once; later callers get the first answer, also when it was a failure. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
