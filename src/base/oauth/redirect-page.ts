import type { Clock } from "../clock.ts";
import { type ServedRoute, startHttpServer } from "../http/http-server.ts";
import { err, ok, type Result } from "../result.ts";
import { serverWords, type SignInRefusal } from "./token-endpoint.ts";

export interface BrowserPrompts {
  /** Shows the sign-in address to the user. */
  show(url: string): void;
  /** Asks the user to paste the redirect URL, for a browser on another machine. */
  paste?(signal: AbortSignal): Promise<string>;
}

/** The page on this machine to which the browser returns after the sign-in (RFC 8252). Disposing closes it. */
export interface RedirectPage extends AsyncDisposable {
  readonly redirectUrl: string;
  /** Shows the address and waits for the code. Replies with another `state` are ignored. Call it once. */
  askForCode(url: URL, awaited: AwaitedReply, talk: BrowserPrompts, signal: AbortSignal): Promise<CodeReply>;
}

export interface AwaitedReply {
  readonly state: string;
  readonly timeoutMs: number;
  /** The server that must have sent the reply (RFC 9207). `isNamed` means that its replies always name it. */
  readonly issuer?: { readonly id: string; readonly isNamed: boolean };
}

type CodeReply = Result<string, SignInRefusal>;

/** Opens the page, on loopback only. Without a `redirectUrl`, any free port is used. */
export async function openRedirectPage(
  redirectUrl: string | undefined,
  clock: Clock,
): Promise<Result<RedirectPage, SignInRefusal>> {
  const page = URL.parse(redirectUrl ?? "http://127.0.0.1:0/callback");
  if (page?.protocol !== "http:" || !["127.0.0.1", "localhost"].includes(page.hostname))
    return err({
      code: "invalid_request",
      message: `${redirectUrl} is not on this machine, so the browser cannot return there`,
    });
  let take: (query: URLSearchParams) => CodeReply | undefined = () => undefined;
  const route: ServedRoute = {
    method: "GET",
    path: page.pathname,
    async handle({ url }) {
      const read = take(url.searchParams);
      const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
      if (read === undefined) return { status: 400, headers, body: notOurs };
      return { status: 200, headers, body: read.ok ? done : refused };
    },
  };
  const started = await startHttpServer({ routes: [route], port: Number(page.port), clock });
  if (!started.ok) return err({ message: started.error });
  const server = started.value;
  page.port = String(server.port);
  return ok({
    redirectUrl: page.href,
    async askForCode(url, awaited, talk, signal) {
      if (signal.aborted) return err({ message: "interrupted" });
      const reply = Promise.withResolvers<CodeReply>();
      const over = new AbortController();
      const stop = () => reply.resolve(err({ message: "interrupted" }));
      signal.addEventListener("abort", stop, { once: true });
      using _timer = clock.after(awaited.timeoutMs, () =>
        reply.resolve(err({ message: `the sign-in timed out after ${Math.round(awaited.timeoutMs / 1000)} seconds` })),
      );
      take = (query) => {
        const read = readReply(query, awaited);
        if (read) reply.resolve(read);
        return read;
      };
      try {
        talk.show(url.href);
        void pasted(talk, awaited, AbortSignal.any([signal, over.signal])).then((read) => read && reply.resolve(read));
        return await reply.promise;
      } finally {
        over.abort();
        signal.removeEventListener("abort", stop);
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

/** Returns undefined if the reply belongs to another sign-in; then the wait continues. */
function readReply(query: URLSearchParams, { state, issuer }: AwaitedReply): CodeReply | undefined {
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const given = Buffer.from(query.get("state") ?? "");
  const expected = Buffer.from(state);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const from = query.get("iss") ?? undefined;
  // The rest of such a reply is ignored: it may be an attempt to inject a code of another server.
  if (issuer && from !== issuer.id && (issuer.isNamed || from !== undefined))
    return err({ code: "invalid_response", message: `the reply does not come from ${issuer.id}` });
  const refusal = query.get("error");
  if (refusal !== null) {
    const words = query.get("error_description") ?? (refusal === "access_denied" ? "the sign-in was refused" : refusal);
    return err({ code: refusal, message: serverWords(words) });
  }
  const code = query.get("code");
  return code === null || code === "" ? undefined : ok(code);
}

async function pasted(
  { paste }: BrowserPrompts,
  awaited: AwaitedReply,
  signal: AbortSignal,
): Promise<CodeReply | undefined> {
  if (!paste) return undefined;
  while (!signal.aborted) {
    const typed = await paste(signal).catch(() => "");
    if (typed === "") return undefined;
    const read = readReply(URL.parse(typed.trim())?.searchParams ?? new URLSearchParams(), awaited);
    if (read) return read;
  }
  return undefined;
}

const done = "Signed in. You can close this page and go back to the terminal.\n";
const refused = "The sign-in was refused. See the terminal for details.\n";
const notOurs = "This reply does not belong to the pending sign-in.\n";
