import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Readonly<Record<string, unknown>>;

/** A response, or the way in which a hostile server breaks off. */
type Reply =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | "hang"
  | "cut";

export interface SeenRequest {
  readonly host: "mcp" | "auth" | "other";
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly form: URLSearchParams;
  readonly json: Json;
}

export interface OAuthRules {
  /** Changes the metadata of the MCP server. If undefined, the server has none. */
  readonly resource?: (metadata: Json) => unknown;
  /** Changes the metadata of the authorization server. If undefined, the server has none. */
  readonly metadata?: (metadata: Json) => unknown;
  /** Parameters of the refusal in addition to `resource_metadata`. */
  readonly challenge?: string;
  /** Scopes that a token needs for a method of the protocol. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** How many seconds a token is valid. */
  readonly expiresIn?: number;
  /** If true, tokens cannot be renewed. */
  readonly isFinal?: boolean;
  /** Replaces the rules for any request of any host. If undefined, the rules apply. */
  readonly answer?: (request: SeenRequest) => Reply | undefined;
  /** If true, calls without a token are answered. */
  readonly isOpen?: boolean;
}

/** An MCP server, its authorization server and a third host, on loopback. They follow the specification unless the rules differ. */
export interface OAuthScene extends AsyncDisposable {
  readonly url: string;
  readonly auth: string;
  readonly other: string;
  readonly seen: readonly SeenRequest[];
  readonly validTokens: ReadonlySet<string>;
  /** Signs in on the page like a user: follows the URL and the redirect. */
  browse(address: string): Promise<number>;
  /** The address to which the page redirects. */
  redirectOf(address: string): Promise<string>;
  /** Invalidates all access tokens. */
  expire(): void;
}

