import type { JsonValue } from "../../base/json.ts";
import type { ForeignFile } from "./foreign-tree.ts";

/** One item to import. `skip`: why it is not imported. */
export type PlannedImport = {
  /** Its name in the plan, such as `skill review`. */
  readonly name: string;
  /** The source file. */
  readonly from: string;
  readonly note?: string;
  readonly skip?: string;
} & (
  | { readonly kind: "file"; readonly to: string; readonly text: string }
  | { readonly kind: "skill"; readonly skill: string; readonly files: readonly ForeignFile[] }
  | { readonly kind: "note"; readonly target: "memory" | "user"; readonly text: string }
  | { readonly kind: "setting"; readonly path: readonly string[]; readonly value: JsonValue }
  | { readonly kind: "secret"; readonly variable: string; readonly value: string }
  /** Cannot be imported. */
  | { readonly kind: "other" }
);

/** Choices of the person. */
export interface ImportChoices {
  /** `user-data`: without settings, servers and secrets. */
  readonly preset: "full" | "user-data";
  readonly overwrite: boolean;
  readonly secrets: boolean;
  readonly skillConflict: "skip" | "overwrite" | "rename";
  /** The folder that gets an AGENTS.md of a workspace. */
  readonly workspace?: string;
}

/**
 * Converts a name to a valid skill name of lower-case letters, digits and "-". Undefined if no valid character is left.
 */
export function skillNameFrom(name: string): string | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 64);
  return plain === "" ? undefined : plain;
}

/** Converts a prompt of another program to a skill, which `/name` runs. */
export function skillFromPrompt(name: string, text: string, origin: string): ForeignFile {
  const match = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/u.exec(text);
  const body = (match?.[2] ?? text).trim();
  const described = /^description:\s*(.+)$/mu
    .exec(match?.[1] ?? "")?.[1]
    ?.trim()
    .replaceAll(/^["']|["']$/gu, "");
  const firstLine = body
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.replace(/^#+\s*/u, "")
    .trim();
  const description = (described ?? firstLine ?? name).slice(0, 200);
  const head = `---\nname: ${name}\ndescription: ${JSON.stringify(`${description} (a prompt of ${origin})`)}\n---\n\n`;
  return { path: "SKILL.md", bytes: Buffer.from(`${head}${body}\n`) };
}

/** Notes of a Markdown file: its list items and paragraphs, without headings. */
export function notesOf(markdown: string): readonly string[] {
  const withoutCode = markdown.replaceAll(/```[\s\S]*?```/gu, "").replaceAll(/<!--[\s\S]*?-->/gu, "");
  const notes: string[] = [];
  for (const block of withoutCode.split(/\n\s*\n/u)) {
    const lines = block.split("\n").filter((line) => line.trim() !== "" && !/^\s*#|^\s*[-*_]{3,}\s*$/u.test(line));
    let current = "";
    for (const line of lines) {
      const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/u.exec(line)?.[1];
      if (item !== undefined && current !== "") notes.push(current);
      current = item ?? (current === "" ? line.trim() : `${current} ${line.trim()}`);
    }
    if (current !== "") notes.push(current);
  }
  return notes.map((note) => note.trim()).filter((note) => note.length > 1);
}
