import { words } from "../../../base/text/words.ts";
import { readOptions } from "../programs/options.ts";
import { hole } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { resolvePathText } from "./path-rules.ts";

/** A folder in which a command unpacks a downloaded archive. */
export interface UnpackedArchive {
  readonly folder: string;
  /** The name of the archive, without version and extension. Empty if unknown. */
  readonly stem: string;
  /** True if the command names the folder, so that everything in it may come from the archive. */
  readonly isNamed: boolean;
}

/** Returns the archive that this command unpacks, if one of these downloads is its input or its operand. */
export function unpackedArchive(
  ran: SimpleCommand,
  name: string,
  isDownload: (path: string) => boolean,
  isDownloader: (name: string) => boolean,
): UnpackedArchive | undefined {
  if (!unpackers.has(name)) return undefined;
  const args = ran.argv.slice(1);
  const archive = args.find(
    ({ text }) => text !== "" && isDownload(resolvePathText(text.replace(/^-\w*f/u, ""), ran.cwd)),
  );
  const source = ran.stdin.from.find(({ argv: [first] }) => isDownloader(first?.text.split("/").at(-1) ?? ""));
  if (!archive && !source) return undefined;
  const { value } = readOptions(args, { short: "Cd", long: ["directory", "one-top-level", "destination"] });
  const attached = args.find(({ text }) => /^-o[^-]/u.test(text))?.text.slice(2);
  const folder = (name === "unzip" ? value("d") : value("C", "directory", "one-top-level", "d"))?.text ?? attached;
  const url = source?.argv.find(({ text }) => /^\w+:\/\//u.test(text))?.text;
  return {
    folder: folder === undefined ? ran.cwd : resolvePathText(folder, ran.cwd),
    stem: stemOf(archive?.text ?? url ?? ""),
    isNamed: folder !== undefined && resolvePathText(folder, ran.cwd) !== ran.cwd,
  };
}

const unpackers: ReadonlySet<string> = new Set(words("tar bsdtar unzip 7z 7za 7zz unrar unar cpio ar jar busybox pax"));

/** Shortens `https://host/go1.22.linux-amd64.tar.gz` to `go`. */
function stemOf(text: string): string {
  const file =
    text
      .replace(/[?#].*$/u, "")
      .split("/")
      .at(-1) ?? "";
  if (file.includes(hole) || !/\.(?:t?[gx]z|tar|tbz2?|zip|7z|zst|bz2|rar|jar)\b/iu.test(file)) return "";
  return file.replace(/(?:[-_.]?v?\d.*|\.(?:tar|tgz|zip|[gx]z|tbz|t?bz2|7z|txz|zst|rar|jar).*)$/iu, "").toLowerCase();
}

/** Returns whether the file may come from the archive. `isProgram`: it is started by its path. */
export function isFromArchive({ folder, stem, isNamed }: UnpackedArchive, file: string, isProgram: boolean): boolean {
  if (!file.startsWith(folder === "/" ? folder : `${folder}/`)) return file === folder && isNamed;
  if (isNamed) return true;
  const inner = file.slice(folder.length + 1);
  if (stem !== "" && inner.toLowerCase().startsWith(stem)) return true;
  return isProgram && !ownProgram.test(inner);
}

/** Programs that a project usually already has. */
const ownProgram =
  /^(?:gradlew|mvnw|manage\.py|node_modules\/|\.?venv\/|vendor\/bin\/|bin\/|scripts?\/|tools?\/|target\/)/u;
