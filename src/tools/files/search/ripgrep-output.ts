import { isObject } from "../../../base/json.ts";
import { decodeUtf8, lineCount, type MatchedFile, maxLineChars, shownBlock, shownLine } from "./matched-file.ts";
import { readTrailer, type Trailer } from "./search-command.ts";

/**
 * Parses the files of a JSON output, as far as it arrived. Paths are bytes, one per character, so that nothing is lost.
 */
export interface JsonOutput {
  add(chunk: Uint8Array): void;
  readonly files: ReadonlyMap<string, MatchedFile>;
  /** The number of searched files. Undefined if the output is incomplete. */
  readonly searched: number | undefined;
  readonly trailer: Trailer | undefined;
}

export function readJsonOutput(): JsonOutput {
  const files = new Map<string, MatchedFile>();
  let parts: Uint8Array[] = [];
  let searched: number | undefined;
  let trailer: Uint8Array[] | undefined;

  function take(line: Uint8Array): void {
    const event: unknown = JSON.parse(Buffer.from(line).toString());
    if (!isObject(event) || !isObject(event["data"])) return;
    const { data } = event;
    if (event["type"] === "summary") searched = numberIn(data["stats"], "searches");
    else if (event["type"] === "match" || event["type"] === "context" || event["type"] === "end")
      takeEvent(files, event["type"], data);
  }

  return {
    files,
    get searched() {
      return searched;
    },
    get trailer() {
      return trailer && readTrailer(Buffer.concat(trailer));
    },
    add(chunk) {
      let from = 0;
      while (trailer === undefined && from < chunk.length) {
        if (parts.length === 0 && chunk[from] === 0) trailer = [];
        else {
          const end = chunk.indexOf(0x0a, from);
          parts.push(chunk.subarray(from, end < 0 ? chunk.length : end));
          from = end < 0 ? chunk.length : end + 1;
          if (end >= 0) {
            const [only = new Uint8Array()] = parts;
            take(parts.length === 1 ? only : Buffer.concat(parts));
            parts = [];
          }
        }
      }
      trailer?.push(chunk.subarray(from));
    },
  };
}

function takeEvent(
  files: Map<string, MatchedFile>,
  type: "match" | "context" | "end",
  data: Record<string, unknown>,
): void {
  const path = bytesIn(data["path"]).toString("latin1");
  const file = files.get(path) ?? { hits: [], context: new Map<number, string>(), isBinary: false };
  files.set(path, file);
  const line = numberIn(data, "line_number") ?? 0;
  if (type === "end") file.isBinary = typeof data["binary_offset"] === "number";
  else if (type === "context") file.context.set(line, shownLine(decodeUtf8(bytesIn(data["lines"])), 0));
  else {
    const bytes = bytesIn(data["lines"]);
    const text = decodeUtf8(bytes);
    const first: unknown = Array.isArray(data["submatches"]) ? data["submatches"][0] : undefined;
    const index = text.length > maxLineChars ? decodeUtf8(bytes.subarray(0, numberIn(first, "start") ?? 0)).length : 0;
    file.hits.push({ line, lines: lineCount(text), content: shownBlock(text, index) });
  }
}

/** Parses `--count --null`: `path NUL number` lines, then the trailer. */
export function readCounts(bytes: Buffer): {
  readonly counts: ReadonlyMap<string, number>;
  readonly trailer: Trailer | undefined;
} {
  const text = bytes.toString("latin1");
  const counts = new Map<string, number>();
  const record = /([^\0]+)\0(\d+)\r?\n/uy;
  let end = 0;
  for (let result = record.exec(text); result; result = record.exec(text)) {
    counts.set(result[1] ?? "", Number(result[2]));
    end = record.lastIndex;
  }
  return { counts, trailer: bytes[end] === 0 ? readTrailer(bytes.subarray(end)) : undefined };
}

function bytesIn(value: unknown): Buffer {
  if (isObject(value) && typeof value["text"] === "string") return Buffer.from(value["text"]);
  if (isObject(value) && typeof value["bytes"] === "string") return Buffer.from(value["bytes"], "base64");
  return Buffer.alloc(0);
}

function numberIn(value: unknown, key: string): number | undefined {
  const result = isObject(value) ? value[key] : undefined;
  return typeof result === "number" ? result : undefined;
}
