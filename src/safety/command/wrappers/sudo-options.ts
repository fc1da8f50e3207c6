import { words } from "../../../base/text/words.ts";
import type { OptionShape } from "../programs/options.ts";

/** Which options of `sudo` take a value. What follows them is the command. */
export const sudoOptions: OptionShape = {
  short: "CDghpRrTtUu",
  long: words("user group host prompt chdir role type close-from other-user command-timeout chroot"),
  isPrefix: true,
};
