import { isObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Web } from "../../contracts/safety/web.ts";
import type { Browser, BrowserAnswer, BrowserFault, BrowserRequest } from "../../contracts/web/browser.ts";
import { type ApiAnswer, callApi } from "../../contracts/web/call-api.ts";

export interface CamofoxDeps {
  readonly web: Web;
  /** `CAMOFOX_URL`. */
  readonly url: string;
  /** `CAMOFOX_ACCESS_KEY`, if the server requires one. */
  readonly accessKey: string | undefined;
  /** The user name on the server, which owns cookies and storage. */
  readonly userId: string;
  /** The key that groups the tabs of one conversation. */
  readonly sessionKey: string;
  /** Whether the browser user is kept at the end, with its logins. */
  readonly isPersistent: boolean;
  /** If true, uses a tab of this user that is already open. */
  readonly adoptsTab: boolean;
  /** The host name of this machine inside the server's container. */
  readonly loopbackAlias: string | undefined;
  /** Returns why an address is refused. The server makes its own requests, so only page addresses can be checked. */
  readonly refusal: (url: string, signal: AbortSignal) => Promise<string | undefined>;
}

type CamofoxFields = Readonly<Record<string, string | number | boolean>>;
type Answered = Result<BrowserAnswer, BrowserFault>;

