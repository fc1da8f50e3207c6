import { once } from "../../../base/async/once.ts";
import type { KnownNames } from "../reading/known.ts";
import { javascriptFiles } from "./javascript-files.ts";
import { javascriptNetwork } from "./javascript-network.ts";
import { javascriptPrograms } from "./javascript-programs.ts";
import { javascriptTexts } from "./javascript-texts.ts";

/** What is known of this language, by name. `*` stands for a value of which nothing is known. */
export const javascriptNames = once((): KnownNames => ({
  ...javascriptPrograms(),
  ...javascriptFiles(),
  ...javascriptNetwork(),
  ...javascriptTexts(),
}));
