import { form, type FormState } from "./form.ts";
import { hardPages, type HardState } from "./hard-pages.ts";
import { hostilePages } from "./hostile-pages.ts";
import { shop, type ShopState } from "./shop.ts";
import { html, type SitePages, startSiteServer } from "./site-server.ts";

export interface SiteState extends ShopState, FormState, HardState {}

/** All sites on loopback, on two origins, and a private host that no page may reach. */
export interface Sites extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** The same pages on another address: `http://127.0.0.2:PORT`. */
  readonly otherOrigin: string;
  readonly state: SiteState;
  readonly requests: readonly string[];
  /** A host of the private network: every connection to it is a hole in the guard. */
  readonly secret: { readonly url: string; readonly port: number; readonly requests: readonly string[] };
}

export const secretText = "the secret of the private network";

/** `names`: the host names of the origins in pages, if a guard maps names to this machine. */
export async function startSites(names: { readonly other?: (port: number) => string } = {}): Promise<Sites> {
  const stack = new AsyncDisposableStack();
  const state: SiteState = { orders: [], carts: new Map(), signIns: [], bookings: [], forms: [], reports: [] };
  const secret = stack.use(
    await startSiteServer(
      { "GET /*": () => html("Secret", `<h1>${secretText}</h1>`), "POST /*": () => html("Secret", secretText) },
      { address: "127.0.0.1", otherOrigin: () => "", listsConnections: true },
    ),
  );
  const secretUrl = `http://127.0.0.1:${secret.port}/secret`;
  const pages: SitePages = { ...shop(state), ...form(state), ...hardPages(state), ...hostilePages(() => secretUrl) };
  const otherAddress = process.platform === "linux" ? "127.0.0.2" : "localhost";
  let otherOrigin = "";
  const main = stack.use(await startSiteServer(pages, { address: "127.0.0.1", otherOrigin: () => otherOrigin }));
  const other = stack.use(
    await startSiteServer(pages, {
      address: otherAddress,
      port: main.port,
      otherOrigin: () => `http://127.0.0.1:${main.port}`,
    }),
  );
  otherOrigin = names.other?.(main.port) ?? `http://${otherAddress}:${other.port}`;
  return {
    port: main.port,
    origin: `http://127.0.0.1:${main.port}`,
    otherOrigin,
    state,
    get requests() {
      return [...main.requests, ...other.requests];
    },
    secret: { url: secretUrl, port: secret.port, requests: secret.requests },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
