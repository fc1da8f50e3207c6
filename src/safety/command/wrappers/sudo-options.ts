import { words } from "../../../base/text/words.ts";
import type { OptionShape } from "../programs/options.ts";

/** The options of `sudo` that take a value. The command follows the options. */
export const sudoOptions: OptionShape = {
  short: "CDghpRrTtUu",
  long: words("user group host prompt chdir role type close-from other-user command-timeout chroot"),
  isPrefix: true,
};
