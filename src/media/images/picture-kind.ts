import { imageFacts } from "../../base/files/image-facts.ts";

/** The type of a file, judged by its content alone. */
export type PictureKind =
  | { readonly kind: "image"; readonly format: string; readonly mimeType?: string }
  | { readonly kind: "svg" }
  | { readonly kind: "pdf" }
  | { readonly kind: "video"; readonly format: string; readonly mimeType: string }
  | { readonly kind: "other"; readonly description: string };

export function pictureKind(bytes: Uint8Array): PictureKind {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 4_096)).toString("latin1");
  const facts = imageFacts(bytes);
  if (facts) {
    const { format, mimeType } = facts;
    return { kind: "image", format, ...(mimeType !== undefined && { mimeType }) };
  }
  // A header of a scanner or a mail may precede the signature.
  if (head.slice(0, 1_024).includes("%PDF-")) return { kind: "pdf" };
  const video = videoFormats.find(({ isIt }) => isIt(head));
  if (video) return { kind: "video", format: video.format, mimeType: video.mimeType };
  if (isSvg(head)) return { kind: "svg" };
  return { kind: "other", description: otherKind(head) };
}

/** Comments, a declaration and a document type may precede the root element. */
function isSvg(head: string): boolean {
  let text = head.replace(/^(?:\xef\xbb\xbf)?\s*/u, "");
  // One piece after the other: a pattern that repeats them would try all ways to divide the text.
  for (let piece = prologPiece.exec(text); piece; piece = prologPiece.exec(text)) text = text.slice(piece[0].length);
  return /^<(?:\w+:)?svg[\s>]/iu.test(text);
}

const prologPiece = /^(?:<\?[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*(?:\[[\s\S]*?\]\s*)?>)\s*/iu;

function otherKind(head: string): string {
  if (head.trim() === "") return "empty";
  if (/^\s*<(?:!doctype html|html|head|body)/iu.test(head)) return "a web page, not an image";
  if (/^\s*[{[]/u.test(head)) return "JSON, not an image";
  if (head.startsWith("8BPS")) return "a Photoshop image, which cannot be read here; export it as PNG";
  if (head.startsWith("\xff\x0a") || head.slice(4, 12) === "JXL \r\n\x87\n")
    return "a JPEG XL image, which cannot be read here; export it as PNG or JPEG";
  return "not an image";
}

const matroska = "\x1a\x45\xdf\xa3";

const videoFormats: readonly {
  readonly format: string;
  readonly mimeType: string;
  readonly isIt: (head: string) => boolean;
}[] = [
  { format: "MOV", mimeType: "video/quicktime", isIt: (head) => /^(?:ftypqt|moov|wide|mdat)/u.test(head.slice(4)) },
  { format: "MP4", mimeType: "video/mp4", isIt: (head) => head.startsWith("ftyp", 4) },
  {
    format: "WebM",
    mimeType: "video/webm",
    isIt: (head) => head.startsWith(matroska) && head.slice(0, 64).includes("webm"),
  },
  { format: "MKV", mimeType: "video/x-matroska", isIt: (head) => head.startsWith(matroska) },
  { format: "AVI", mimeType: "video/x-msvideo", isIt: (head) => head.startsWith("RIFF") && head.startsWith("AVI ", 8) },
  {
    format: "MPEG",
    mimeType: "video/mpeg",
    isIt: (head) => head.startsWith("\0\0\x01") && /[\xb0-\xbf]/u.test(head.slice(3, 4)),
  },
];
