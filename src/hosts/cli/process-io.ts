import type { CliIo } from "./command.ts";

/** The terminal of this process. A reader that goes away (`hermes … | head`) ends the output, not the program's manners. */
export function processIo(): CliIo {
  let readerLeft = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!readerLeft && error.code !== "EPIPE") {
      process.stderr.write(`error: Cannot write the output: ${error.message}\n`);
      process.exitCode = 1;
    }
    readerLeft = true;
  });
  // Nobody is left to be told.
  process.stderr.on("error", () => {});
  return {
    // Whoever stops reading leaves it open for the next question.
    stdin: { [Symbol.asyncIterator]: () => process.stdin.iterator({ destroyOnReturn: false }) },
    stdinIsTerminal: isTerminal(process.stdin),
    stdoutIsTerminal: isTerminal(process.stdout),
    // A program reads everything; only a screen has an edge.
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
  // The shell that we were suspended to has made the terminal its own.
  process.on("SIGCONT", rawAgain);
  return {
    [Symbol.dispose]() {
      process.off("SIGCONT", rawAgain);
      stdin.off("data", heard).off("end", ended).off("error", ended).pause();
      stdin.setRawMode(false);
    },
  };
}

/** The property is missing where there is no terminal, whatever the types say. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}
