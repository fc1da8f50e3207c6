import type { FrameWorld } from "./frame-worlds.ts";

/** An element with its reference, as a walk found it. */
export interface SeenElement {
  readonly world: FrameWorld;
  /** Its number in its own frame. */
  readonly local: number;
  readonly role: string;
  readonly name: string;
  /** The containers around it, as text: equal for an element that replaces another one. */
  readonly path: string;
  /** The target of a link. */
  readonly to?: string;
}

export type RefLookup =
  | { readonly how: "found"; readonly element: SeenElement }
  /** `page`: the address of the page that had it. */
  | { readonly how: "old"; readonly page: string; readonly element: SeenElement }
  | { readonly how: "unknown"; readonly last: number };

/**
 * Numbers of elements over all frames and documents of a tab. Only an element that looks the same gets the number of
 * another one.
 */
export interface RefTable {
  /**
   * Records one walk over all frames and returns the numbers of its elements. An element that replaces a removed one
   * (same role, name and containers) inherits its number. If the model is about to see the page (`isShown`), so does an
   * element that also was on an earlier page of the same site: a link with the same target, a field, or a part of the
   * header, the footer or a menu. Other elements, such as buttons, continue only on the page with the same address.
   */
  record(
    page: { readonly key: string; readonly url: string; readonly isShown?: boolean },
    seen: readonly SeenElement[],
    isAlive: (elements: readonly SeenElement[]) => Promise<ReadonlySet<SeenElement>>,
  ): Promise<readonly number[]>;
  find(number: number): RefLookup;
  /** The number of an element that was named outside of a walk. */
  numberOf(element: SeenElement): number;
}

interface RefEntry {
  readonly number: number;
  readonly element: SeenElement;
  readonly pageKey: string;
  readonly url: string;
}

export function createRefTable(): RefTable {
  const entries = new Map<number, RefEntry>();
  const numbers = new Map<string, number>();
  /** The numbers of elements on pages that the model saw. */
  const shownNumbers = new Map<string, number>();
  let last = 0;
  let page = { key: "", url: "" };
  let recorded: RecordedWalk | undefined;

  function note(number: number, element: SeenElement, key = keyOf(element)): number {
    entries.set(number, { number, element, pageKey: page.key, url: page.url });
    numbers.set(key, number);
    return number;
  }

  function forgetOld(): void {
    // An old number is kept long enough for a message about it.
    for (const number of entries.keys()) {
      if (entries.size <= maxEntries) return;
      const entry = entries.get(number);
      if (entry && entry.pageKey !== page.key) {
        entries.delete(number);
        numbers.delete(keyOf(entry.element));
      }
    }
  }

  /** The elements of the main document that have no double, by site and sign. */
  function siteSigns(seen: readonly SeenElement[]): Map<string, SeenElement> {
    const site = URL.parse(page.url)?.origin ?? "null";
    if (site === "null") return new Map();
    const own = seen.filter(({ world }) => world.owner === undefined);
    return uniqueBy(own, (element) => {
      const { role, name, path, to = "" } = element;
      return `${continues(element) ? site : page.url}\n${role}\n${name}\n${path}\n${to}`;
    });
  }

  return {
    async record(current, seen, isAlive) {
      if (recorded && isSameWalk(recorded, current, seen)) return recorded.numbers;
      page = current;
      const keys = seen.map(keyOf);
      const numbersBefore = keys.map((key) => numbers.get(key));
      const present = new Set(numbersBefore);
      const fresh = seen.filter((_, index) => numbersBefore[index] === undefined);
      const missing =
        fresh.length === 0
          ? []
          : [...entries.values()].filter(({ number, pageKey }) => pageKey === current.key && !present.has(number));
      const heirs = new Map<SeenElement, number>();
      if (missing.length > 0) {
        const bySign = uniqueBy(missing, ({ element }) => signOf(element));
        const pairs = [...uniqueBy(fresh, signOf)].flatMap(([sign, element]) => {
          const entry = bySign.get(sign);
          return entry ? [{ element, entry }] : [];
        });
        const alive = pairs.length > 0 ? await isAlive(pairs.map(({ entry }) => entry.element)) : new Set();
        for (const { element, entry } of pairs) {
          if (alive.has(entry.element)) continue;
          numbers.delete(keyOf(entry.element));
          heirs.set(element, entry.number);
        }
      }
      const signs = current.isShown ? siteSigns(seen) : new Map<string, SeenElement>();
      const freshElements = new Set(fresh);
      for (const [sign, element] of signs) {
        const number = shownNumbers.get(sign);
        const entry = number === undefined ? undefined : entries.get(number);
        if (!entry || entry.pageKey === current.key || !freshElements.has(element) || heirs.has(element)) continue;
        numbers.delete(keyOf(entry.element));
        heirs.set(element, entry.number);
      }
      const result = seen.map((element, index) =>
        note(numbersBefore[index] ?? heirs.get(element) ?? ++last, element, keys[index]),
      );
      for (const [sign, element] of signs) shownNumbers.set(sign, numbers.get(keyOf(element)) ?? 0);
      for (const sign of shownNumbers.keys()) {
        if (shownNumbers.size <= maxEntries) break;
        shownNumbers.delete(sign);
      }
      forgetOld();
      recorded = { page: current, seen, numbers: result };
      return result;
    },
    find(number) {
      const entry = entries.get(number);
      if (!entry) return { how: "unknown", last };
      return entry.pageKey === page.key
        ? { how: "found", element: entry.element }
        : { how: "old", page: entry.url, element: entry.element };
    },
    numberOf: (element) => numbers.get(keyOf(element)) ?? note(++last, element),
  };
}

