import type { Readable, Writable } from "node:stream";

import type { CdpWire } from "./connection.ts";

/**
 * Messages over the descriptors 3 (to the browser) and 4 (from it) of `--remote-debugging-pipe`. A NUL ends each
 * message.
 */
export function pipeWire(toBrowser: Writable, fromBrowser: Readable): CdpWire {
  return {
    send(text) {
      // One write for both parts: the browser wakes up once.
      if (toBrowser.writable) toBrowser.write(`${text}\0`);
    },
    listen(onMessage, onEnd) {
      let parts: Buffer[] = [];
      fromBrowser.on("data", (chunk: Buffer) => {
        let start = 0;
        for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
          const last = chunk.subarray(start, end);
          const whole = parts.length === 0 ? last : Buffer.concat([...parts, last]);
          parts = [];
          start = end + 1;
          onMessage(whole.toString("utf8"));
        }
        if (start < chunk.length) parts.push(chunk.subarray(start));
      });
      const stop = (): void => onEnd("the browser ended");
      fromBrowser.once("close", stop).once("end", stop).on("error", stop);
      toBrowser.on("error", stop);
    },
    close() {
      toBrowser.destroy();
      fromBrowser.destroy();
    },
  };
}
