import type { CliIo } from "./command.ts";

/** The terminal of this process. A reader that goes away (`hermes … | head`) ends the output, not the program's manners. */
export function processIo(): CliIo {
  let readerLeft = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") readerLeft = true;
    else throw error;
  });
  return {
    stdin: process.stdin,
    stdinIsTerminal: isTerminal(process.stdin),
    stdoutIsTerminal: isTerminal(process.stdout),
    columns: process.stdout.columns || 100,
    write: (text) =>
      new Promise((resolve) => {
        if (readerLeft) resolve();
        else process.stdout.write(text, () => resolve());
      }),
    warn: (text) => {
      process.stderr.write(text);
    },
  };
}

/** The property is missing where there is no terminal, whatever the types say. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}
