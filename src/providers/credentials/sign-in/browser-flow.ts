import type { Clock } from "../../../base/clock.ts";
import { type ServedRoute, startHttpServer } from "../../../base/http/http-server.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { createPkceProof, randomToken } from "./proof.ts";
import type { Grant, SignIn } from "./sign-in.ts";
import { postForm, readGrant, type SignInRefusal, type SignInDeps } from "./token-endpoint.ts";

export interface BrowserPrompts {
  /** Shows the address to open. */
  show(url: string): void;
  /** Asks for the redirect address, for a browser on another machine. */
  paste?(signal: AbortSignal): Promise<string>;
}

/** Signs in on a page that sends the browser back to this machine (PKCE, RFC 8252). Replies with another `state` are ignored. */
export async function signInByBrowser(
  signIn: SignIn & { readonly authorizeUrl: string; readonly clientId: string },
  talk: BrowserPrompts,
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<Result<Grant, SignInRefusal>> {
  const { clock } = deps;
  const state = randomToken();
  const proof = createPkceProof();
  const came = Promise.withResolvers<Result<string, SignInRefusal>>();
  const over = new AbortController();
  const stop = () => came.resolve(err({ message: "interrupted" }));
  signal.addEventListener("abort", stop, { once: true });
  using _timer = clock.after(maxMs, () => came.resolve(err({ message: "the sign-in timed out after five minutes" })));
  const page = await openPage(
    signIn.redirectUrl,
    (query) => {
      const read = readAnswer(query, state);
      if (read) came.resolve(read);
      return read;
    },
    clock,
  );
  if (!page.ok) return page;
  await using listening = page.value;
  try {
    if (signal.aborted) return err({ message: "interrupted" });
    const { redirectUrl } = listening;
    talk.show(addressFor(signIn, { state, challenge: proof.challenge, redirectUrl }));
    void pasted(talk, state, AbortSignal.any([signal, over.signal])).then((read) => read && came.resolve(read));
    const code = await came.promise;
    if (!code.ok) return code;
    const form = {
      grant_type: "authorization_code",
      code: code.value,
      redirect_uri: redirectUrl,
      client_id: signIn.clientId,
      code_verifier: proof.verifier,
    };
    const result = await postForm(signIn.tokenUrl, form, deps, signal);
    return result.ok ? readGrant(result.value, clock.now()) : result;
  } finally {
    over.abort();
    signal.removeEventListener("abort", stop);
  }
}

const maxMs = 300_000;

function addressFor(
  { authorizeUrl, clientId, scope, params }: SignIn & { readonly authorizeUrl: string; readonly clientId: string },
  {
    state,
    challenge,
    redirectUrl,
  }: { readonly state: string; readonly challenge: string; readonly redirectUrl: string },
): string {
  const url = new URL(authorizeUrl);
  const words = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUrl,
    ...(scope !== undefined && { scope }),
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...params,
  };
  for (const [name, value] of Object.entries(words)) url.searchParams.set(name, value);
  return url.href;
}

/** Undefined: the reply belongs to another sign-in; keep waiting. */
function readAnswer(query: URLSearchParams, state: string): Result<string, SignInRefusal> | undefined {
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const given = Buffer.from(query.get("state") ?? "");
  const expected = Buffer.from(state);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const refused = query.get("error");
  if (refused !== null) {
    const words = query.get("error_description") ?? (refused === "access_denied" ? "the sign-in was refused" : refused);
    return err({ code: refused, message: words.slice(0, 300) });
  }
  const code = query.get("code");
  return code === null || code === "" ? undefined : ok(code);
}

async function pasted(
  { paste }: BrowserPrompts,
  state: string,
  signal: AbortSignal,
): Promise<Result<string, SignInRefusal> | undefined> {
  if (!paste) return undefined;
  while (!signal.aborted) {
    const typed = await paste(signal).catch(() => "");
    if (typed === "") return undefined;
    const read = readAnswer(URL.parse(typed)?.searchParams ?? new URLSearchParams(), state);
    if (read) return read;
  }
  return undefined;
}

interface Page extends AsyncDisposable {
  readonly redirectUrl: string;
}

/** Listens on loopback only. */
async function openPage(
  redirectUrl: string | undefined,
  take: (query: URLSearchParams) => Result<string, SignInRefusal> | undefined,
  clock: Clock,
): Promise<Result<Page, SignInRefusal>> {
  const page = URL.parse(redirectUrl ?? "http://127.0.0.1:0/callback");
  if (page?.protocol !== "http:" || !["127.0.0.1", "localhost"].includes(page.hostname))
    return err({
      code: "invalid_request",
      message: `${redirectUrl} is not on this machine, so the browser cannot return there`,
    });
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
  return ok({ redirectUrl: page.href, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() });
}

const done = "Signed in. You can close this page and go back to the terminal.\n";
const refused = "The sign-in was refused. See the terminal for details.\n";
const notOurs = "This reply does not belong to the pending sign-in.\n";