export async function startOAuthScene(rules: OAuthRules = {}): Promise<OAuthScene> {
  const seen: SeenRequest[] = [];
  const clients = new Map<string, { readonly secret?: string; readonly redirects: readonly unknown[] }>();
  const codes = new Map<string, { readonly query: URLSearchParams }>();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  let count = 0;
  let [url, auth, other] = ["", "", ""];

  function answerAuth({ method, path, query, form, json, headers }: SeenRequest): Reply {
    if (path === "/.well-known/oauth-authorization-server") {
      const metadata = {
        issuer: auth,
        authorization_endpoint: `${auth}/authorize`,
        token_endpoint: `${auth}/token`,
        registration_endpoint: `${auth}/register`,
        revocation_endpoint: `${auth}/revoke`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
      };
      const changed = rules.metadata ? rules.metadata(metadata) : metadata;
      return changed === undefined ? { status: 404 } : { json: changed };
    }
    if (path === "/register" && method === "POST") {
      const id = `client-${clients.size + 1}`;
      const isPublic = json["token_endpoint_auth_method"] === "none";
      const secret = isPublic ? undefined : `secret of ${id}`;
      clients.set(id, { ...(secret !== undefined && { secret }), redirects: json["redirect_uris"] as unknown[] });
      return { status: 201, json: { ...json, client_id: id, ...(secret !== undefined && { client_secret: secret }) } };
    }
    if (path === "/authorize") {
      const client = clients.get(query.get("client_id") ?? "");
      if (client && !client.redirects.includes(query.get("redirect_uri"))) return { status: 400, text: "redirect" };
      const code = `code-${randomUUID()}`;
      codes.set(code, { query });
      const back = new URL(query.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code, state: query.get("state") ?? "", iss: auth }).toString();
      return { status: 302, headers: { location: back.href } };
    }
    if (path === "/token" && method === "POST") return answerToken(form, headers.authorization);
    if (path === "/revoke" && method === "POST") {
      access.delete(form.get("token") ?? "");
      refresh.delete(form.get("token") ?? "");
      return { json: {} };
    }
    return { status: 404 };
  }

  function answerToken(form: URLSearchParams, authorization: string | undefined): Reply {
    const refuse = (error: string): Reply => ({ status: 400, json: { error } });
    const [basicId, basicSecret] = Buffer.from(authorization?.replace("Basic ", "") ?? "", "base64")
      .toString()
      .split(":")
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    const client = clients.get(form.get("client_id") ?? basicId ?? "");
    if (client?.secret !== undefined && client.secret !== (form.get("client_secret") ?? basicSecret))
      return { status: 401, json: { error: "invalid_client" } };
    let scope: string;
    if (form.get("grant_type") === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const proof = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (code?.query.get("code_challenge") !== proof) return refuse("invalid_grant");
      scope = code.query.get("scope") ?? "";
    } else if (form.get("grant_type") === "refresh_token") {
      const granted = refresh.get(form.get("refresh_token") ?? "");
      refresh.delete(form.get("refresh_token") ?? "");
      if (granted === undefined) return refuse("invalid_grant");
      scope = granted;
    } else scope = form.get("scope") ?? "";
    count += 1;
    access.set(`token-${count}`, scope);
    if (!rules.isFinal) refresh.set(`refresh-${count}`, scope);
    return {
      json: {
        access_token: `token-${count}`,
        token_type: "Bearer",
        expires_in: rules.expiresIn ?? 3_600,
        ...(!rules.isFinal && { refresh_token: `refresh-${count}` }),
        ...(scope !== "" && { scope }),
      },
    };
  }

  function answerMcp({ method, path, headers, json }: SeenRequest): Reply {
    if (path === "/.well-known/oauth-protected-resource/mcp") {
      const metadata = { resource: url, authorization_servers: [auth] };
      const changed = rules.resource ? rules.resource(metadata) : metadata;
      return changed === undefined ? { status: 404 } : { json: changed };
    }
    if (path !== "/mcp") return { status: 404 };
    const scope = access.get(headers.authorization?.replace("Bearer ", "") ?? "");
    const more = rules.challenge === undefined ? "" : `, ${rules.challenge}`;
    const place = rules.resource === undefined || rules.resource({}) !== undefined;
    const where = `Bearer resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", url).href}"`;
    if (scope === undefined && !rules.isOpen)
      return { status: 401, headers: { "www-authenticate": place ? `${where}${more}` : "Bearer" } };
    const needed = rules.scopes?.[String(json["method"])];
    if (needed !== undefined && !needed.split(" ").every((word) => scope?.split(" ").includes(word)))
      return { status: 403, headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${needed}"` } };
    if (method !== "POST") return { status: 405 };
    if (json["id"] === undefined) return { status: 202 };
    return { json: { jsonrpc: "2.0", id: json["id"], result: resultOf(String(json["method"])) } };
  }

  const serve = (host: SeenRequest["host"]) => async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { pathname, searchParams } = new URL(request.url ?? "", "http://here");
    const isJson = request.headers["content-type"] === "application/json";
    const one: SeenRequest = {
      host,
      method: request.method ?? "",
      path: pathname,
      query: searchParams,
      headers: request.headers,
      form: new URLSearchParams(isJson ? "" : text),
      json: isJson ? (JSON.parse(text) as Json) : {},
    };
    seen.push(one);
    const rule = { mcp: answerMcp, auth: answerAuth, other: (): Reply => ({ status: 404 }) }[host];
    const reply = rules.answer?.(one) ?? rule(one);
    if (reply === "hang") return;
    if (reply === "cut") return void response.destroy();
    const { status = 200, headers = {}, json } = reply;
    response.writeHead(status, { ...(json !== undefined && { "content-type": "application/json" }), ...headers });
    response.end(json === undefined ? reply.text : JSON.stringify(json));
  };

  const servers = (["mcp", "auth", "other"] as const).map((host) =>
    createServer((request, response) => void serve(host)(request, response)),
  );
  const [mcpAt, authAt, otherAt] = await Promise.all(servers.map(listen));
  [url, auth, other] = [`${mcpAt}/mcp`, authAt ?? "", otherAt ?? ""];

  const redirectOf = async (address: string) => {
    const response = await fetch(address, { redirect: "manual" });
    return response.headers.get("location") ?? "";
  };
  return {
    url,
    auth,
    other,
    seen,
    get validTokens() {
      return new Set([...access.keys(), ...refresh.keys()]);
    },
    redirectOf,
    browse: async (address) => (await fetch(await redirectOf(address))).status,
    expire: () => access.clear(),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(close));
    },
  };
}

function resultOf(method: string): unknown {
  if (method === "initialize")
    return {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "locked", version: "1.0.0" },
    };
  if (method === "tools/list")
    return { tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }] };
  return method === "tools/call" ? { content: [{ type: "text", text: "seen" }] } : {};
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The cast is safe: a TCP server always has this kind of address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
