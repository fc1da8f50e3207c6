import type { Clock } from "../../base/clock.ts";
import type { Browser, BrowserRequest, PagePicture } from "../../contracts/web/browser.ts";
import { openTraceFile, type TraceFile, type TraceLimits } from "./trace-file.ts";

export interface TraceDeps {
  /** The folder for the traces of all sessions. */
  readonly folder: string;
  /** The session id; it becomes the file name. */
  readonly name: string;
  readonly clock: Clock;
  /** Removes keys and passwords from texts. */
  readonly redact: (text: string) => string;
  /** Called once, with the file or the reason why there is none. */
  readonly say: (sentence: string) => void;
  readonly limits?: TraceLimits;
}

/** The same browser, with a record of each action for a person. A failure to record never fails the action. */
export function tracedBrowser(browser: Browser, deps: TraceDeps): Browser {
  const { clock, redact } = deps;
  let opening: Promise<TraceFile | undefined> | undefined;
  let consoleLines: readonly string[] = [];

  async function open(): Promise<TraceFile | undefined> {
    const opened = await openTraceFile(deps.folder, deps.name, clock, deps.limits);
    deps.say(opened.ok ? `The browser session is recorded in ${opened.value.path}` : opened.error.message);
    return opened.ok ? opened.value : undefined;
  }

  /** Reads the current page. These requests are not part of the trace. */
  async function look(request: BrowserRequest, signal: AbortSignal) {
    if (!changesPage(request)) return {};
    const { url } = await browser.facts();
    const pictured = await browser.run({ do: "picture", isAnnotated: false }, signal);
    const picture = pictured.ok ? pictured.value.picture : undefined;
    const logged = await browser.run({ do: "console", isCleared: false }, signal);
    const lines = logged.ok ? logged.value.text.split("\n") : [];
    const fresh = lines.filter((line) => !consoleLines.includes(line)).slice(-maxConsoleLines);
    consoleLines = lines;
    return {
      ...(url !== undefined && { url }),
      ...(picture !== undefined && picture.data.length <= maxPictureChars && { picture }),
      console: fresh,
    };
  }

  return {
    facts: (target) => browser.facts(target),
    async run(request, signal) {
      const [startedAt, start] = [new Date(clock.now()).toISOString(), clock.elapsed()];
      const answered = await browser.run(request, signal);
      const tookMs = clock.elapsed() - start;
      opening ??= open();
      const file = await opening;
      if (file === undefined) return answered;
      const seen: { url?: string; picture?: PagePicture; console?: readonly string[] } = await look(request, signal);
      await file.add({
        startedAt,
        tookMs,
        action: redact(described(request)),
        ...(seen.url !== undefined && { url: redact(seen.url) }),
        result: redact(clipped(answered.ok ? answered.value.text : answered.error.message, maxResultChars)),
        isFailed: !answered.ok,
        console: (seen.console ?? []).map((line) => redact(clipped(line, 1000))),
        ...(seen.picture !== undefined && { picture: seen.picture }),
      });
      return answered;
    },
  };
}

const maxConsoleLines = 50;
const maxResultChars = 10_000;
/** Base64: about 600 KB. */
const maxPictureChars = 800_000;

/** Requests that only read leave the page as the step before showed it. */
function changesPage({ do: action }: BrowserRequest): boolean {
  return !["snapshot", "tabs", "images", "picture", "console", "pdf", "close"].includes(action);
}

function clipped(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text;
}

/** Typed text may be a password: only its length is kept. */
function described(request: BrowserRequest): string {
  const hidden = (text: string) => `${text.length} characters`;
  switch (request.do) {
    case "navigate":
      return `navigate ${request.url}`;
    case "type":
      return `type ${hidden(request.text)} in ${request.ref}${request.isSubmitted ? " and submit" : ""}`;
    case "fill":
      return `fill ${request.fields.map(({ ref }) => ref).join(", ")}${request.submit === undefined ? "" : `, submit ${request.submit}`}`;
    case "select":
      return `select ${request.options.join(", ")} in ${request.ref}`;
    case "press":
      return `press ${request.key}`;
    case "scroll":
      return `scroll ${request.direction ?? "to"} ${request.ref ?? ""}`.trim();
    case "upload":
      return `upload ${request.files.map(({ name }) => name).join(", ")}`;
    case "download":
      return `download ${request.ref ?? request.url ?? ""}`;
    case "evaluate":
      return `evaluate ${clipped(request.expression, 500)}`;
    case "cdp":
      return `cdp ${request.method}`;
    case "dialog":
      return `${request.isAccepted ? "accept" : "dismiss"} dialog`;
    case "switch_tab":
    case "close_tab":
      return `${request.do.replace("_", " ")} ${request.tab}`;
    case "wait":
      return `wait for ${request.until.for}`;
    default:
      return "ref" in request && request.ref !== undefined ? `${request.do} ${request.ref}` : request.do;
  }
}
