import { type ProgramEnd, streamProgram, type Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";

/** Runs git. The error is a sentence for the user, without a full stop. */
export interface Git {
  run(args: readonly string[], options: GitOptions): Promise<Result<Buffer, GitFault>>;
}

export interface GitOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /**
   * The repository to use instead of the one around `cwd`. Its settings apply, so no agent may be able to change it.
   */
  readonly repository?: string;
  /** The folder with the files that the repository describes. */
  readonly tree?: string;
  readonly index?: string;
  readonly stdin?: Uint8Array;
  /** Allows network access, to fetch from a remote of the user. Git cannot ask questions. */
  readonly usesNetwork?: boolean;
}

export interface GitFault {
  readonly message: string;
  /** Everything that git printed. */
  readonly details: string;
}

/**
 * Runs git without hooks, monitors, network and LFS filters, so that files stay as the repository stores them. `env`:
 * only the search path and the home folder, with the user's git settings, are used.
 */
export function createGit(env: Variables): Git {
  const variables = { PATH: env["PATH"], HOME: env["HOME"], ...fixed };
  return {
    async run(args, { cwd, signal, repository, tree, index, stdin, usesNetwork = false }) {
      const output: Uint8Array[] = [];
      const errors: Uint8Array[] = [];
      let errorBytes = 0;
      const end = await streamProgram({
        program: "git",
        args: [
          ...(usesNetwork ? [...settings, ...netSettings] : settings).flatMap((setting) => ["-c", setting]),
          ...args,
        ],
        cwd,
        env: {
          ...variables,
          ...(usesNetwork && { GIT_SSH_COMMAND: "ssh -o BatchMode=yes", SSH_AUTH_SOCK: env["SSH_AUTH_SOCK"] }),
          ...(repository !== undefined && { GIT_DIR: repository }),
          ...(tree !== undefined && { GIT_WORK_TREE: tree }),
          ...(index !== undefined && { GIT_INDEX_FILE: index }),
        },
        ...(stdin && { stdin }),
        signal,
        killsGroup: true,
        onOutput: (chunk) => output.push(Uint8Array.from(chunk)) > 0,
        resume: async () => {},
        onErrorOutput(chunk) {
          if (errorBytes < maxErrorBytes) errors.push(Uint8Array.from(chunk));
          errorBytes += chunk.length;
        },
      });
      if (end.how === "exit" && end.code === 0) return ok(Buffer.concat(output));
      return err(faultOf(end, args[0] ?? "", Buffer.concat(errors).toString()));
    },
  };
}

function faultOf(end: ProgramEnd, command: string, details: string): GitFault {
  const line = details.split("\n").find((each) => /^(?:fatal|error): /u.test(each));
  const reason = oneLine((line ?? details).replace(/^(?:fatal|error): /u, ""), 300);
  if (end.how === "aborted") return { message: "interrupted", details };
  if (end.how === "unstarted" && end.code === "ENOENT")
    return { message: "git is not installed: install it, then try again", details };
  if (end.how === "unstarted") return { message: `git cannot be started: ${end.message}`, details };
  return { message: `git ${command} failed${reason === "" ? "" : `: ${reason}`}`, details };
}

const settings: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.quotePath=false",
  "filter.lfs.smudge=",
  "filter.lfs.clean=",
  "filter.lfs.process=",
  "filter.lfs.required=false",
  "protocol.allow=never",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.addEmbeddedRepo=false",
  "worktree.useRelativePaths=false",
];

/**
 * The allowed transports; never `ext::` and `git:`, whose settings name a program. The empty helper drops those that the
 * project's settings name, which agents can change.
 */
const netSettings: readonly string[] = [
  ...["https", "ssh", "http", "file"].map((name) => `protocol.${name}.allow=always`),
  "core.alternateRefsCommand=true",
  "credential.helper=",
];

/** Output must be in English, because it is parsed, and git must not ask questions. */
const fixed = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LFS_SKIP_SMUDGE: "1",
  GIT_NO_LAZY_FETCH: "1",
};

const maxErrorBytes = 1_000_000;
