import type { JsonObject } from "../../base/json.ts";
import type { KeyPath } from "../keys/key-path.ts";

/** The settings in a file. Independent of the YAML library and its types. */
export interface SettingsFile {
  readonly file: string;
  readonly tree: JsonObject;
  /** The position of a key in the file; undefined when the key is absent or comes from an alias. */
  place(path: KeyPath): { readonly line: number; readonly column: number } | undefined;
}
