/** The kind of an audio file, recognised by its first bytes. */
export interface SoundKind {
  /** The file extension of this kind. */
  readonly extension: string;
  readonly mimeType: string;
  /** The format name in ffmpeg. It is given explicitly, so that a file cannot pass as a playlist of other files. */
  readonly demuxer: string;
}

/** Undefined if the bytes are not in an audio format that Hermes reads. */
export function soundKind(bytes: Uint8Array): SoundKind | undefined {
  const head = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WAVE") return kinds.wav;
  if (head.startsWith("OggS")) return kinds.ogg;
  if (head.startsWith("fLaC")) return kinds.flac;
  if (head.startsWith("\x1aE\xdf\xa3")) return kinds.webm;
  if (head.slice(4, 8) === "ftyp") return kinds.m4a;
  if (head.startsWith("FORM") && /^AIF[FC]/u.test(head.slice(8, 12))) return kinds.aiff;
  if (head.startsWith("#!AMR")) return kinds.amr;
  if (head.startsWith("caff")) return kinds.caf;
  if (head.startsWith("ID3")) return kinds.mp3;
  const [first = 0, second = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  return (second & 0xf6) === 0xf0 ? kinds.aac : kinds.mp3;
}

const kinds = {
  wav: { extension: "wav", mimeType: "audio/wav", demuxer: "wav" },
  ogg: { extension: "ogg", mimeType: "audio/ogg", demuxer: "ogg" },
  flac: { extension: "flac", mimeType: "audio/flac", demuxer: "flac" },
  webm: { extension: "webm", mimeType: "audio/webm", demuxer: "matroska" },
  m4a: { extension: "m4a", mimeType: "audio/mp4", demuxer: "mov" },
  aiff: { extension: "aiff", mimeType: "audio/aiff", demuxer: "aiff" },
  amr: { extension: "amr", mimeType: "audio/amr", demuxer: "amr" },
  caf: { extension: "caf", mimeType: "audio/x-caf", demuxer: "caf" },
  mp3: { extension: "mp3", mimeType: "audio/mpeg", demuxer: "mp3" },
  aac: { extension: "aac", mimeType: "audio/aac", demuxer: "aac" },
} as const satisfies Record<string, SoundKind>;
