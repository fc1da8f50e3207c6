import { once } from "../../../base/async/once.ts";
import { byNames } from "../reading/name-effects.ts";
import { javascriptFiles } from "./javascript-files.ts";
import { javascriptNetwork } from "./javascript-network.ts";
import { javascriptPrograms } from "./javascript-programs.ts";
import { javascriptTexts } from "./javascript-texts.ts";

/** The effects of JavaScript functions by name. `*` stands for a value of unknown type. */
export const javascriptNames = once(() =>
  byNames(javascriptPrograms(), javascriptFiles(), javascriptNetwork(), javascriptTexts()),
);
