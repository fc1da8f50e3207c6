import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SignInServer extends AsyncDisposable {
  readonly url: string;
  /** Every received form, with its path. */
  readonly forms: readonly { readonly path: string; readonly form: URLSearchParams }[];
  /** Follows a URL of the authorize page like a browser: returns the redirect target. */
  browse(address: string, change?: (back: URL) => void): Promise<{ readonly status: number; readonly text: string }>;
}

type Answer = { readonly status?: number; readonly body: object };

/** An authorization server on loopback. `token`: its answers in order; the last one repeats. */
export async function startSignInServer(script: {
  readonly device?: object;
  readonly token: readonly (Answer | ((form: URLSearchParams) => Answer))[];
}): Promise<SignInServer> {
  const forms: { path: string; form: URLSearchParams }[] = [];
  let requestCount = 0;
  let challenge = "";
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const path = request.url ?? "";
      forms.push({ path, form });
      const next = script.token[Math.min(requestCount, script.token.length - 1)];
      const answer: Answer =
        path === "/device"
          ? { body: script.device ?? {} }
          : form.get("grant_type") === "authorization_code" && !isProven(form, challenge)
            ? { status: 400, body: { error: "invalid_grant", error_description: "the proof is wrong" } }
            : ((typeof next === "function" ? next(form) : next) ?? { status: 500, body: {} });
      if (path !== "/device") requestCount += 1;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    forms,
    async browse(address, change) {
      const asks = new URL(address).searchParams;
      challenge = asks.get("code_challenge") ?? "";
      const back = new URL(asks.get("redirect_uri") ?? "");
      back.searchParams.set("code", "the-code");
      back.searchParams.set("state", asks.get("state") ?? "");
      change?.(back);
      const response = await fetch(back);
      return { status: response.status, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isProven(form: URLSearchParams, challenge: string): boolean {
  return (
    createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url") === challenge
  );
}
