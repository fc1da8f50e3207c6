import { readFile } from "node:fs/promises";

import type { Clock } from "../../base/clock.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import type { Http } from "../../base/http/http-client.ts";
import { isLocalAddress } from "../../base/http/local-address.ts";
import { parsedObject } from "../../base/json.ts";
import { postForm } from "../../base/oauth/token-endpoint.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

/** Access tokens for Google account files of a service account or of a user (`gcloud auth`). */
export interface GoogleTokens {
  /** Returns a token that does not expire soon. */
  tokenOf(file: string, signal: AbortSignal): Promise<Result<string>>;
}

export function createGoogleTokens({
  http,
  clock,
}: {
  readonly http: () => Http;
  readonly clock: Clock;
}): GoogleTokens {
  const kept = new Map<string, { readonly token: string; readonly until: number }>();

  async function fetchToken(
    form: Readonly<Record<string, string>>,
    address: string,
    file: string,
    signal: AbortSignal,
  ): Promise<Result<string>> {
    const url = URL.parse(address);
    const isGoogle = url?.protocol === "https:" && url.hostname.endsWith(".googleapis.com");
    if (!url || !(isGoogle || isLocalAddress(address)))
      return err({
        message: `${file} names ${address} as its token server, which is not a Google host; Hermes sent nothing to it`,
      });
    const reply = await postForm(address, form, { http: http() }, signal);
    if (!reply.ok) return err({ message: `no token for ${file}: ${reply.error.message}` });
    const { access_token: token, expires_in: lasts } = reply.value;
    if (typeof token !== "string") return err({ message: `${url.host} returned no token for ${file}` });
    const seconds = Number(lasts) || 3_600;
    kept.set(file, { token, until: clock.now() + (seconds - 120) * 1000 });
    return ok(token);
  }

  return {
    async tokenOf(file, signal) {
      const cached = kept.get(file);
      if (cached && cached.until > clock.now()) return ok(cached.token);
      let account: Record<string, unknown>;
      try {
        account = parsedObject(await readFile(file, "utf8"));
      } catch (thrown) {
        return err({ message: describeFault(thrown, file).message });
      }
      const text = (name: string) => (typeof account[name] === "string" ? account[name] : "");
      const address = text("token_uri") || "https://oauth2.googleapis.com/token";
      if (text("type") === "authorized_user") {
        const form = {
          grant_type: "refresh_token",
          client_id: text("client_id"),
          client_secret: text("client_secret"),
          refresh_token: text("refresh_token"),
        };
        return fetchToken(form, address, file, signal);
      }
      if (text("client_email") === "" || text("private_key") === "")
        return err({ message: `${file} is not a key file of a Google account` });
      try {
        const assertion = signed(text("client_email"), text("private_key"), address, clock.now());
        const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
        return await fetchToken(form, address, file, signal);
      } catch (thrown) {
        return err({ message: `the private key of ${file} cannot be used: ${reasonOf(thrown)}` });
      }
    },
  };
}

function signed(email: string, privateKey: string, audience: string, now: number): string {
  const issuedAt = Math.floor(now / 1000);
  const claims = {
    iss: email,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: audience,
    iat: issuedAt,
    exp: issuedAt + 3_600,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
  const { sign } = process.getBuiltinModule("node:crypto");
  return `${text}.${sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64url")}`;
}
