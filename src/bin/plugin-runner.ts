import { runPlugin } from "../plugins/runner/node/run-plugin.ts";

runPlugin();
