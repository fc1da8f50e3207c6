import { isDeepStrictEqual } from "node:util";

import type { Node, Pair } from "yaml";

import type { JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Home } from "../home.ts";
import type { ConfigFault } from "../problem.ts";
import type { WriteContext } from "../sources/trust.ts";
import { changeConfig } from "../write.ts";
import { styleOf } from "../yaml/edit-yaml.ts";
import { parseYaml, type YamlFile, yamlOptions } from "../yaml/read-yaml.ts";
import { moveDeprecatedKeys, type KeyMove, keyMoves, moveText } from "./deprecated-keys.ts";
import type { KeyPath } from "./key-path.ts";

/** The text of a file after moving its deprecated keys. `undefined`: it has none. */
export interface Migration {
  readonly text: string;
  readonly notices: readonly string[];
}

/** Moves the deprecated keys of the user's file to their new names, with their comments. */
export async function migrateConfig(
  home: Home,
  context: WriteContext,
): Promise<Result<readonly string[], ConfigFault>> {
  const notices: string[] = [];
  const changed = await changeConfig(home, context, async (yaml) => {
    const migration = await planMigration(yaml);
    if (!migration.ok) return err({ problems: [{ file: yaml.file, message: migration.error }] });
    notices.push(...(migration.value?.notices ?? []));
    return ok(migration.value?.text);
  });
  return changed.ok ? ok(notices) : changed;
}

/** Works on the document, so that comments and order survive, and parses the result before returning it. */
export async function planMigration(yaml: YamlFile): Promise<Result<Migration | undefined, string>> {
  const moves = keyMoves(yaml.tree);
  if (moves.length === 0) return ok(undefined);
  const { isMap, isNode, isScalar, parseDocument, visit } = await import("yaml");
  const document = parseDocument(yaml.text, yamlOptions);
  for (const move of moves) apply(move);
  const text = written();
  const read = text === undefined ? undefined : await parseYaml(yaml.file, Buffer.from(text));
  if (text === undefined || !read?.ok || !isDeepStrictEqual(read.value.tree, moveDeprecatedKeys(yaml.tree).tree)) {
    return err(
      "its deprecated keys cannot be moved without changing more (an anchor or alias is involved); edit it by hand",
    );
  }
  return ok({ text, notices: moves.map(moveText) });

  function written(): string | undefined {
    try {
      return restored(document.toString(styleOf(yaml.text)), yaml);
    } catch {
      // After the move, the alias would come before its anchor.
      return undefined;
    }
  }

  function apply({ key, value, drop }: KeyMove): void {
    const pair = takePair(key.from);
    if (pair === undefined || drop) return;
    const name = key.to.at(-1) ?? "";
    const kept = key.convert === undefined ? pair.value : converted(pair.value, value);
    const before = key.to.slice(0, -1);
    for (let length = 1; length <= before.length; length++) {
      const head = before.slice(0, length);
      if (!isMap(document.getIn(head, true))) document.setIn(head, document.createNode({}));
    }
    const parent = before.length === 0 ? document.contents : document.getIn(before, true);
    if (!isMap(parent)) return;
    const scalar = document.createNode(name);
    const note = isScalar(pair.key) ? pair.key.commentBefore : undefined;
    if (isScalar(scalar) && note) scalar.commentBefore = note;
    parent.items.push(document.createPair(scalar, kept));
  }

  /** The new value, with the comments inside and after the old one. */
  function converted(old: unknown, value: JsonValue): Node {
    const node = document.createNode(value);
    const notes: string[] = [];
    if (isNode(old))
      visit(old, (_, part) => {
        if (isNode(part)) notes.push(...[part.commentBefore, part.comment].filter((note) => typeof note === "string"));
      });
    if (notes.length > 0) node.commentBefore = notes.join("\n");
    return node;
  }

  function takePair(path: KeyPath): Pair | undefined {
    const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    if (!isMap(parent)) return undefined;
    const index = parent.items.findIndex(({ key }) => isScalar(key) && key.value === path.at(-1));
    return index < 0 ? undefined : parent.items.splice(index, 1)[0];
  }
}

function restored(text: string, yaml: YamlFile): string {
  return yaml.mark + (yaml.text.includes("\r\n") ? text.replaceAll(/\r?\n/gu, "\r\n") : text);
}
