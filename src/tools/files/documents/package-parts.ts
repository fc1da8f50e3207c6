import { dirname, join, normalize } from "node:path/posix";

import { readXml, type XmlEvents } from "./xml-events.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Where a part of an office document leads to. */
export interface Relation {
  /** The last word of its type, such as `worksheet`. */
  readonly type: string;
  /** The name of a part, or an address outside of the document. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The relations of a part, by id; of the document itself for "". */
export function relationsOf(zip: ZipArchive, part: string): ReadonlyMap<string, Relation> {
  const relations = new Map<string, Relation>();
  const folder = dirname(part);
  const list = part === "" ? "_rels/.rels" : join(folder, "_rels", `${part.slice(part.lastIndexOf("/") + 1)}.rels`);
  readPart(zip, list, {
    open(name, tag) {
      const id = tag.attribute("Id");
      const target = tag.attribute("Target");
      if (name !== "Relationship" || id === undefined || target === undefined) return;
      const isExternal = tag.attribute("TargetMode") === "External";
      relations.set(id, {
        type: tag.attribute("Type")?.split("/").at(-1) ?? "",
        target: isExternal ? target : partName(folder, target),
        isExternal,
      });
    },
  });
  return relations;
}

/** Tells of a part, if it is there. False: it is damaged. */
export function readPart(zip: ZipArchive, name: string, events: XmlEvents): boolean {
  const bytes = zip.read(name);
  return bytes === undefined || readXml(bytes, events);
}

function partName(folder: string, target: string): string {
  return target.startsWith("/") ? normalize(target.slice(1)) : normalize(join(folder, target));
}
