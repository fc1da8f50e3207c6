import type { JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";
import type { ToolResult } from "../tool/tool-result.ts";

export const codeRunLanguages = ["python", "typescript"] as const;
export type CodeRunLanguage = (typeof codeRunLanguages)[number];

/** A tool that a script can call, with the signature of its generated stub function. */
export interface ScriptTool {
  readonly name: string;
  /** An alias of the stub function: `search` for `search_files`. */
  readonly alias?: string;
  readonly description: string;
  /** The arguments that a script may pass to the tool. */
  readonly inputSchema: JsonSchema;
}

/** One script. */
export interface CodeRequest {
  readonly code: string;
  readonly language: CodeRunLanguage;
  /** Runs in the session's kernel of that language, which keeps its variables for the next script. */
  readonly isKernel: boolean;
  readonly tools: readonly ScriptTool[];
  /** Whether the session has a tool of this name that scripts cannot call. */
  readonly isExcluded: (name: string) => boolean;
  /** The folder of the session. */
  readonly cwd: string;
  /** Executes one tool call of the script. Passed in so that a host can use its own dispatcher. Never rejects. */
  readonly call: (tool: string, args: JsonObject) => Promise<ToolResult>;
  /**
   * The total time so far that tool calls spent waiting for a person. This time does not count against the script's
   * timeout.
   */
  readonly waitedMs: () => number;
  /** Aborted on interrupt. */
  readonly signal: AbortSignal;
  /** One line of progress for people who are watching. */
  readonly progress: (note: string) => void;
  /** Bytes that the script prints, for people who are watching. */
  readonly printed: (chunk: Uint8Array) => void;
}

export type CodeStatus = "success" | "error" | "timeout" | "interrupted";

export interface CodeOutcome {
  readonly status: CodeStatus;
  /** The standard output: complete, or its beginning and end. */
  readonly output: string;
  /** The standard error, or the reason why the script did not run. */
  readonly errors: string;
  /**
   * The exit code. Undefined if the script did not run, was killed by a signal, or ran in a kernel that is still alive.
   */
  readonly exitCode?: number;
  readonly toolCalls: number;
  readonly durationMs: number;
  readonly captured: {
    readonly isTruncated: boolean;
    readonly bytesCaptured: number;
    readonly bytesTotal: number;
    /** The file with the whole output, if it was truncated. */
    readonly spill?: string;
    /** A sentence that says which part of a truncated output is shown and where to find the rest. */
    readonly note?: string;
  };
  /** A likely cause of the failure and its remedy. */
  readonly hint?: string;
  /** A sentence that names the sandbox protection that this machine does not support. */
  readonly weakness?: string;
  /** A sentence that says which variables of a kernel were lost, and why. */
  readonly lost?: string;
}

export interface CodeKernel {
  readonly id: string;
  readonly language: CodeRunLanguage;
  readonly pid: number;
  readonly startedAt: number;
  readonly usedAt: number;
  readonly scripts: number;
  readonly isBusy: boolean;
  readonly memoryBytes: number;
}

/** Runs the scripts of one session. */
export interface CodeRunner {
  /** The script languages available on this machine, the preferred one first. */
  languages(): Promise<readonly CodeRunLanguage[]>;
  /** The reason why scripts cannot run in a sandbox here. Undefined if they can. */
  unconfined(): Promise<string | undefined>;
  /** Never rejects. */
  run(request: CodeRequest): Promise<CodeOutcome>;
  kernels(): readonly CodeKernel[];
  /** Interrupts the running script and keeps its variables. Returns false if the kernel does not exist or is idle. */
  interrupt(kernel: string): boolean;
  /** Returns false if the kernel does not exist. */
  kill(kernel: string): Promise<boolean>;
}
