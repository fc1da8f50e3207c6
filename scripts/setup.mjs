// Sets up a clone: dependencies (including the pinned Node), then the bundle. Runs on Node 18 or newer without
// packages, because it runs before anything is installed. Does nothing when nothing changed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const installStamp = join(modules, ".hermes-install");
const dist = join(root, "dist");
const buildStamp = join(dist, "build-stamp");
const pinnedNodeManifest = join("pinned-node", "package.json");
const lockFolder = join(root, ".setup-lock");
const lockPid = join(lockFolder, "pid");
/** The version in `engines` of package.json; the pinned Node is in pinned-node/package.json. */
const minNode = [24, 20];
const minNodeText = minNode.join(".");
/** Network options with which npm fails within seconds if there is no network. */
export const npmFlags = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=3000",
];
/**
 * The same heap options as in the launcher: by default the young generation of V8 grows to 100 MB or more without
 * benefit, and each of four worker threads has its own memory.
 */
export const nodeFlags = ["--max-semi-space-size=2", "--min-semi-space-size=2", "--v8-pool-size=1"];

/**
 * Updates dependencies and build of the clone. If that fails, it ends the process with a message instead of a stack
 * trace.
 */
export async function setUp({ rebuild = false } = {}) {
  if (!existsSync(join(root, "src"))) return;
  if (!needsInstall() && !rebuild && !needsBuild()) return;
  await withLock(async () => {
    if (needsInstall()) await install();
    if (rebuild || needsBuild()) await build();
  });
}

/** The Node that everything runs on: the pinned one, or the current one on platforms without a pinned Node. */
export function pinnedNode(folder = modules) {
  const pinned = nodeIn(folder);
  if (existsSync(pinned)) return pinned;
  if (isRecentEnough()) return process.execPath;
  return stopWithoutNode();
}

function stopWithoutNode() {
  return stop(
    `there is no pinned Node for ${process.platform} ${process.arch}, and this is Node ${process.versions.node}.`,
    `Install Node ${minNodeText} or newer and run this again. The README says what works on which platform.`,
  );
}

function pinnedPackage() {
  return `node-${process.platform.replace("32", "")}-${process.arch}`;
}

function optionalPackages() {
  return JSON.parse(readFileSync(join(root, pinnedNodeManifest), "utf8")).optionalDependencies;
}

function nodeIn(folder) {
  return join(folder, ".bin", process.platform === "win32" ? "node.cmd" : "node");
}

function needsInstall() {
  if (!existsSync(installStamp)) return true;
  if (statSync(installStamp).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs) return false;
  if (readFileSync(installStamp, "utf8") !== lockDigest()) return true;
  touch(installStamp);
  return false;
}

function needsBuild() {
  if (!existsSync(buildStamp) || !existsSync(join(dist, "hermes.js"))) return true;
  const builtAt = statSync(buildStamp).mtimeMs;
  return [join(root, "src"), join(root, "scripts"), join(root, "package.json")].some((path) => isNewer(path, builtAt));
}

/** Checks the times of folders too, because removing a file changes only the time of its folder. */
function isNewer(path, builtAt) {
  const stat = statSync(path);
  if (stat.mtimeMs > builtAt) return true;
  return stat.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), builtAt));
}

function lockDigest(folder = root) {
  return createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
}

/** Installs beside the old modules and swaps at the end, so that a failure leaves the old modules working. */
async function install() {
  if (!(pinnedPackage() in optionalPackages()) && !isRecentEnough()) stopWithoutNode();
  const startedAt = Date.now();
  const stage = stageFolder();
  const [command, ...args] = npmCommand();
  const done = progress("Installing dependencies (once; about half a minute)");
  const { code, output } = await run(command, [...args, "ci", ...npmFlags], stage);
  done();
  if (code !== 0) {
    rmSync(stage, { recursive: true, force: true });
    stop(...explainInstall(code, output));
  }
  const version = checkNode(join(stage, "node_modules"), () => rmSync(stage, { recursive: true, force: true }));
  const digest = lockDigest(stage);
  try {
    putInPlace(join(stage, "node_modules"), join(stage, "old"));
    rmSync(stage, { recursive: true, force: true });
    writeFileSync(installStamp, digest);
  } catch (error) {
    stop(...explainInstall(1, String(error)));
  }
  say(`Dependencies installed in ${seconds(startedAt)}, Node ${version}.`);
}

/**
 * The version of the Node to run on. The pinned one is an optional dependency, so npm does not report when it cannot be
 * installed. @returns {string}
 */
