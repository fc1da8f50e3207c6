import type { JsonValue } from "../json.ts";

/** The keys and list indexes that lead to a value. */
export type YamlPath = readonly (string | number)[];

export interface FlowJson {
  readonly value: JsonValue;
  /** Offsets of all keys and items inside. */
  readonly places: readonly (readonly [YamlPath, number])[];
}

const token =
  /([{}[\],] *)|("[\w./@ -]+":) *|("(?:[^"\\]|\\["\\/bfnrt])*"|true|false|null|(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\w.+-])) */uy;
const deepest = 20;

/**
 * Parses JSON on one line, as programs write it into YAML. Undefined for everything that YAML could interpret
 * differently, and for keys that settings may not have.
 */
export function flowJson(text: string): FlowJson | undefined {
  const places: (readonly [YamlPath, number])[] = [];
  let offset = 0;
  let [mark, key, scalar] = ["", "", ""];

  function advance(): boolean {
    token.lastIndex = offset;
    const match = token.exec(text);
    [mark, key, scalar] = [match?.[1]?.trim() ?? "", match?.[2] ?? "", match?.[3] ?? ""];
    offset += match?.[0].length ?? 0;
    return match !== null;
  }

  /** Parses the value that starts at the current token. */
  function valueAt(path: YamlPath): JsonValue | undefined {
    if (scalar !== "") return JSON.parse(scalar) as JsonValue;
    if (path.length > deepest) return undefined;
    if (mark === "[") return listAt(path);
    return mark === "{" ? mapAt(path) : undefined;
  }

  function listAt(path: YamlPath): JsonValue | undefined {
    const items: JsonValue[] = [];
    for (;;) {
      const first = offset;
      if (!advance()) return undefined;
      if (mark === "]" && items.length === 0) return items;
      places.push([[...path, items.length], first]);
      const item = valueAt([...path, items.length]);
      if (item === undefined || !advance()) return undefined;
      items.push(item);
      if (mark === "]") return items;
      if (mark !== ",") return undefined;
    }
  }

  function mapAt(path: YamlPath): JsonValue | undefined {
    const pairs = new Map<string, JsonValue>();
    for (;;) {
      const first = offset;
      if (!advance()) return undefined;
      if (mark === "}" && pairs.size === 0) return {};
      const name = key.slice(1, -2);
      if (name === "" || name.length > 200 || name === "__proto__" || pairs.has(name)) return undefined;
      places.push([[...path, name], first]);
      if (!advance()) return undefined;
      const value = valueAt([...path, name]);
      if (value === undefined || !advance()) return undefined;
      pairs.set(name, value);
      if (mark === "}") return Object.fromEntries(pairs);
      if (mark !== ",") return undefined;
    }
  }

  const value = advance() && scalar === "" ? valueAt([]) : undefined;
  return value === undefined || offset < text.length ? undefined : { value, places };
}
