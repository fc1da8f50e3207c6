import { reasonOf } from "../result.ts";

/** Why a response is missing or incomplete. The message names only the host of the URL. */
export interface HttpFailure {
  readonly kind: "aborted" | "stalled" | "network" | "certificate" | "redirected" | "too_large" | "malformed";
  readonly message: string;
  /** False if there was no connection, so that the server has not seen the request. */
  readonly isSent?: boolean;
}

export function aborted(): HttpFailure {
  return { kind: "aborted", message: "the request was cancelled" };
}

/** Describes an error of Node, with advice. */
export function failureOf(thrown: unknown, url: URL): HttpFailure {
  const code = networkCodeOf(thrown);
  const advice = certificateAdvice(code);
  const reason = reasonOf(thrown);
  if (advice !== undefined)
    return { kind: "certificate", message: `the certificate of ${url.host} is not accepted (${code}): ${advice}` };
  if (code.startsWith("Z_") || code.startsWith("ERR__ERROR_FORMAT") || code === "ERR_PADDING_2")
    return { kind: "malformed", message: `${url.host} sent a compressed response that cannot be read` };
  if (code === "ERR_PROXY_TUNNEL")
    return { kind: "network", message: `no connection to ${url.host}: ${reason}; check HTTPS_PROXY and NO_PROXY` };
  const sentence = networkSentences[code];
  return { kind: "network", message: sentence ? sentence(url) : `no response from ${url.host}: ${reason}` };
}

export function networkCodeOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return "";
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // An attempt with both IPv4 and IPv6 reports one error for each.
  if ("errors" in thrown && Array.isArray(thrown.errors)) return networkCodeOf(thrown.errors[0]);
  return "cause" in thrown ? networkCodeOf(thrown.cause) : "";
}

const networkSentences: Readonly<Record<string, (url: URL) => string>> = {
  ECONNREFUSED: ({ host }) => `nothing listens at ${host}: check that the server is running and the address is correct`,
  ENOTFOUND: ({ hostname }) => `the name ${hostname} does not exist: check the address and the network`,
  EAI_AGAIN: ({ hostname }) => `the name ${hostname} cannot be looked up now: check the network`,
  ECONNRESET: ({ host }) => `${host} cut the connection`,
  EPIPE: ({ host }) => `${host} cut the connection`,
  ETIMEDOUT: ({ host }) => `${host} did not respond`,
  EHOSTUNREACH: ({ host }) => `${host} cannot be reached from here: check the network`,
  ENETUNREACH: ({ host }) => `${host} cannot be reached from here: check the network`,
  EPROTO: ({ host }) => `${host} does not speak TLS as expected: is the address http:// instead of https://?`,
  ERR_SSL_WRONG_VERSION_NUMBER: ({ host }) => `${host} does not speak TLS: is the address http:// instead of https://?`,
  HPE_INVALID_CONSTANT: ({ host }) => `${host} does not speak HTTP: is the address https:// instead of http://?`,
};

function certificateAdvice(code: string): string | undefined {
  if (code === "CERT_HAS_EXPIRED") return "it has expired; check the clock of this machine";
  if (code === "CERT_NOT_YET_VALID") return "it is not valid yet; check the clock of this machine";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "it is for another host; check the address";
  if (unknownIssuer.has(code))
    return "its issuer is unknown here; name the certificate authority of your network in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE";
  return code.startsWith("CERT_") ? "check the certificate and the clock of this machine" : undefined;
}

const unknownIssuer: ReadonlySet<string> = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
]);
