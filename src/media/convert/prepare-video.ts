import { err, ok, type Result } from "../../base/result.ts";
import { sizeText } from "../../base/text/size-text.ts";
import type { Picture, PreparedVideo, VideoFrame } from "../../contracts/media/pictures.ts";
import { pictureKind } from "../images/picture-kind.ts";
import type { ConversionFault, ConvertFile } from "./convert-file.ts";

export interface VideoTools {
  /** True if the vision model accepts whole videos. */
  readonly takesVideo: boolean;
  /** A frame in the form that models accept. */
  readonly frame: (jpeg: Uint8Array) => Promise<Result<Picture>>;
  readonly convert: ConvertFile;
}

/**
 * Converts a video to a form that the model accepts: as a whole if the model supports it and it is small enough,
 * otherwise as frames.
 */
export async function prepareVideo(
  bytes: Uint8Array,
  { takesVideo, frame, convert }: VideoTools,
  signal: AbortSignal,
): Promise<Result<PreparedVideo>> {
  const kind = pictureKind(bytes);
  if (kind.kind !== "video") return err({ message: "It is not a video: MP4, WebM, MOV, AVI, MKV or MPEG." });
  if (bytes.length > maxVideoBytes)
    return err({ message: `The video has ${sizeText(bytes.length)}; at most ${sizeText(maxVideoBytes)} are read.` });
  if (takesVideo && bytes.length <= maxWholeBytes && wholeTypes.has(kind.mimeType)) {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    return ok({ kind: "video", content: { type: "video", mimeType: kind.mimeType, data } });
  }
  const probed = await probe(bytes, convert, signal);
  if (!probed.ok) return err({ message: faultText(probed.error) });
  const { seconds, changes } = probed.value;
  const times = frameTimes(seconds, changes);
  const drawn = await draw(bytes, times, convert, signal);
  if (!drawn.ok) return err({ message: faultText(drawn.error) });
  const frames: VideoFrame[] = [];
  for (const { atSeconds, jpeg } of drawn.value) {
    const picture = await frame(jpeg);
    if (picture.ok) frames.push({ atSeconds, content: picture.value.content });
  }
  if (frames.length === 0) return err({ message: "No frame of the video could be decoded." });
  const notes =
    bytes.length > largeBytes
      ? [`The video is large (${sizeText(bytes.length)}): parts between the frames are not seen.`]
      : [];
  return ok({ kind: "frames", seconds, frames, notes });
}

/** The maximum size, which is 50 MB in base64. */
const maxVideoBytes = 37_500_000;
const largeBytes = 20_000_000;
/** The number of videos per request is limited, and the session keeps them. */
const maxWholeBytes = 14_000_000;
const wholeTypes: ReadonlySet<string> = new Set([
  "video/mp4",
  "video/webm",
  "video/quicktime",
  "video/mpeg",
  "video/x-msvideo",
]);

const maxFrames = 12;

/** The times of the frames: evenly spaced, moved to the next scene change within each interval, at most twelve. */
function frameTimes(seconds: number, changes: readonly number[]): readonly number[] {
  const count = Math.max(1, Math.min(maxFrames, Math.ceil(seconds)));
  const span = seconds / count;
  return Array.from({ length: count }, (_, index) => {
    const change = changes.find((each) => each >= index * span && each < (index + 1) * span);
    const middle = (index + 0.5) * span;
    // The frame is taken right after a cut, when the new scene is complete.
    return Math.min(change === undefined ? middle : change + settleSeconds, Math.max(0, seconds - 0.05));
  });
}

const settleSeconds = 0.1;

interface ProbedVideo {
  readonly seconds: number;
  /** Scene changes. */
  readonly changes: readonly number[];
}

/** Finds the duration and the scene changes. In a long video, only key frames are compared. */
async function probe(
  input: Uint8Array,
  convert: ConvertFile,
  signal: AbortSignal,
): Promise<Result<ProbedVideo, ConversionFault>> {
  const watch = (isShort: boolean) =>
    convert(
      {
        programs: ["ffmpeg"],
        args: (_, { input: file }) => [
          ...quiet,
          ...(isShort ? [] : ["-skip_frame", "nokey"]),
          "-i",
          file,
          ..."-map 0:v:0 -an -sn -vf scale=160:-2,select='gt(scene,0.3)',metadata=print:file=- -f null -".split(" "),
        ],
        input,
        timeoutMs: 60_000,
        maxOutputBytes: 1_000_000,
      },
      signal,
    );
  const length = await convert(
    {
      programs: ["ffprobe"],
      args: (_, { input: file }) => [
        ..."-v error -show_entries format=duration:stream=codec_type,duration -of json".split(" "),
        file,
      ],
      input,
      timeoutMs: 30_000,
      maxOutputBytes: 1_000_000,
    },
    signal,
  );
  if (!length.ok) return length;
  const facts: ProbeJson = readJson(length.value.stdout);
  if (!facts.streams?.some(({ codec_type }) => codec_type === "video"))
    return err({ kind: "failed", message: "it has no picture" });
  const durations = [facts.format?.duration, ...facts.streams.map(({ duration }) => duration)].map(Number);
  const seconds = durations.find((each) => Number.isFinite(each) && each > 0) ?? 1;
  const watched = await watch(seconds <= 60);
  // Without scene changes, frames are evenly spaced.
  const printed = watched.ok ? watched.value.stdout : "";
  const changes = [...printed.matchAll(/pts_time:([\d.]+)/gu)].map(([, time]) => Number(time));
  return ok({ seconds, changes });
}

interface ProbeJson {
  readonly format?: { readonly duration?: string };
  readonly streams?: readonly { readonly codec_type?: string; readonly duration?: string }[];
}

function readJson(text: string): ProbeJson {
  try {
    // The cast is safe: ffprobe wrote the JSON, and missing fields are handled.
    return JSON.parse(text) as ProbeJson;
  } catch {
    return {};
  }
}

/** Extracts the frames at these times in one run: each time is a separate input, so that ffmpeg seeks. */
async function draw(
  input: Uint8Array,
  times: readonly number[],
  convert: ConvertFile,
  signal: AbortSignal,
): Promise<Result<readonly { readonly atSeconds: number; readonly jpeg: Uint8Array }[], ConversionFault>> {
  const drawn = await convert(
    {
      programs: ["ffmpeg"],
      args: (_program, { input: file, output }) => [
        ...quiet,
        ...times.flatMap((time) => ["-ss", time.toFixed(3), "-i", file]),
        ...times.flatMap((_, index) => [
          ...`-map ${index}:v:0 -frames:v 1 -vf scale='min(1280,iw)':-2 -q:v 3 -update 1`.split(" "),
          `${output}/${index}.jpg`,
        ]),
      ],
      input,
      timeoutMs: 120_000,
      maxOutputBytes: 100_000_000,
    },
    signal,
  );
  if (!drawn.ok) return drawn;
  return ok(
    drawn.value.files.map(({ name, bytes }) => ({ atSeconds: times[Number.parseInt(name, 10)] ?? 0, jpeg: bytes })),
  );
}

const quiet = ["-nostdin", "-hide_banner", "-v", "error"];

function faultText({ kind, message }: ConversionFault): string {
  if (kind === "missing")
    return "Videos are shown as frames, which needs ffmpeg and ffprobe. Install ffmpeg, or use a model that takes videos (Gemini, Kimi K2.5).";
  return `The video cannot be read: ${message.replace(/\.$/u, "")}.`;
}
