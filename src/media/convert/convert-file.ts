import type { Result } from "../../base/result.ts";

/** One run of a local program on one file. The program sees only the file and an output folder, and has no network. */
export interface Conversion {
  /** The candidate programs; the first one that is installed runs. */
  readonly programs: readonly string[];
  readonly args: (program: string, files: ConversionFiles) => readonly string[];
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  /** The size limit for all files that the program writes, and for its printed output. */
  readonly maxOutputBytes: number;
}

export interface ConversionFiles {
  readonly input: string;
  /** An empty, writable folder. */
  readonly output: string;
}

export interface Converted {
  readonly stdout: string;
  readonly stderr: string;
  /** The files in its output folder by name, in order. */
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

export interface ConversionFault {
  /** `missing` means that none of the programs is installed. */
  readonly kind: "missing" | "failed" | "timeout" | "aborted";
  /** Completes "… because". */
  readonly message: string;
}

/** Never rejects. */
export type ConvertFile = (conversion: Conversion, signal: AbortSignal) => Promise<Result<Converted, ConversionFault>>;
