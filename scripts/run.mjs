// `node scripts/run.mjs FILE …`: sets up when needed, then runs FILE on the pinned Node. Every npm script starts here,
// because npm itself may run on an older Node.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative } from "node:path";

import { nodeFlags, pinnedNode, root, setUp } from "./setup.mjs";

/**
 * npm starts programs in the clone. Hermes works in the folder where npm was called, never in its own source: in that
 * case it uses a scratch folder, where nothing can get lost.
 */
function workFolder() {
  const from = process.env["INIT_CWD"] ?? process.cwd();
  const isOutside = relative(root, from).startsWith("..") || isAbsolute(relative(root, from));
  if (isOutside) return from;
  const scratch = join(process.env["HOME"] || homedir(), "hermes-scratch");
  try {
    mkdirSync(scratch, { recursive: true });
  } catch {
    return homedir();
  }
  console.error(`Working in a scratch folder: ${scratch}`);
  console.error(`To work in a project, run this in its folder: ${join(root, "hermes")}`);
  return scratch;
}

const [file = "", ...args] = process.argv.slice(2);
await setUp();
const child = spawn(pinnedNode(), [...nodeFlags, join(root, file), ...args], {
  stdio: "inherit",
  cwd: file.startsWith("dist/") ? workFolder() : process.cwd(),
  shell: process.platform === "win32",
});
// The terminal sends Ctrl-C to both processes; the program decides what to do.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
