// `node scripts/run.mjs FILE …`: sets up when needed, then runs FILE on the pinned Node. Every npm script starts here,
// because npm itself may run on an older Node.
import { spawn } from "node:child_process";
import { join } from "node:path";

import { nodeFlags, pinnedNode, root, setUp } from "./setup.mjs";

const [file = "", ...args] = process.argv.slice(2);
await setUp();
const child = spawn(pinnedNode(), [...nodeFlags, join(root, file), ...args], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
// The terminal sends Ctrl-C to both processes; the program decides what to do.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
