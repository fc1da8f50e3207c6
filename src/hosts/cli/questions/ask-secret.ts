import { abortable } from "../../../base/async/abort.ts";
import { err, ok } from "../../../base/result.ts";
import type { SecretAsker } from "../../../contracts/host/ports.ts";
import type { CliIo } from "../command.ts";

/** Asks at the terminal without echo. Undefined when standard input is not a terminal. */
export function secretAskerAt(io: CliIo): SecretAsker | undefined {
  const { hideTyping } = io;
  if (!io.stdinIsTerminal || !hideTyping) return undefined;
  return {
    async askSecret(_name, prompt, signal) {
      io.warn(`${prompt}: `);
      hideTyping(true);
      const typing = io.stdin[Symbol.asyncIterator]();
      try {
        const typed: number[] = [];
        for (;;) {
          const { done, value } = await abortable(typing.next(), signal);
          if (done) return err({ reason: "declined" });
          for (const byte of value) {
            if (byte === ctrlC) return err({ reason: "aborted" });
            if (byte === ctrlD) return err({ reason: "declined" });
            if (byte === enter || byte === newline) return ok(Buffer.from(typed).toString());
            if (byte === backspace || byte === del) eraseCharacter(typed);
            else typed.push(byte);
          }
        }
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
        return err({ reason: "aborted" });
      } finally {
        hideTyping(false);
        io.warn("\n");
        // The read is not awaited, because a terminal completes it only when the user presses the next key.
        void typing.return?.();
      }
    },
  };
}

const [ctrlC, ctrlD, backspace, newline, enter, del] = [3, 4, 8, 10, 13, 127];

/** Removes all bytes of the last character. */
function eraseCharacter(typed: number[]): void {
  let last = typed.pop();
  while (last !== undefined && last >= 0x80 && last < 0xc0) last = typed.pop();
}
