import { isSafePath } from "./local-files-to-sync.ts";

/** What was sent last, by its place over there. It is kept there, so that every program of the home sees the same one. */
export type Manifest = ReadonlyMap<string, { readonly hash: string; readonly isReadOnly: boolean }>;

export function manifestText(manifest: Manifest): string {
  const lines = [...manifest].map(([path, { hash, isReadOnly }]) => `${hash} ${isReadOnly ? "r" : "w"} ${path}\n`);
  return lines.toSorted().join("");
}

/** Lines that make no sense are left out: somebody over there may have written them. */
export function readManifest(text: string): Manifest {
  const manifest = new Map<string, { readonly hash: string; readonly isReadOnly: boolean }>();
  for (const line of text.split("\n")) {
    const [, hash = "", flag = "", path = ""] = /^([0-9a-f]{64}) ([rw]) (.+)$/u.exec(line) ?? [];
    if (isSafePath(path)) manifest.set(path, { hash, isReadOnly: flag === "r" });
  }
  return manifest;
}
