/** A kind of file, identified by its first bytes. */
export interface MagicKind {
  /** The name with its article: "a PNG image". */
  readonly name: string;
  readonly magic: readonly number[];
  readonly at?: number;
  /** True if the bytes match even without NUL bytes, because no text starts like this. */
  readonly always?: boolean;
  /** Tells the model how to handle such a file in the terminal. */
  readonly advice?: string;
}

/** Returns the kind that the first bytes match. Unless `always` is set, a text may start with the same bytes. */
export function magicKind(bytes: Uint8Array): MagicKind | undefined {
  return kinds.find(({ magic, at: offset = 0 }) => magic.every((byte, index) => bytes[offset + index] === byte));
}

const ascii = (text: string): readonly number[] => [...Buffer.from(text, "latin1")];
const listArchive = "List it in the terminal, such as: bsdtar -tf, or tar -tf";
const probe = "Describe it in the terminal, such as: ffprobe";
const convert = "Convert it to PNG or JPEG in the terminal to look at it";
const utf16 = "UTF-16 text; convert it first, such as: iconv -f UTF-16 -t UTF-8";
const utf32 = "UTF-32 text; convert it first, such as: iconv -f UTF-32 -t UTF-8";

const kinds: readonly MagicKind[] = [
  { name: "a PNG image", magic: ascii("\x89PNG\r\n"), always: true },
  { name: "a JPEG image", magic: [0xff, 0xd8, 0xff], always: true },
  { name: "a GIF image", magic: ascii("GIF8") },
  { name: "a WebP image", magic: ascii("WEBP"), at: 8 },
  { name: "a BMP image", magic: ascii("BM"), advice: convert },
  { name: "an AVIF image", magic: ascii("ftypavi"), at: 4, advice: convert },
  { name: "a HEIC image", magic: ascii("ftyphei"), at: 4, advice: convert },
  { name: "a HEIC image", magic: ascii("ftypmif1"), at: 4, advice: convert },
  { name: "a TIFF image", magic: ascii("II*\0"), advice: convert },
  { name: "a TIFF image", magic: ascii("MM\0*"), advice: convert },
  { name: "a Photoshop image", magic: ascii("8BPS"), advice: convert },
  { name: "an ICO image", magic: [0, 0, 1, 0], advice: convert },
  { name: "a PDF document", magic: ascii("%PDF-"), always: true },
  {
    name: "a ZIP archive (or a document, such as docx or xlsx, that is one)",
    magic: ascii("PK\x03\x04"),
    always: true,
    advice: "List it in the terminal: unzip -l",
  },
  { name: "an empty ZIP archive", magic: ascii("PK\x05\x06"), always: true },
  {
    name: "a document of an old office program (doc, xls, ppt)",
    magic: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    always: true,
    advice: "Convert it in the terminal, such as: libreoffice --headless --convert-to docx",
  },
  { name: "gzip data", magic: [0x1f, 0x8b], always: true, advice: "Read it in the terminal: zcat" },
  { name: "bzip2 data", magic: ascii("BZh"), advice: "Read it in the terminal: bzcat" },
  { name: "xz data", magic: ascii("\xfd7zXZ\0"), always: true, advice: "Read it in the terminal: xzcat" },
  { name: "Zstandard data", magic: [0x28, 0xb5, 0x2f, 0xfd], always: true, advice: "Read it in the terminal: zstdcat" },
  { name: "a 7-Zip archive", magic: ascii("7z\xbc\xaf"), always: true, advice: listArchive },
  { name: "a RAR archive", magic: ascii("Rar!\x1a"), always: true, advice: listArchive },
  { name: "a tar archive", magic: ascii("ustar"), at: 257, advice: listArchive },
  { name: "an archive of object files or a Debian package", magic: ascii("!<arch>\n") },
  {
    name: "an ELF program or library",
    magic: ascii("\x7fELF"),
    always: true,
    advice: "Look into it in the terminal: readelf -h, strings",
  },
  { name: "a Windows program", magic: ascii("MZ"), advice: "Look into it in the terminal: strings" },
  { name: "a Mach-O program", magic: [0xcf, 0xfa, 0xed, 0xfe], always: true },
  { name: "a Java class or a Mach-O program", magic: [0xca, 0xfe, 0xba, 0xbe], always: true },
  { name: "a WebAssembly module", magic: ascii("\0asm"), always: true },
  {
    name: "an SQLite database",
    magic: ascii("SQLite format 3\0"),
    always: true,
    advice: "Ask it in the terminal: sqlite3 FILE .schema",
  },
  { name: "a Parquet file", magic: ascii("PAR1"), advice: "Read it with a program, such as Python's pandas" },
  { name: "MP3 audio", magic: ascii("ID3"), advice: probe },
  { name: "MP3 audio", magic: [0xff, 0xfb], advice: probe },
  { name: "FLAC audio", magic: ascii("fLaC"), advice: probe },
  { name: "Ogg audio or video", magic: ascii("OggS"), advice: probe },
  { name: "WAV audio", magic: ascii("WAVE"), at: 8, advice: probe },
  { name: "AVI video", magic: ascii("AVI "), at: 8, advice: probe },
  { name: "MP4 or QuickTime video or audio", magic: ascii("ftyp"), at: 4, advice: probe },
  { name: "Matroska or WebM video", magic: [0x1a, 0x45, 0xdf, 0xa3], always: true, advice: probe },
  { name: "a font", magic: ascii("wOF2"), always: true },
  { name: "a font", magic: ascii("wOFF") },
  { name: "a font", magic: ascii("OTTO\0") },
  { name: "a font", magic: [0, 1, 0, 0, 0] },
  { name: utf32, magic: [0xff, 0xfe, 0, 0] },
  { name: utf32, magic: [0, 0, 0xfe, 0xff] },
  { name: utf16, magic: [0xff, 0xfe] },
  { name: utf16, magic: [0xfe, 0xff] },
];
