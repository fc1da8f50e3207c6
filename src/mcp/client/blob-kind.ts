import { isUtf8 } from "node:buffer";

import { imageFacts } from "../../base/files/image-facts.ts";

/** The kind of some bytes. */
export interface BlobKind {
  readonly mimeType: string;
  /** Without a dot. */
  readonly extension: string;
  readonly isText?: boolean;
  /** True for an image that models accept. */
  readonly isImage?: boolean;
}

/**
 * The kind of a server's bytes, by their content. The type that the server declares only distinguishes kinds whose
 * bytes look the same, such as the formats that are ZIP archives.
 */
export function kindOfBlob(bytes: Uint8Array, declared: string): BlobKind {
  const [plain = ""] = declared.toLowerCase().split(";");
  const image = imageFacts(bytes);
  if (image) {
    const extension = image.format.toLowerCase();
    const { mimeType } = image;
    return { mimeType: mimeType ?? `image/${extension}`, extension, isImage: mimeType !== undefined };
  }
  const match = signatures.find(([offset, text]) => latin1(bytes, offset, text.length) === text);
  if (match) {
    const [, , mimeType, extension] = match;
    const special = extension === "zip" ? zipped[plain] : undefined;
    return special === undefined ? { mimeType, extension } : { mimeType: plain, extension: special };
  }
  if (bytes.includes(0) || !isUtf8(bytes)) return { mimeType: "application/octet-stream", extension: "bin" };
  const extension = texts[plain];
  return extension === undefined
    ? { mimeType: "text/plain", extension: "txt", isText: true }
    : { mimeType: plain, extension, isText: true };
}

function latin1(bytes: Uint8Array, offset: number, length: number): string {
  return Buffer.from(bytes.subarray(offset, offset + length)).toString("latin1");
}

type Signature = readonly [offset: number, text: string, mimeType: string, extension: string];

const signatures: readonly Signature[] = [
  [0, "%PDF-", "application/pdf", "pdf"],
  [0, "PK\x03\x04", "application/zip", "zip"],
  [0, "\x1f\x8b", "application/gzip", "gz"],
  [0, "BZh", "application/x-bzip2", "bz2"],
  [0, "\xfd7zXZ\0", "application/x-xz", "xz"],
  [0, "\x28\xb5\x2f\xfd", "application/zstd", "zst"],
  [0, "7z\xbc\xaf", "application/x-7z-compressed", "7z"],
  [0, "SQLite format 3\0", "application/vnd.sqlite3", "db"],
  [0, "\xd0\xcf\x11\xe0", "application/x-ole-storage", "ole"],
  [0, "PAR1", "application/vnd.apache.parquet", "parquet"],
  [0, "\0asm", "application/wasm", "wasm"],
  [0, "ID3", "audio/mpeg", "mp3"],
  [0, "fLaC", "audio/flac", "flac"],
  [0, "OggS", "application/ogg", "ogg"],
  [8, "WAVE", "audio/wav", "wav"],
  [4, "ftyp", "video/mp4", "mp4"],
  [0, "\x1a\x45\xdf\xa3", "video/webm", "webm"],
];

const office = "application/vnd.openxmlformats-officedocument";
const zipped: Readonly<Record<string, string>> = {
  [`${office}.wordprocessingml.document`]: "docx",
  [`${office}.spreadsheetml.sheet`]: "xlsx",
  [`${office}.presentationml.presentation`]: "pptx",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/epub+zip": "epub",
};

const texts: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/markdown": "md",
  "text/csv": "csv",
  "text/html": "html",
  "text/xml": "xml",
  "application/xml": "xml",
  "application/json": "json",
  "application/yaml": "yaml",
  "image/svg+xml": "svg",
};
