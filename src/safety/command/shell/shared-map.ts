/**
 * A map with cheap copies. All copies share one table, which contains the values of the copy that was used last; every
 * other copy stores its difference from a neighbour. Alternating between copies is slow; using one after the other is
 * fast.
 */
export class SharedMap<V> {
  #version: Version<V>;

  /**
   * Uses a `Map` as its table: the caller must not change it afterwards. If a function is passed, it creates the table
   * when it is needed for the first time.
   */
  constructor(content: Iterable<readonly [string, V]> | (() => Map<string, V>) | SharedMap<V> = emptyTable) {
    if (content instanceof SharedMap) this.#version = content.#version;
    else if (typeof content === "function") this.#version = newVersion(undefined, undefined, content);
    else this.#version = newVersion(content instanceof Map ? content : new Map(content), undefined);
  }

  copy(): SharedMap<V> {
    return new SharedMap<V>(this);
  }

  /** Returns whether neither map changed since one was copied from the other. */
  isCopyOf(other: SharedMap<V>): boolean {
    return this.#version === other.#version;
  }

  /** True if nothing changed since the map was created. */
  get isInitial(): boolean {
    return this.#version.last === undefined;
  }

  get(key: string): V | undefined {
    return turnedTo(this.#version).get(key);
  }

  has(key: string): boolean {
    return turnedTo(this.#version).has(key);
  }

  set(key: string, value: V): void {
    const table = turnedTo(this.#version);
    if (table.get(key) === value && table.has(key)) return;
    this.#change(key);
    table.set(key, value);
  }

  delete(key: string): void {
    const table = turnedTo(this.#version);
    if (!table.has(key)) return;
    this.#change(key);
    table.delete(key);
  }

  entries(): readonly (readonly [string, V])[] {
    return [...turnedTo(this.#version)];
  }

  keys(): readonly string[] {
    return [...turnedTo(this.#version).keys()];
  }

  /** Returns the keys that these copies of one map changed since they were equal. */
  static changedIn(maps: readonly SharedMap<unknown>[]): readonly string[] {
    const names = new Set<string>();
    const [first, ...others] = maps.map((map) => map.#version.last);
    let common = first;
    for (let other of others) {
      while (common !== other) {
        if ((common?.count ?? 0) >= (other?.count ?? 0)) {
          if (common) names.add(common.key);
          common = common?.before;
        } else {
          if (other) names.add(other.key);
          other = other?.before;
        }
      }
    }
    return [...names];
  }

  /** Starts a new version; the previous one keeps the old value of `key`. */
  #change(key: string): void {
    const before = this.#version;
    const { table, last } = before;
    if (table === undefined) return;
    this.#version = newVersion(table, { key, before: last, count: (last?.count ?? 0) + 1 });
    turn(before, this.#version, key, table);
  }
}

function emptyTable<V>(): Map<string, V> {
  return new Map();
}

/** A version has the table, creates it on first use, or differs from `next` in one key. */
interface Version<V> {
  table: Map<string, V> | undefined;
  readonly make: () => Map<string, V>;
  next: Version<V> | undefined;
  key: string;
  value: V | undefined;
  isThere: boolean;
  readonly last: Change | undefined;
}

function newVersion<V>(
  table: Map<string, V> | undefined,
  last: Change | undefined,
  make: () => Map<string, V> = emptyTable,
): Version<V> {
  return { table, make, next: undefined, key: "", value: undefined, isThere: false, last };
}

/** The history of changes, oldest first. */
interface Change {
  readonly key: string;
  readonly before: Change | undefined;
  readonly count: number;
}

/** Stores `version` as its difference from `next`, which gets the table. */
function turn<V>(version: Version<V>, next: Version<V>, key: string, table: Map<string, V>): void {
  version.table = undefined;
  version.next = next;
  version.key = key;
  version.value = table.get(key);
  version.isThere = table.has(key);
}

function turnedTo<V>(version: Version<V>): Map<string, V> {
  if (version.table) return version.table;
  const way: Version<V>[] = [];
  let node = version;
  while (node.table === undefined && node.next) {
    way.push(node);
    node = node.next;
  }
  const table = (node.table ??= node.make());
  for (const each of way.toReversed()) {
    const { key, value, isThere } = each;
    turn(node, each, key, table);
    // Safe cast: the value comes from a table of the same type.
    if (isThere) table.set(key, value as V);
    else table.delete(key);
    each.table = table;
    each.next = undefined;
    node = each;
  }
  return table;
}
