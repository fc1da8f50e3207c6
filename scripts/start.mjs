// `npm start`: set up when needed, then the product with everything that came after `--`.
import { spawn } from "node:child_process";
import { join } from "node:path";

import { nodeFlags, pinnedNode, root, setUp } from "./setup.mjs";

await setUp();
const child = spawn(pinnedNode(), [...nodeFlags, join(root, "dist", "hermes.js"), ...process.argv.slice(2)], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
// The terminal sends Ctrl-C to both; what it means is the product's to decide.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