function checkNode(folder, cleanUp) {
  const pinned = pinnedPackage();
  const isMissing = pinned in optionalPackages() && !existsSync(nodeIn(folder));
  const version = isMissing ? undefined : versionOf(pinnedNode(folder));
  if (version !== undefined) return version;
  const isFull = hasNoRoom();
  if (!isMissing && !isFull && isRecentEnough()) {
    // On a Linux without glibc the pinned Node does not run; the current one is new enough.
    for (const path of [nodeIn(folder), join(folder, pinned)]) rmSync(path, { recursive: true, force: true });
    return process.versions.node;
  }
  cleanUp();
  if (isFull) stop(...explainInstall(1, "ENOSPC"));
  if (isMissing) stop("the pinned Node could not be downloaded.", "Check the network and run this again.");
  return stop(
    "the pinned Node was installed but does not run on this machine: it needs a Linux with glibc.",
    `Install Node ${minNodeText} or newer for your system and run this again.`,
  );
}

/** Whether the Node that runs this file is at least `minNode`. */
function isRecentEnough() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > minNode[0] || (major === minNode[0] && minor >= minNode[1]);
}

/** The version of a Node program. Undefined if it does not run. */
function versionOf(node) {
  const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8", shell: process.platform === "win32" });
  return status === 0 ? stdout.trim().slice(1) : undefined;
}

/** Less than a megabyte is free. */
function hasNoRoom() {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize < 1_000_000;
}

function putInPlace(fresh, old) {
  try {
    if (existsSync(modules)) renameSync(modules, old);
    renameSync(fresh, modules);
  } catch (error) {
    // A folder that is a mounted volume cannot be renamed.
    if (error.code !== "EBUSY" && error.code !== "EXDEV") throw error;
    for (const name of readdirSync(modules)) rmSync(join(modules, name), { recursive: true, force: true });
    cpSync(fresh, modules, { recursive: true, verbatimSymlinks: true });
  }
}

