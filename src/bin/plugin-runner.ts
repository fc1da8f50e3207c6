import { convertInput } from "../plugins/runner/node/convert-input.ts";
import { runPlugin } from "../plugins/runner/node/run-plugin.ts";

if (process.argv[2] === "--convert") convertInput();
else runPlugin();