const maxEntries = 50_000;

interface RecordedWalk {
  readonly page: Parameters<RefTable["record"]>[0];
  readonly seen: readonly SeenElement[];
  readonly numbers: readonly number[];
}

/** Whether the walk gives what the last one gave. */
function isSameWalk(
  { page, seen: before }: RecordedWalk,
  current: RecordedWalk["page"],
  seen: readonly SeenElement[],
): boolean {
  if (page.key !== current.key || page.url !== current.url || page.isShown !== current.isShown) return false;
  return (
    before.length === seen.length &&
    seen.every(({ world, local, role, name, path, to }, index) => {
      const old = before[index];
      return (
        old?.local === local &&
        old.world === world &&
        old.role === role &&
        old.name === name &&
        old.path === path &&
        old.to === to
      );
    })
  );
}

/** Whether the element is the same on each page of a site. Others can act on the content of their page. */
function continues({ role, path, to }: SeenElement): boolean {
  if (role === "link") return to !== undefined;
  return fieldRoles.has(role) || /\/(?:banner|navigation|search|contentinfo) /u.test(`${path} `);
}

const fieldRoles: ReadonlySet<string> = new Set(
  "textbox searchbox combobox listbox spinbutton slider date color file list items table".split(" "),
);

function keyOf({ world, local }: SeenElement): string {
  return `${world.key}#${local}`;
}

function signOf({ world, role, name, path }: SeenElement): string {
  return `${world.key} ${role} ${name} ${path}`;
}

function uniqueBy<T>(values: readonly T[], signature: (value: T) => string): Map<string, T> {
  const entry = new Map<string, T>();
  const twice = new Set<string>();
  for (const value of values) {
    const key = signature(value);
    if (entry.has(key)) twice.add(key);
    entry.set(key, value);
  }
  for (const key of twice) entry.delete(key);
  return entry;
}

/** `@e12`, `e12` or `12` as a number. */
export function readRef(text: string): number | undefined {
  const match = /^\s*\[?(?:ref=)?@?e?(\d{1,9})\]?\s*$/iu.exec(text);
  return match ? Number(match[1]) : undefined;
}
