import type { Result } from "../../base/result.ts";

export interface CodeRun {
  readonly status: "success" | "error" | "timeout" | "interrupted";
  readonly output: string;
  readonly errors: string;
  readonly toolCalls: number;
  readonly durationMs: number;
}

/** Runs code that calls tools. Every call it makes goes through the dispatcher with origin `script`. */
export interface CodeSandbox {
  run(
    code: string,
    options: { readonly timeoutMs: number; readonly maxToolCalls: number },
    signal: AbortSignal,
  ): Promise<Result<CodeRun, { readonly message: string }>>;
}
