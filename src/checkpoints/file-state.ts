/**
 * The state of a path as a short string that can be compared and stored. Empty if nothing exists there. It contains
 * only what a restore can reproduce: no times, no owners.
 */
export type FileState = string;

export type KnownState =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly mode: number; readonly bytes: number; readonly hash: string }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number }
  /** A pipe, a socket, a device. */
  | { readonly kind: "other" }
  /** A file whose content is not recorded. `mark` changes when the file does. */
  | { readonly kind: "unkept"; readonly why: UnstoredReason; readonly bytes: number; readonly mark: string };

/** The file is larger than the limit, not readable by this user, or over the disk quota. */
export type UnstoredReason = "large" | "unreadable" | "full";

export const absent: FileState = "";

export function fileState(mode: number, bytes: number, hash: string): FileState {
  return `f:${mode.toString(8)}:${bytes}:${hash}`;
}

export function linkState(target: string): FileState {
  return `l:${target}`;
}

export function folderState(mode: number): FileState {
  return `d:${mode.toString(8)}`;
}

export const otherState: FileState = "o";

export function unstoredState(why: UnstoredReason, bytes: number, mark: string): FileState {
  return `u:${why}:${bytes}:${mark}`;
}

export function parseFileState(state: FileState): KnownState {
  const [kind, second = "", third = "", fourth = ""] = state.split(":");
  switch (kind) {
    case "f":
      return { kind: "file", mode: Number.parseInt(second, 8), bytes: Number(third), hash: fourth };
    case "l":
      return { kind: "link", target: state.slice(2) };
    case "d":
      return { kind: "folder", mode: Number.parseInt(second, 8) };
    case "o":
      return { kind: "other" };
    case "u":
      return { kind: "unkept", why: unkeptOf(second), bytes: Number(third), mark: fourth };
    default:
      return { kind: "absent" };
  }
}

/** The hash of the content, if the path has content. */
export function hashOf(state: FileState): string | undefined {
  return state.startsWith("f:") ? state.slice(state.lastIndexOf(":") + 1) : undefined;
}

export function bytesOf(state: FileState): number {
  const parsed = parseFileState(state);
  return parsed.kind === "file" || parsed.kind === "unkept" ? parsed.bytes : 0;
}

function unkeptOf(text: string): UnstoredReason {
  return text === "large" || text === "full" ? text : "unreadable";
}