/** A browser behind the HTTP API of a Camofox server, which creates its own snapshots and references. */
export function createCamofoxBrowser(deps: CamofoxDeps): Browser {
  let tab: string | undefined;
  let pageUrl: string | undefined;

  async function call(
    method: "GET" | "POST" | "DELETE",
    path: string,
    fields: CamofoxFields,
    signal: AbortSignal,
  ): Promise<Result<ApiAnswer, BrowserFault>> {
    const all: CamofoxFields = { userId: deps.userId, ...fields };
    const query = new URLSearchParams(
      Object.entries(all).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const isQuery = method !== "POST";
    const answered = await callApi(
      deps.web,
      {
        service: "camofox",
        url: `${deps.url.replace(/\/+$/u, "")}${path}${isQuery ? `?${query.toString()}` : ""}`,
        method,
        ...(!isQuery && { json: all }),
        headers: deps.accessKey === undefined ? {} : { authorization: `Bearer ${deps.accessKey}` },
        keyVar: "CAMOFOX_ACCESS_KEY",
        isNamedBySettings: true,
        timeoutMs: 60_000,
        maxBytes: 20_000_000,
      },
      signal,
    );
    if (answered.ok) return answered;
    const { status, kind, message } = answered.error;
    // The server may have closed idle tabs.
    if (status === 404) tab = undefined;
    return err({
      kind: status === 409 || status === 404 ? "gone" : kind === "timeout" ? "timeout" : "failed",
      message,
    });
  }

  const onTab = async (method: "GET" | "POST", action: string, fields: CamofoxFields, signal: AbortSignal) =>
    tab === undefined ? err(noPage) : call(method, `/tabs/${encodeURIComponent(tab)}/${action}`, fields, signal);

  async function snapshot(signal: AbortSignal, offset = 0): Promise<Answered> {
    const answered = await onTab("GET", "snapshot", { format: "text", ...(offset > 0 && { offset }) }, signal);
    if (!answered.ok) return answered;
    const fields = fieldsOf(answered.value);
    pageUrl = textOf(fields["url"]) ?? pageUrl;
    const refused = pageUrl === undefined ? undefined : await deps.refusal(pageUrl, signal);
    if (refused !== undefined) {
      await onTab("POST", "navigate", { url: "about:blank" }, signal);
      return err({ kind: "refused", message: `The page moved on to ${pageUrl ?? ""}: ${refused}`, isActed: true });
    }
    const tree = (textOf(fields["snapshot"]) ?? "").replaceAll(/\[(e\d+)\]/gu, "[@$1]");
    const more =
      fields["hasMore"] === true
        ? `\n(more: offset ${String(fields["nextOffset"])} of ${String(fields["totalChars"])})`
        : "";
    return ok({ text: `Page: ${pageUrl ?? ""}\n${tree}${more}`, data: { url: pageUrl ?? "", snapshot: tree } });
  }

  async function act(action: string, fields: CamofoxFields, signal: AbortSignal): Promise<Answered> {
    const done = await onTab("POST", action, fields, signal);
    return done.ok ? snapshot(signal) : done;
  }

  async function navigate(url: string, signal: AbortSignal): Promise<Answered> {
    const refused = await deps.refusal(url, signal);
    if (refused !== undefined) return err({ kind: "refused", message: `${url}: ${refused}` });
    const target = withAlias(url, deps.loopbackAlias);
    if (tab === undefined && deps.adoptsTab) {
      const listed = await tabs(signal);
      tab = listed.ok ? listed.value[0]?.id : undefined;
    }
    if (tab !== undefined) {
      const moved = await onTab("POST", "navigate", { url: target }, signal);
      if (moved.ok) return snapshot(signal);
      if (moved.error.kind !== "gone") return moved;
    }
    const opened = await call("POST", "/tabs", { sessionKey: deps.sessionKey, url: target }, signal);
    if (!opened.ok) return opened;
    tab = textOf(fieldsOf(opened.value)["tabId"]);
    return tab === undefined
      ? err({ kind: "failed", message: "camofox opened a tab, but did not say which." })
      : snapshot(signal);
  }

  async function tabs(
    signal: AbortSignal,
  ): Promise<Result<readonly { id: string; url: string; title: string }[], BrowserFault>> {
    const answered = await call("GET", "/tabs", {}, signal);
    if (!answered.ok) return answered;
    const listed = fieldsOf(answered.value)["tabs"];
    const rows = Array.isArray(listed) ? listed.filter(isObject) : [];
    return ok(
      rows.map((row) => ({
        id: textOf(row["tabId"]) ?? "",
        url: textOf(row["url"]) ?? "",
        title: textOf(row["title"]) ?? "",
      })),
    );
  }

  async function fill(request: BrowserRequest & { do: "fill" }, signal: AbortSignal): Promise<Answered> {
    for (const { ref, value } of request.fields) {
      const done =
        typeof value === "string"
          ? await onTab("POST", "type", { ref: bare(ref), text: value, clear: true }, signal)
          : typeof value === "boolean"
            ? await onTab("POST", "click", { ref: bare(ref) }, signal)
            : await onTab("POST", "select", { ref: bare(ref), option: value[0] ?? "" }, signal);
      if (!done.ok) return err({ ...done.error, isActed: true });
    }
    return request.submit === undefined ? snapshot(signal) : act("click", { ref: bare(request.submit) }, signal);
  }

  async function run(request: BrowserRequest, signal: AbortSignal): Promise<Answered> {
    switch (request.do) {
      case "navigate":
        return navigate(request.url, signal);
      case "snapshot":
        return snapshot(signal, request.offset);
      case "click":
        return act("click", { ref: bare(request.ref), ...(request.isDouble && { doubleClick: true }) }, signal);
      case "type":
        return act(
          "type",
          { ref: bare(request.ref), text: request.text, clear: true, submit: request.isSubmitted === true },
          signal,
        );
      case "fill":
        return fill(request, signal);
      case "select":
        return act("select", { ref: bare(request.ref), option: request.options[0] ?? "" }, signal);
      case "press":
        return act("press", { key: request.key }, signal);
      case "scroll":
        return act("scroll", scrolled(request.direction), signal);
      case "back":
        return act("back", {}, signal);
      case "wait":
        return waitFor(request, signal);
      case "images": {
        const answered = await onTab("GET", "images", {}, signal);
        if (!answered.ok) return answered;
        const images = fieldsOf(answered.value)["images"];
        return ok({
          text: JSON.stringify(images),
          data: { images: Array.isArray(images) ? (images as JsonValue) : [] },
        });
      }
      case "picture": {
        const answered = await onTab("GET", "screenshot", { fullPage: request.isWholePage === true }, signal);
        if (!answered.ok) return answered;
        const data = Buffer.from(answered.value.body).toString("base64");
        return ok({ text: "", picture: { mimeType: "image/png", data } });
      }
      case "evaluate": {
        const answered = await onTab("POST", "evaluate", { expression: request.expression }, signal);
        if (!answered.ok) return answered;
        return ok({ text: JSON.stringify(fieldsOf(answered.value)["result"] ?? null) });
      }
      case "tabs": {
        const listed = await tabs(signal);
        if (!listed.ok) return listed;
        const lines = listed.value.map(({ id, url, title }) => `${id === tab ? "*" : "-"} ${id} ${title} ${url}`);
        return ok({ text: lines.join("\n"), data: { tabs: listed.value.map((one) => ({ ...one })) } });
      }
      case "switch_tab":
        tab = request.tab;
        return snapshot(signal);
      case "close_tab": {
        const closed = await call("DELETE", `/tabs/${encodeURIComponent(request.tab)}`, {}, signal);
        if (tab === request.tab) tab = undefined;
        return closed.ok ? ok({ text: `Closed ${request.tab}.` }) : closed;
      }
      case "close":
        return close(signal);
      default:
        return err({
          kind: "unsupported",
          message: `Camofox cannot do this (${request.do}). Use browser.backend: local.`,
        });
    }
  }

  async function waitFor(request: BrowserRequest & { do: "wait" }, signal: AbortSignal): Promise<Answered> {
    if (request.until.for !== "still")
      return err({
        kind: "unsupported",
        message: "Camofox waits only for the page to be still. Take a snapshot and look.",
      });
    return act("wait", { timeout: request.timeoutMs }, signal);
  }

  async function close(signal: AbortSignal): Promise<Answered> {
    if (tab === undefined) return ok({ text: "No page is open." });
    const path = deps.isPersistent
      ? `/tabs/${encodeURIComponent(tab)}`
      : `/sessions/${encodeURIComponent(deps.userId)}`;
    const closed = await call("DELETE", path, {}, signal);
    tab = undefined;
    pageUrl = undefined;
    return closed.ok || closed.error.kind === "gone" ? ok({ text: "Closed." }) : closed;
  }

  return {
    facts: async () => ({
      ...(tab !== undefined && pageUrl !== undefined && { url: pageUrl }),
      ...(deps.isPersistent && { login: "the Camofox user keeps its logins" }),
    }),
    run,
  };
}

const noPage: BrowserFault = { kind: "no_page", message: "No page is open. Navigate to a URL first." };

/** Converts references: the server uses `e4`, the model `@e4`. */
function bare(ref: string): string {
  return ref.replace(/^@/u, "");
}

function scrolled(direction: string | undefined): CamofoxFields {
  if (direction === "top") return { direction: "up", amount: 1_000_000 };
  if (direction === "bottom") return { direction: "down", amount: 1_000_000 };
  return { direction: direction ?? "down", amount: 500 };
}

function withAlias(url: string, alias: string | undefined): string {
  const parsed = URL.parse(url);
  if (alias === undefined || parsed === null || !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u.test(parsed.hostname))
    return url;
  parsed.hostname = alias;
  return parsed.href;
}

function fieldsOf(answer: ApiAnswer): Record<string, unknown> {
  const json = answer.json();
  return isObject(json) ? json : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
