import type { LinkStreams } from "../remote/link.ts";

/**
 * What a client prints before the script's mark is its own, to tell why nothing began; what comes after belongs to the
 * script and is handed on.
 */
export interface EarlyWords extends Pick<LinkStreams, "onOutput" | "onControl"> {
  hasBegun(): boolean;
  said(): string;
}

export function createEarlyWords(mark: string, streams: Pick<LinkStreams, "onOutput" | "onControl">): EarlyWords {
  const line = Buffer.from(`${mark}\n`);
  let hasBegun = false;
  let control = Buffer.alloc(0);
  /** The two streams are not in step: output may be here before the mark is. */
  let output = Buffer.alloc(0);

  function begin(): boolean {
    hasBegun = true;
    const early = output;
    output = Buffer.alloc(0);
    return early.length === 0 || streams.onOutput(early);
  }

  return {
    hasBegun: () => hasBegun,
    said: () => Buffer.concat([control, output]).toString(),
    onOutput(chunk) {
      if (hasBegun) return streams.onOutput(chunk);
      output = Buffer.concat([output, chunk]);
      return output.length < maxEarlyBytes || begin();
    },
    onControl(chunk) {
      if (hasBegun && control.length === 0) return streams.onControl(chunk);
      control = Buffer.concat([control, chunk]).subarray(-maxEarlyBytes);
      const index = control.indexOf(line);
      if (index < 0) return;
      const rest = control.subarray(index + line.length);
      control = Buffer.alloc(0);
      begin();
      if (rest.length > 0) streams.onControl(rest);
    },
  };
}

/** More than any client says about itself. */
const maxEarlyBytes = 1024 * 1024;