/** Creates a new folder for npm to install in, and removes those of killed set-ups. */
function stageFolder() {
  const prefix = "install-";
  const stage = join(dist, `${prefix}${process.pid}`);
  try {
    mkdirSync(dist, { recursive: true });
    for (const name of readdirSync(dist))
      if (name.startsWith(prefix)) rmSync(join(dist, name), { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(join(stage, "pinned-node"), { recursive: true });
    for (const name of ["package.json", "package-lock.json", ".npmrc", pinnedNodeManifest])
      if (existsSync(join(root, name))) copyFileSync(join(root, name), join(stage, name));
    return stage;
  } catch (error) {
    return stop(...explainInstall(1, String(error)));
  }
}

/** The npm that started this script, or the one on the path. */
function npmCommand() {
  const running = process.env.npm_execpath;
  if (running && /\.[cm]?js$/.test(running) && existsSync(running)) return [process.execPath, running];
  return ["npm"];
}

function explainInstall(code, output) {
  const last = output.trim().split("\n").filter(isForPeople).slice(-8).join("\n");
  if (code === undefined || code === 127)
    return ["npm was not found.", "Install Node 20 or newer, which includes npm, and run this again."];
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|network/i.test(output)) {
    return [
      "the package registry cannot be reached, and the packages are not in npm's cache.",
      "Check the network (a proxy is set with: npm config set proxy URL), then run this again. Nothing was changed.",
      last,
    ];
  }
  if (/ENOSPC|EDQUOT/.test(output))
    return ["the disk is full.", "The set-up needs about 400 MB here. Free some space and run this again.", last];
  if (/EACCES|EPERM|EROFS/.test(output))
    return [
      `${root} cannot be written to.`,
      "Clone to a folder that is yours, or fix its permissions, and run this again.",
      last,
    ];
  if (/EBADPLATFORM/.test(output))
    return [
      `this platform (${process.platform} ${process.arch}) is not supported.`,
      "See the support table in the README.",
      last,
    ];
  return [
    `npm ci failed (exit code ${code}).`,
    "The end of its output is below; fix the cause and run this again.",
    last,
  ];
}

/** npm prints the error object it failed with, stack and all, between its sentences. */
function isForPeople(line) {
  return !/^npm error(?:\s*$|\s+[{}]|\s{2,}(?:at |\w+: ))/.test(line);
}

async function build() {
  const startedAt = Date.now();
  // Without a terminal only the result is printed.
  const endProgress = process.stderr.isTTY ? progress("Building") : () => {};
  const { code, output } = await run(pinnedNode(), [join(root, "scripts", "build.ts")]);
  endProgress();
  if (code !== 0) {
    if (/ENOSPC|EDQUOT/.test(output)) stop("the disk is full.", "Free some space and run this again.");
    if (/EACCES|EPERM|EROFS/.test(output))
      stop(`${dist} cannot be written to.`, "Fix its permissions and run this again.");
    stop("the build failed.", "Fix the errors below and run this again.", output.trim());
  }
  say(`Built in ${seconds(startedAt)}.`);
}

/** When two first runs overlap, the second waits for the first. A lock whose owner died is taken over. */
async function withLock(work) {
  let isReported = false;
  while (!takeLock()) {
    const { owner, touchedAt } = lockState();
    if (owner === undefined) {
      breakLock(touchedAt);
      continue;
    }
    if (!isReported) say(`Another set-up is running (process ${owner}); waiting for it.`);
    isReported = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const release = () => rmSync(lockFolder, { recursive: true, force: true });
  const beat = setInterval(() => touch(lockFolder), 1000);
  process.once("exit", release);
  await work();
  clearInterval(beat);
  process.removeListener("exit", release);
  release();
}

function takeLock() {
  try {
    mkdirSync(lockFolder);
    writeFileSync(lockPid, String(process.pid));
    return true;
  } catch (error) {
    return error.code === "EEXIST" ? false : takeLockFailed(error);
  }
}

function takeLockFailed({ code }) {
  if (code === "ENOSPC")
    return stop("the disk is full.", "The set-up needs about 400 MB. Free some space and run this again.");
  return stop(
    `${root} cannot be written to (${code}).`,
    "Clone to a folder that is yours, or fix its permissions, and run this again.",
  );
}

/**
 * The owner of the lock. Undefined if the owner is dead or inactive for long, because another process may have its pid
 * now.
 */
function lockState() {
  try {
    const touchedAt = statSync(lockFolder).mtimeMs;
    const silentMs = Date.now() - touchedAt;
    // The lock was created a moment ago and has no owner yet.
    const pid = Number(existsSync(lockPid) ? readFileSync(lockPid, "utf8") : 0);
    const isHeld = pid > 0 ? pid !== process.pid && isAlive(pid) && silentMs < 15_000 : silentMs < 2000;
    return { owner: isHeld ? pid || "just started" : undefined, touchedAt };
  } catch {
    return { owner: undefined, touchedAt: undefined };
  }
}

/** Removes only the lock that was inspected: another process may have taken over meanwhile. */
function breakLock(touchedAt) {
  const aside = `${lockFolder}-${process.pid}`;
  try {
    if (statSync(lockFolder).mtimeMs !== touchedAt) return;
    renameSync(lockFolder, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== "ENOENT") takeLockFailed(error);
  }
}

/** Fails silently: the file can belong to another user, and a lock can be taken over while this process is stopped. */
function touch(path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // A failure only slows down the next start.
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function run(command, args, cwd = root) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && /^npm$|\.cmd$/.test(command),
    });
    // Holds the lock until npm has ended, so that the next run does not overlap with it.
    const stopped = () => {
      child.once("exit", () => {
        process.stderr.write("\n");
        stop("the set-up was interrupted.", "Run the same command again to continue.");
      });
      child.kill("SIGKILL");
    };
    process.once("SIGINT", stopped);
    process.once("SIGTERM", stopped);
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (output = (output + chunk).slice(-20_000)));
    child.on("error", (error) => resolve({ code: error.code === "ENOENT" ? undefined : 1, output: String(error) }));
    child.on("close", (code) => {
      process.removeListener("SIGINT", stopped);
      process.removeListener("SIGTERM", stopped);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** Shows progress: on a terminal a line that counts the seconds, elsewhere one plain line. */
function progress(what) {
  if (!process.stderr.isTTY) {
    say(`${what} …`);
    return () => {};
  }
  const startedAt = Date.now();
  const show = () =>
    process.stderr.write(`\r\u001b[Khermes: ${what} … ${Math.round((Date.now() - startedAt) / 1000)} s`);
  show();
  const timer = setInterval(show, 1000);
  return () => {
    clearInterval(timer);
    process.stderr.write("\r\u001b[K");
  };
}

function seconds(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}

function say(text) {
  process.stderr.write(`hermes: ${text}\n`);
}

/** @returns {never} */
function stop(what, toDo, detail = "") {
  process.stderr.write(`hermes: ${what}\n        ${toDo}\n${detail ? `\n${detail}\n` : ""}`);
  process.exit(1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUp({ rebuild: process.argv.includes("--build") });
}
