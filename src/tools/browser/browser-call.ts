import type { ContentPart } from "../../contracts/model/message.ts";
import { fail, type FailureKind, text, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Browser, BrowserFault, BrowserRequest } from "../../contracts/web/browser.ts";

/** The traits of every tool that shows text of a page. */
export const pageTraits = {
  untrusted: true,
  // The maximum length of a snapshot. A longer one is written to a file.
  maxResultChars: 8000,
  timeoutMs: 180_000,
} as const;

/** Runs one request in the browser of the session. */
export async function askBrowser(
  request: BrowserRequest,
  { browser, signal }: { readonly browser: Browser; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const answered = await browser.run(request, signal);
  if (!answered.ok) return browserFailure(answered.error);
  const { text: body, data, picture } = answered.value;
  if (!picture) return text(body, data);
  const image: ContentPart = { type: "image", mimeType: picture.mimeType, data: picture.data };
  return { ok: true, value: { content: [{ type: "text", text: body }, image], ...(data !== undefined && { data }) } };
}

/** Faults quote the page, and only the text of a `failed` call is marked as untrusted. */
export function browserFailure({ kind, message, isActed = false }: BrowserFault): ToolResult {
  const kinds: Partial<Record<BrowserFault["kind"], FailureKind>> = {
    unavailable: "unavailable",
    unsupported: "unavailable",
    no_page: "unavailable",
  };
  return fail(message, kinds[kind] ?? "failed", { effect: isActed ? "unknown" : "none", data: { fault: kind } });
}

export const refWords = "Reference from a snapshot, such as @e12";
