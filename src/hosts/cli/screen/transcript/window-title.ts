import { oneLine } from "../../../../base/text/text.ts";
import { withoutControls } from "../../without-controls.ts";

/** The title of the terminal window while the screen is open. Disposing restores the previous title. */
export interface WindowTitle extends Disposable {
  set(title: string): void;
}

export function createWindowTitle(
  send: (bytes: string) => void,
  env: Readonly<Record<string, string | undefined>>,
): WindowTitle {
  // The Linux console does not support titles and would print them.
  const isKnown = env["TERM"] !== "linux" && env["TERM"] !== "dumb";
  let shown: string | undefined;
  return {
    set(title) {
      const text = withoutControls(oneLine(title, 80));
      if (!isKnown || text === shown) return;
      send(`${shown === undefined ? "\u001b[22;2t" : ""}\u001b]2;${text}\u0007`);
      shown = text;
    },
    [Symbol.dispose]() {
      if (shown !== undefined) send("\u001b[23;2t");
      shown = undefined;
    },
  };
}
