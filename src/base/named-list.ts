/** Values by name. A later value replaces an earlier one of the same name until it is disposed. */
export interface NamedList<T extends { readonly name: string }> {
  add(value: T): Disposable;
  find(name: string): T | undefined;
  /** The active values, in the order in which they were added. */
  list(): readonly T[];
}

export function createNamedList<T extends { readonly name: string }>(values: readonly T[] = []): NamedList<T> {
  let entries = values.map((value) => ({ value }));
  const find = (name: string) => entries.findLast(({ value }) => value.name === name)?.value;
  /** Cached, because it is read at every call and rarely changes. */
  let active: readonly T[] | undefined;
  const change = (changed: typeof entries) => {
    entries = changed;
    active = undefined;
  };
  return {
    add(value) {
      const entry = { value };
      change([...entries, entry]);
      return { [Symbol.dispose]: () => change(entries.filter((each) => each !== entry)) };
    },
    find,
    list: () => (active ??= entries.flatMap(({ value }) => (find(value.name) === value ? [value] : []))),
  };
}
