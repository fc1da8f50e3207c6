import type { Clock } from "../../base/clock.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { streamProgram, type Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";

interface ClipboardPlace {
  readonly env: Variables;
  readonly platform: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

type ClipboardBytes = { readonly image: Uint8Array } | { readonly text: string };

/** Reads the clipboard with the first suitable program on this machine. */
export async function readClipboard(
  kind: "image" | "any",
  place: ClipboardPlace,
): Promise<Result<ClipboardBytes, { readonly message: string }>> {
  const program = clipboardProgram(place);
  if (!program) return err({ message: missingText(place) });
  const image = await program.image(place);
  if (image && image.length > 0) return ok({ image });
  if (kind === "image") return err({ message: "The clipboard has no image." });
  const text = await program.text(place);
  return text === undefined || text === "" ? err({ message: "The clipboard is empty." }) : ok({ text });
}

interface ClipboardProgram {
  image(place: ClipboardPlace): Promise<Uint8Array | undefined>;
  text(place: ClipboardPlace): Promise<string | undefined>;
}

function clipboardProgram({ env, platform }: ClipboardPlace): ClipboardProgram | undefined {
  const has = (name: string) => findProgram([name], env) !== undefined;
  if (platform === "darwin") return macos;
  if (env["WAYLAND_DISPLAY"] && has("wl-paste"))
    return listing("wl-paste", ["--list-types"], (type) => ["--no-newline", "--type", type]);
  if (env["DISPLAY"] && has("xclip")) {
    const base = ["-selection", "clipboard", "-o"];
    return listing("xclip", [...base, "-t", "TARGETS"], (type) => [...base, "-t", type]);
  }
  const powershell = ["powershell.exe", "pwsh"].find(has);
  return powershell !== undefined && (platform === "win32" || env["WSL_DISTRO_NAME"]) ? windows(powershell) : undefined;
}

function missingText({ env }: ClipboardPlace): string {
  if (env["WAYLAND_DISPLAY"]) return "The clipboard cannot be read: install wl-clipboard (wl-paste).";
  if (env["DISPLAY"]) return "The clipboard cannot be read: install xclip.";
  return "This machine has no clipboard that Hermes can read. Paste with the terminal, or drop an image file onto it.";
}

/** Programs that list the types in the clipboard and return one of them. */
function listing(
  program: string,
  list: readonly string[],
  give: (type: string) => readonly string[],
): ClipboardProgram {
  const types = async (place: ClipboardPlace) =>
    (await output(program, list, place))?.toString("utf8").split(/\s+/u) ?? [];
  return {
    async image(place) {
      const offered = await types(place);
      const type = imageTypes.find((each) => offered.includes(each));
      return type === undefined ? undefined : output(program, give(type), place);
    },
    async text(place) {
      const offered = await types(place);
      const type = textTypes.find((each) => offered.includes(each));
      return type === undefined ? undefined : (await output(program, give(type), place))?.toString("utf8");
    },
  };
}

const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const textTypes = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"];

const macos: ClipboardProgram = {
  async image(place) {
    const answer = await output("osascript", ["-e", "get the clipboard as «class PNGf»"], place);
    const hex = /^«data PNGf([0-9A-F]+)»/u.exec(answer?.toString("utf8") ?? "")?.[1];
    return hex === undefined ? undefined : Buffer.from(hex, "hex");
  },
  text: async (place) => (await output("pbpaste", [], place))?.toString("utf8"),
};

function windows(program: string): ClipboardProgram {
  const script = (text: string) => ["-NoProfile", "-NonInteractive", "-Sta", "-Command", text];
  return {
    async image(place) {
      const answer = await output(program, script(savePng), place);
      return answer && Buffer.from(answer.toString("utf8").trim(), "base64");
    },
    text: async (place) =>
      (await output(program, script("Get-Clipboard -Raw"), place))?.toString("utf8").replace(/\r?\n$/u, ""),
  };
}

const savePng =
  "Add-Type -AssemblyName System.Windows.Forms; $i=[Windows.Forms.Clipboard]::GetImage(); if($i){$s=New-Object IO.MemoryStream;" +
  "$i.Save($s,[Drawing.Imaging.ImageFormat]::Png);[Convert]::ToBase64String($s.ToArray())}";

const timeoutMs = 5_000;
const maxBytes = 64 * 2 ** 20;

/** Undefined if the program fails, prints too much or takes too long. */
async function output(
  program: string,
  args: readonly string[],
  { env, signal, clock }: ClipboardPlace,
): Promise<Buffer | undefined> {
  const stop = new AbortController();
  using _timer = clock.after(timeoutMs, () => stop.abort());
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = await streamProgram({
    program,
    args,
    env,
    signal: AbortSignal.any([signal, stop.signal]),
    onOutput(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) stop.abort();
      else chunks.push(Uint8Array.from(chunk));
      return true;
    },
    resume: async () => {},
    onErrorOutput() {},
  });
  return end.how === "exit" && end.code === 0 ? Buffer.concat(chunks) : undefined;
}
