import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { appendLinesTo } from "../../base/files/append-lines.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, type JsonObject, type JsonValue, parsedJson } from "../../base/json.ts";
import { readStateFile, stateFiles } from "../state-files.ts";

/** A skill that was installed from a source, in its state at the installation. */
export interface InstalledSkill {
  readonly name: string;
  readonly id: string;
  readonly publisher: string;
  readonly trust: string;
  readonly verdict: string;
  /** The hash of the skill's content. */
  readonly hash: string;
  /** The path below the skills folder. */
  readonly path: string;
  readonly version?: string;
  readonly installedAt: number;
}

/** The hub's state in a home: installed skills, taps, and a log. */
export interface HubState {
  installed(): readonly InstalledSkill[];
  keep(skill: InstalledSkill): Promise<void>;
  forget(name: string): Promise<void>;
  taps(): readonly string[];
  setTaps(taps: readonly string[]): Promise<void>;
  /** Appends one line to the log. */
  note(what: HubNote): Promise<void>;
  notes(): Promise<readonly HubNote[]>;
}

/** An entry of the log. */
export interface HubNote {
  readonly at: string;
  readonly what: "installed" | "updated" | "uninstalled";
  readonly name: string;
  readonly id: string;
  readonly hash: string;
}

export function createHubState(skills: string): HubState {
  const folder = join(skills, hubFolder);
  const audit = join(folder, "audit.jsonl");

  async function write(name: string, value: JsonValue): Promise<void> {
    await makeFolder(folder, 0o700);
    const written = await writeFileAtomic(join(folder, name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    if (!written.ok) throw new Error(written.error.message);
  }

  const locked = (): JsonObject => {
    const value = readStateFile(skills, stateFiles.hubLock)?.["skills"];
    return isObject(value) ? value : {};
  };

  return {
    installed: () => Object.entries(locked()).flatMap(([name, value]) => installedOf(name, value)),
    async keep({ name, ...rest }) {
      await write("lock.json", { version: 1, skills: { ...locked(), [name]: { ...rest } } });
    },
    async forget(name) {
      const { [name]: _, ...others } = locked();
      await write("lock.json", { version: 1, skills: others });
    },
    taps() {
      const value = readStateFile(skills, `${hubFolder}/taps.json`)?.["taps"];
      return Array.isArray(value) ? value.filter((tap) => typeof tap === "string") : [];
    },
    setTaps: (taps) => write("taps.json", { version: 1, taps: [...taps] }),
    async note(what) {
      await makeFolder(folder, 0o700);
      appendLinesTo(audit, `${JSON.stringify(what)}\n`);
    },
    async notes() {
      const text = await readFile(audit, "utf8").catch(() => "");
      return text.split("\n").flatMap((line) => {
        const value = parsedJson(line);
        // The cast is safe: only `note` writes the file.
        return isObject(value) && typeof value["what"] === "string" ? [value as unknown as HubNote] : [];
      });
    },
  };
}

export const hubFolder = ".hermes-hub";

function installedOf(name: string, value: JsonValue | undefined): readonly InstalledSkill[] {
  if (!isObject(value)) return [];
  const text = (key: string) => (typeof value[key] === "string" ? value[key] : "");
  const { version, installedAt } = value;
  if (text("id") === "" || text("hash") === "") return [];
  return [
    {
      name,
      id: text("id"),
      publisher: text("publisher"),
      trust: text("trust"),
      verdict: text("verdict"),
      hash: text("hash"),
      path: text("path") || name,
      ...(typeof version === "string" && { version }),
      installedAt: typeof installedAt === "number" ? installedAt : 0,
    },
  ];
}
