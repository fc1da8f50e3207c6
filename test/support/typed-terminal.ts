import { createChannel } from "../../src/base/async/channel.ts";
import type { CliIo } from "../../src/hosts/cli/command.ts";

/** A terminal that the test types into: `keys` are the typed bytes, `output` returns everything that was shown. */
export function typedTerminal() {
  const keys = createChannel<Uint8Array>();
  let output = "";
  const io: CliIo = {
    stdin: keys,
    stdinIsTerminal: true,
    stdoutIsTerminal: true,
    columns: 80,
    rows: 40,
    async write() {},
    warn: (text) => void (output += text),
    hideTyping() {},
  };
  return { io, keys, output: () => output };
}
