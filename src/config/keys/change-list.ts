import { join } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import { type Home, homeFiles } from "../home.ts";
import type { ConfigFault } from "../problem.ts";
import type { WriteContext } from "../sources/trust.ts";
import { changeConfig } from "../write.ts";
import { editYaml } from "../yaml/edit-yaml.ts";
import type { YamlFile } from "../yaml/read-yaml.ts";
import { valueAt } from "./deprecated-keys.ts";
import type { KeyPath } from "./key-path.ts";
import { keyText } from "./key-path.ts";

export interface ListChange {
  readonly file: string;
  /** The added or removed entries; empty if nothing changed. */
  readonly changed: readonly string[];
}

/**
 * Adds entries to a list of texts in `config.yaml`, without duplicates. Keeps comments. Concurrent changes are not
 * lost.
 */
export async function addToList(
  home: Home,
  path: KeyPath,
  entries: readonly string[],
  context: WriteContext,
): Promise<Result<ListChange, ConfigFault>> {
  return change(home, path, context, (list) => {
    const added = [...new Set(entries)].filter((entry) => !list.includes(entry));
    return added.map((value, index) => ({ value, step: list.length + index, entry: value }));
  });
}

/** Removes all such entries from a list of texts in `config.yaml`. Keeps comments of the others. */
export async function removeFromList(
  home: Home,
  path: KeyPath,
  entries: readonly string[],
  context: WriteContext,
): Promise<Result<ListChange, ConfigFault>> {
  return change(home, path, context, (list) =>
    // Removes from the end, so that earlier indexes stay valid.
    list.flatMap((entry, step) => (entries.includes(entry) ? [{ value: undefined, step, entry }] : [])).toReversed(),
  );
}

interface Edit {
  readonly value: string | undefined;
  readonly step: number;
  readonly entry: string;
}

async function change(
  home: Home,
  path: KeyPath,
  context: WriteContext,
  edits: (list: readonly string[]) => readonly Edit[],
): Promise<Result<ListChange, ConfigFault>> {
  let changed: readonly string[] = [];
  const written = await changeConfig(home, context, async (yaml) => {
    const result = valueAt(yaml.tree, path) ?? [];
    // A single text counts as a list of one.
    const list = typeof result === "string" ? [result] : result;
    if (!isTexts(list)) return refuse(path, "is not a list of texts; correct the file by hand");
    const requested = edits(list);
    changed = requested.map(({ entry }) => entry);
    if (requested.length === 0) return ok(undefined);
    const edited = await apply(yaml, path, list, requested);
    return edited.ok ? ok(edited.value.mark + edited.value.text) : refuse(path, edited.error);
  });
  return written.ok ? ok({ file: join(home.path, homeFiles.config), changed }) : written;
}

async function apply(
  yaml: YamlFile,
  path: KeyPath,
  list: readonly string[],
  edits: readonly Edit[],
): Promise<Result<YamlFile, string>> {
  const isThere = Array.isArray(valueAt(yaml.tree, path));
  const isEmptied = edits.every(({ value }) => value === undefined) && edits.length === list.length;
  if (!isThere || list.length === 0 || isEmptied) {
    const next = edits.flatMap(({ value }) => value ?? []);
    const kept = isEmptied ? [] : list;
    return editYaml(yaml, path, kept.length + next.length === 0 ? undefined : [...kept, ...next]);
  }
  let edited = yaml;
  for (const { step, value } of edits) {
    const next = await editYaml(edited, [...path, step], value);
    if (!next.ok) return next;
    edited = next.value;
  }
  return ok(edited);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function refuse(path: KeyPath, message: string): { readonly ok: false; readonly error: ConfigFault } {
  return err({ problems: [{ key: keyText(path), message, hint: "nothing was written" }] });
}
