/** A map that costs nothing to copy: copies share what they hold until one of them changes. */
export class SharedMap<V> {
  #map: ReadonlyMap<string, V>;
  /** The same map, where nobody else has it. */
  #own: Map<string, V> | undefined;

  constructor(content: ReadonlyMap<string, V> = new Map()) {
    this.#map = content;
  }

  copy(): SharedMap<V> {
    this.#own = undefined;
    return new SharedMap(this.#map);
  }

  /** Neither has changed since one was copied from the other. */
  isCopyOf(other: SharedMap<V>): boolean {
    return this.#map === other.#map;
  }

  get(key: string): V | undefined {
    return this.#map.get(key);
  }

  has(key: string): boolean {
    return this.#map.has(key);
  }

  set(key: string, value: V): void {
    this.#changing().set(key, value);
  }

  delete(key: string): void {
    if (this.#map.has(key)) this.#changing().delete(key);
  }

  entries(): Iterable<[string, V]> {
    return this.#map.entries();
  }

  keys(): Iterable<string> {
    return this.#map.keys();
  }

  #changing(): Map<string, V> {
    if (this.#own) return this.#own;
    this.#own = new Map(this.#map);
    this.#map = this.#own;
    return this.#own;
  }
}
