import type { JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";
import type { ToolResult } from "../tool/tool-result.ts";

export const codeRunLanguages = ["python", "typescript"] as const;
export type CodeRunLanguage = (typeof codeRunLanguages)[number];

/** A tool that a script can call, in the form of its stub. */
export interface ScriptTool {
  readonly name: string;
  /** The second name of the stub: `search` for `search_files`. */
  readonly alias?: string;
  readonly description: string;
  /** Only the arguments that a script may pass. */
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
  /** One call of the script. A parameter, so that a host can pass its own dispatcher. Never rejects. */
  readonly call: (tool: string, args: JsonObject) => Promise<ToolResult>;
  /** The time so far in which calls waited for a person. It does not count as time of the script. */
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
  /** The standard output: all of it, or head and tail. */
  readonly output: string;
  /** The standard error, or why the script did not run. */
  readonly errors: string;
  /** Undefined: the script did not run, a signal ended it, or the kernel continues. */
  readonly exitCode?: number;
  readonly toolCalls: number;
  readonly durationMs: number;
  readonly captured: {
    readonly isTruncated: boolean;
    readonly bytesCaptured: number;
    readonly bytesTotal: number;
    /** The file with the whole output, if it was truncated. */
    readonly spill?: string;
    /** A sentence: which part of a truncated output is here, and where the rest is. */
    readonly note?: string;
  };
  /** A likely cause of the failure and its remedy. */
  readonly hint?: string;
  /** A sentence: the protection that this machine does not support. */
  readonly weakness?: string;
  /** A sentence: which variables of a kernel were lost, and why. */
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
  /** The languages of this machine, the preferred one first. */
  languages(): Promise<readonly CodeRunLanguage[]>;
  /** Why scripts cannot be confined here. Undefined: they can. */
  unconfined(): Promise<string | undefined>;
  /** Never rejects. */
  run(request: CodeRequest): Promise<CodeOutcome>;
  kernels(): readonly CodeKernel[];
  /** Interrupts the running script and keeps the variables. False: there is no such kernel, or it is idle. */
  interrupt(kernel: string): boolean;
  /** False: there is no such kernel. */
  kill(kernel: string): Promise<boolean>;
}
