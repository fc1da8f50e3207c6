import type { Clock } from "../../../base/clock.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { plural } from "../../../base/text/text.ts";
import type { ExtractedDocument, FileReads } from "../../../contracts/host/ports.ts";

/**
 * The document that bytes are, told by their beginning. Undefined: they are none. An error goes on "the file is": what it
 * is, why it has no text for us and what to do.
 */
export async function documentOf(
  bytes: Uint8Array,
  hash: string,
  reads: Pick<FileReads, "document">,
  within: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Result<ExtractedDocument, string> | undefined> {
  const kind = kinds.find(({ begins }) => begins.every((byte, at) => bytes[at] === byte));
  if (isLockedOffice(bytes))
    return err(
      `an office document, ${plural(bytes.length, "byte")}: it is protected by a password. Save it without one.`,
    );
  if (!kind) return undefined;
  const { documentText } = await import("./document-text.ts");
  const extracted = await reads.document(hash, () => documentText(bytes, within));
  if (extracted.ok) return ok(extracted.value);
  const { what, why } = extracted.error;
  return err(`${what === "a document" ? kind.name : what}, ${plural(bytes.length, "byte")}: ${why}. ${kind.advice}.`);
}

/** Office programs put an encrypted document into a container of the old kind, under this name. */
function isLockedOffice(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd0 && bytes[1] === 0xcf && Buffer.from(bytes).includes("EncryptedPackage", 0, "utf16le");
}

const kinds = [
  { name: "a PDF document", begins: Buffer.from("%PDF-"), advice: "Try the terminal, such as: pdftotext, ocrmypdf" },
  {
    name: "a ZIP archive or a document that is one",
    begins: Buffer.from("PK\x03\x04"),
    advice: "Look into it in the terminal, such as: unzip -l",
  },
  { name: "an RTF document", begins: Buffer.from("{\\rtf"), advice: "Try the terminal, such as: strings" },
];
