import { accessSync, chmodSync, constants } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { makeTempFolder, removeOrphanedFolders } from "../../base/files/temp-folder.ts";
import { newId } from "../../base/ids.ts";
import type { ChildProgram, StartChild } from "../../base/process/child-program.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { type CdpConnection, connectCdp } from "../cdp/connection.ts";
import { pipeWire } from "../cdp/pipe-wire.ts";
import { type BrowserAccount, makeBrowserFolder } from "./browser-account.ts";
import { displayKey, missingScreen } from "./display-key.ts";
import type { FoundBrowser } from "./find-browser.ts";
import { chromiumArguments } from "./launch-arguments.ts";
import { limitPageMemory } from "./memory-limit.ts";

export interface BrowserLaunch {
  readonly browser: FoundBrowser;
  readonly isHeaded: boolean;
  /** A folder that keeps logins. If undefined, a temporary folder is used. */
  readonly profile?: string;
  readonly proxyPort: number | undefined;
  readonly maxPageMb: number;
  /** If false, the start fails where the browser's own sandbox does not work. */
  readonly mayLackSandbox: boolean;
  /** Sends commands that a starting browser reads first. Called again for another attempt. */
  readonly onConnecting?: (connection: CdpConnection) => void;
}

export interface BrowserLaunchDeps {
  readonly startChild: StartChild;
  readonly clock: Clock;
  readonly env: Variables;
  /** The parent of temporary folders, which every account can reach. */
  readonly tempFolder: string;
  readonly account: BrowserAccount | undefined;
  readonly timeoutMs: number;
}

