import { once } from "../../../base/async/once.ts";
import { byNames } from "../reading/name-effects.ts";
import { pythonCode } from "./python-code.ts";
import { pythonFiles } from "./python-files.ts";
import { pythonNetwork } from "./python-network.ts";
import { pythonPrograms } from "./python-programs.ts";
import { pythonTexts } from "./python-texts.ts";

/** The effects of Python functions by name. `*` stands for a value of unknown type. */
export const pythonNames = once(() =>
  byNames(pythonPrograms(), pythonFiles(), pythonNetwork(), pythonCode(), pythonTexts()),
);
