import { type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";

import type { WebRequest } from "../../contracts/safety/web.ts";
import { hostOf } from "./judge-url.ts";

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WebRequest["body"];
}

/** Where the connection goes. */
export type Way = { readonly addresses: readonly string[] } | { readonly proxy: URL };

/**
 * Sends one request and answers when the head of the response is there. Nobody is asked for addresses: the connection
 * goes to one of those given, or to the proxy. Certificates are checked against the name in the URL.
 */
export async function sendRequest(asked: OutgoingRequest, way: Way, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method } = asked;
  const isSecure = url.protocol === "https:";
  const host = hostOf(url);
  const headers = { "accept-encoding": "gzip, deflate, br", ...asked.headers };
  const base: RequestOptions = { method, path: url.pathname + url.search, headers, signal };
  const target = { host, port: url.port || (isSecure ? 443 : 80), ...(isIP(host) === 0 && { servername: host }) };
  if ("addresses" in way) {
    const lookup = lookupOf(way.addresses);
    return answerTo(isSecure ? httpsRequest : httpRequest, { ...base, ...target, lookup, agent: false }, asked.body);
  }
  const { proxy } = way;
  if (!isSecure) {
    const own = { ...headers, host: url.host, ...proxyLogin(proxy) };
    const options = { ...base, ...proxyPlace(proxy), path: url.href.replace(/#.*$/su, ""), headers: own, agent: false };
    return answerTo(requestOf(proxy), options, asked.body);
  }
  const socket = await tunnel(proxy, `${url.hostname}:${target.port}`, signal);
  const createConnection = () => tlsConnect({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
  return answerTo(httpsRequest, { ...base, ...target, createConnection }, asked.body);
}

function answerTo(
  request: typeof httpRequest,
  options: RequestOptions,
  body: WebRequest["body"],
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(options);
    sent.once("response", resolve);
    // Also what goes wrong after the answer has begun comes here; then its reader is told.
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Answers with what was judged, whatever name is asked for. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (host, { all }, done) => {
    const [first] = known;
    if (first === undefined) done(new Error(`${host} has no address`), "");
    else if (all) done(null, known);
    else done(null, first.address, first.family);
  };
}

function tunnel(proxy: URL, target: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const asked = requestOf(proxy)({
      ...proxyPlace(proxy),
      method: "CONNECT",
      path: target,
      headers: { host: target, ...proxyLogin(proxy) },
      agent: false,
      signal,
    });
    asked.once("connect", (response, socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answered ${response.statusCode ?? "nothing"}`));
    });
    asked.once("response", (response) => {
      response.destroy();
      reject(new Error(`the proxy ${proxy.host} answered ${response.statusCode ?? "nothing"}`));
    });
    asked.on("error", reject);
    asked.end();
  });
}

function requestOf(proxy: URL): typeof httpRequest {
  return proxy.protocol === "https:" ? httpsRequest : httpRequest;
}

function proxyPlace(proxy: URL): Pick<RequestOptions, "host" | "port"> {
  return { host: hostOf(proxy), port: proxy.port || (proxy.protocol === "https:" ? 443 : 80) };
}

function proxyLogin({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
}
