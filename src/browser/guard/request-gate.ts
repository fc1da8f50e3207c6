import { reasonOf } from "../../base/result.ts";
import type { CdpParams, CdpSession } from "../cdp/connection.ts";
import type { ProxyAdmission } from "./browser-proxy.ts";
import { type GuardRefusal, isShownLocally, type UrlGuard } from "./url-guard.ts";

export interface RequestGateDeps {
  readonly guard: UrlGuard;
  /** Undefined if this browser does not go through our proxy. */
  readonly admission: ProxyAdmission | undefined;
  /** If true, checks only pages and frames, not their resources. */
  readonly isDocumentsOnly: boolean;
  readonly onRefused: (refusal: GuardRefusal) => void;
  /** Called when a server asks for a name and a password. If undefined, no credentials are sent. */
  readonly askCredentials: (challenge: ServerChallenge) => Promise<Credentials | undefined>;
}

export interface ServerChallenge {
  readonly url: string;
  readonly origin: string;
  readonly realm: string;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Checks every request of a target and of its workers, with the whole URL, before it leaves the browser. The proxy
 * checks again with the addresses. The command is sent immediately, so that the target can be resumed right after it.
 */
export function gateRequests(session: CdpSession, deps: RequestGateDeps): Promise<unknown> {
  const challenged = new Map<string, number>();
  // The command fails if the page has closed; nothing is left to do then.
  const reply = (method: string, params: CdpParams): void => void session.send(method, params).catch(() => {});

  session.on("Fetch.requestPaused", ({ requestId, request }) => {
    const url = urlIn(request);
    if (isShownLocally(url)) return reply("Fetch.continueRequest", { requestId });
    void judge(String(requestId), url);
  });

  async function judge(requestId: string, url: string): Promise<void> {
    const reason = await deps.guard.faultOf(url, "page").catch(reasonOf);
    if (reason === undefined) return reply("Fetch.continueRequest", { requestId });
    deps.onRefused({ url, reason });
    reply("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
  }

  session.on("Fetch.authRequired", ({ requestId, request, authChallenge }) => {
    const id = String(requestId);
    const { source, origin, realm } = challengeOf(authChallenge);
    const answer = (given: Credentials | undefined): void => {
      const authChallengeResponse = given
        ? { response: "ProvideCredentials", username: given.username, password: given.password }
        : { response: "CancelAuth" };
      reply("Fetch.continueWithAuth", { requestId, authChallengeResponse });
    };
    const tries = (challenged.get(id) ?? 0) + 1;
    challenged.set(id, tries);
    if (challenged.size > maxChallenges) challenged.clear();
    if (source === "Proxy") return answer(tries === 1 ? deps.admission : undefined);
    if (tries > maxTries) return answer(undefined);
    const credentials = deps.askCredentials({ url: urlIn(request), origin, realm });
    void credentials.catch(() => undefined).then((given) => answer(given));
  });

  const pattern = { urlPattern: "*", ...(deps.isDocumentsOnly && { resourceType: "Document" }) };
  return session.send("Fetch.enable", { handleAuthRequests: true, patterns: [pattern] });
}

const maxTries = 3;
const maxChallenges = 1_000;

function urlIn(request: unknown): string {
  const { url, urlFragment } = request as { readonly url?: string; readonly urlFragment?: string };
  return `${url ?? ""}${urlFragment ?? ""}`;
}

function challengeOf(value: unknown): { readonly source?: string; readonly origin: string; readonly realm: string } {
  const { source, origin = "", realm = "" } = value as { source?: string; origin?: string; realm?: string };
  return { ...(source !== undefined && { source }), origin, realm };
}
