import type { CliIo } from "./command.ts";

/** The terminal of this process. When the reader closes the pipe (`hermes … | head`), output stops and the program still ends cleanly. */
export function processIo(): CliIo {
  let readerLeft = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!readerLeft && error.code !== "EPIPE") {
      process.stderr.write(`error: Cannot write the output: ${error.message}\n`);
      process.exitCode = 1;
    }
    readerLeft = true;
  });
  // There is no other stream to report the error to.
  process.stderr.on("error", () => {});
  return {
    // A reader that stops leaves the stream open for the next question.
    stdin: { [Symbol.asyncIterator]: () => process.stdin.iterator({ destroyOnReturn: false }) },
    stdinIsTerminal: isTerminal(process.stdin),
    stdoutIsTerminal: isTerminal(process.stdout),
    // Only a terminal limits the width.
    get columns() {
      return isTerminal(process.stdout) ? process.stdout.columns || 80 : Infinity;
    },
    write: (text) =>
      new Promise((resolve) => {
        if (readerLeft) resolve();
        else process.stdout.write(text, () => resolve());
      }),
    warn: (text) => {
      process.stderr.write(text);
    },
    ...(isTerminal(process.stdin) && {
      hideTyping: (isHidden: boolean) => void process.stdin.setRawMode(isHidden),
      keys: pressedKeys,
    }),
  };
}

function pressedKeys(heard: (bytes: Uint8Array) => void, ended: () => void): Disposable {
  const { stdin } = process;
  const rawAgain = () => void stdin.setRawMode(true);
  rawAgain();
  stdin.on("data", heard).on("end", ended).on("error", ended).resume();
  // After a suspend the shell has reset the terminal mode.
  process.on("SIGCONT", rawAgain);
  return {
    [Symbol.dispose]() {
      process.off("SIGCONT", rawAgain);
      stdin.off("data", heard).off("end", ended).off("error", ended).pause();
      stdin.setRawMode(false);
    },
  };
}

/** Without a terminal the property is undefined, although its type is boolean. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}