export interface LaunchedBrowser {
  readonly connection: CdpConnection;
  readonly pid: number;
  /** The product version, such as `Chrome/156.0.…`. */
  readonly version: string;
  readonly hasSandbox: boolean;
  /** The folder in which the browser can write downloads. */
  readonly downloads: string;
  /** The folder for files that pages may receive. `owner` is the account that must own them. */
  readonly uploads: {
    readonly folder: string;
    readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  };
  /** Reasons why the protection is weaker than intended, if any. */
  readonly warning?: string;
  /** Resolves with the reason when the browser has ended. */
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

/** Starts Chromium. The browser ends with this process, even after kill -9, and leaves no temporary folder. */
export async function launchBrowser(launch: BrowserLaunch, deps: BrowserLaunchDeps): Promise<Result<LaunchedBrowser>> {
  const { account } = deps;
  const unseen = launch.isHeaded ? missingScreen(deps.env, process.platform) : undefined;
  if (unseen !== undefined) return err({ message: unseen });
  const isRoot = process.getuid?.() === 0;
  const failures: string[] = [];
  const attempts: readonly Attempt[] = [
    ...(isRoot && !account ? [] : [{ account, hasSandbox: true }]),
    ...(launch.mayLackSandbox ? [{ account, hasSandbox: false }] : []),
    // Only root can read the browser, for example because it is in root's home folder.
    ...(launch.mayLackSandbox && account ? [{ account: undefined, hasSandbox: false }] : []),
  ];
  for (const attempt of attempts) {
    const started = await start(launch, attempt, deps);
    if (started.ok) {
      // Runs after the start, because a caller waits for the start.
      setImmediate(() => removeOrphanedFolders(folderFor(launch.browser, deps.tempFolder)));
      const { connection } = started.value;
      const limit = limitPageMemory({ connection, clock: deps.clock, maxBytes: 2 * launch.maxPageMb * 1024 * 1024 });
      void connection.closed.then(() => limit[Symbol.dispose]());
      const reason = failures[0] ?? "root has no other account to start it as";
      const warning = `The sandbox of the browser is off${attempt.account || !isRoot ? "" : " and it runs as root"} (${reason}).`;
      return ok({ ...started.value, ...(!attempt.hasSandbox && { warning }) });
    }
    failures.push(started.error.message);
    if (started.error.isFinal) break;
  }
  const hint = launch.mayLackSandbox ? "" : " `browser.sandbox: auto` starts it without its sandbox.";
  return err({ message: `${launch.browser.program} did not start: ${failures[0] ?? "no sandbox works here"}.${hint}` });
}

interface Attempt {
  readonly account: BrowserAccount | undefined;
  readonly hasSandbox: boolean;
}

/** `isFinal` means that trying another account or no sandbox would not help. */
type StartFailure = { readonly message: string; readonly isFinal: boolean };

async function start(
  launch: BrowserLaunch,
  { account, hasSandbox }: Attempt,
  deps: BrowserLaunchDeps,
): Promise<Result<LaunchedBrowser, StartFailure>> {
  const folder = makeTempFolder(folderFor(launch.browser, deps.tempFolder), "browser");
  // The account can enter the parent folder, but can read only its own folder.
  chmodSync(folder, 0o711);
  const [scratch, userData] = [join(folder, "home"), launch.profile ?? join(folder, "data")];
  const downloads = join(folder, "downloads");
  const uploads = { folder: join(folder, "uploads"), owner: account && { uid: account.uid, gid: account.gid } };
  for (const each of [scratch, userData, downloads, uploads.folder]) makeBrowserFolder(each, account);
  const marker = newId("browser");
  const { program, isHeadlessShell } = launch.browser;
  const args = chromiumArguments({ ...launch, isHeadlessShell, userData, hasSandbox });
  const started = await deps.startChild({
    program,
    args,
    cwd: scratch,
    env: {
      ...browserEnvironment(deps.env, launch.isHeaded),
      ...(launch.isHeaded && displayKey(deps.env, folder, account)),
      HOME: scratch,
      TMPDIR: scratch,
      [markerName]: marker,
    },
    ...(uploads.owner && { account: uploads.owner }),
    folder,
    pipes: [3, 4],
    marker,
  });
  if (!started.ok) {
    const { rmSync } = process.getBuiltinModule("node:fs");
    rmSync(folder, { recursive: true, force: true });
    return err({ message: started.error, isFinal: false });
  }
  const connected = await connect(started.value, hasSandbox, launch, deps);
  return connected.ok ? ok({ ...connected.value, downloads, uploads }) : connected;
}

async function connect(
  child: ChildProgram,
  hasSandbox: boolean,
  { onConnecting }: BrowserLaunch,
  { clock, timeoutMs }: BrowserLaunchDeps,
): Promise<Result<Omit<LaunchedBrowser, "downloads" | "uploads">, StartFailure>> {
  const [toBrowser, fromBrowser] = [child.pipe(3), child.pipe(4)];
  // The cast is safe: `pipes` names both descriptors.
  if (!toBrowser || !fromBrowser) return err({ message: "it has no pipes", isFinal: true });
  child.stdout.resume();
  child.stdin.end();
  const connection = connectCdp(pipeWire(toBrowser, fromBrowser), { clock, timeoutMs });
  try {
    const version = connection.send<{ product: string }>("Browser.getVersion");
    onConnecting?.(connection);
    const { product } = await version;
    const ended = child.exited.then(({ description }) => `the browser ended with ${description}`);
    const end = async (): Promise<void> => {
      connection[Symbol.dispose]();
      await child.end();
    };
    return ok({ connection, pid: child.pid, version: product, hasSandbox, ended, end });
  } catch {
    connection[Symbol.dispose]();
    await child.end();
    const { description } = await child.exited;
    const fault = faultIn(child.stderrTail());
    const isSandboxFault = /sandbox|namespace|setuid|zygote|permission denied/iu.test(fault);
    return err({
      message: fault || `it ended with ${description}`,
      isFinal: !isSandboxFault && hasSandbox && fault !== "",
    });
  }
}

const markerName = "HERMES_BROWSER";

/**
 * The parent of the temporary folder. All but the headless shell put a socket below it, and on Linux they do not start
 * if its path has more than 107 characters, so that a long parent is replaced.
 */
function folderFor({ isHeadlessShell }: FoundBrowser, parent: string): string {
  const isShort = isHeadlessShell || process.platform !== "linux" || parent.length <= maxParentChars;
  return isShort || !canWrite("/tmp") ? parent : "/tmp";
}

function canWrite(folder: string): boolean {
  return valueOr(() => {
    accessSync(folder, constants.W_OK);
    return true;
  }, false);
}

const maxParentChars = 8;

/** The line of the error output that explains the failure; other lines warn about missing services. */
function faultIn(output: string): string {
  const lines = output
    .split("\n")
    .filter((line) => !/dbus|bluez|gpu|vaapi|vulkan/iu.test(line))
    .map((line) => line.replace(/^\[[^\]]*\]\s*/u, "").trim())
    .filter((line) => line !== "");
  const line =
    lines.find((each) => /sandbox|X server/iu.test(each)) ??
    lines.find((each) => /error|fatal|cannot|failed|missing/iu.test(each));
  return (line ?? lines.at(-1) ?? "").slice(0, maxFaultChars);
}

const maxFaultChars = 300;

/** The environment of the browser: only language, fonts and the display, without secrets of this process. */
function browserEnvironment(env: Variables, isHeaded: boolean): Record<string, string> {
  const shown = isHeaded ? ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"] : [];
  const kept = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH", ...shown];
  const values = kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { PATH: "/usr/local/bin:/usr/bin:/bin", ...Object.fromEntries(values) };
}
