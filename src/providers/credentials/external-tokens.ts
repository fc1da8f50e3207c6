import { readFile } from "node:fs/promises";

import type { Clock } from "../../base/clock.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { type Grant, postForm, readGrant, type SignInDeps } from "../../base/oauth/token-endpoint.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Lookup } from "../endpoint.ts";

type Fault = { readonly message: string; readonly passing?: boolean };

/** Returns the token of Claude Code. Only Claude Code can renew it. */
export async function claudeToken(file: string, clock: Clock): Promise<Result<string, Fault>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (thrown) {
    return err({ message: describeFault(thrown, file).message });
  }
  const oauth = parsedObject(text)["claudeAiOauth"];
  const token = isObject(oauth) ? oauth["accessToken"] : undefined;
  const end = isObject(oauth) ? Number(oauth["expiresAt"]) : Number.NaN;
  if (typeof token !== "string" || !/^[\u0021-\u007e]+$/u.test(token))
    return err({ message: "Claude Code is not signed in. Run: claude /login" });
  if (end < clock.now() + earlyMs)
    return err({ message: "The Claude Code sign-in has expired. Run `claude` once to renew it" });
  return ok(token);
}

/** Requests a token for an Entra ID app with its secret. */
export async function entraToken(env: Lookup, deps: SignInDeps, signal: AbortSignal): Promise<Result<Grant, Fault>> {
  const text = (name: string) => env(name)?.trim() ?? "";
  const host = (text("AZURE_AUTHORITY_HOST") || "https://login.microsoftonline.com").replace(/\/+$/u, "");
  const form = {
    grant_type: "client_credentials",
    client_id: text("AZURE_CLIENT_ID"),
    client_secret: text("AZURE_CLIENT_SECRET"),
    scope: "https://cognitiveservices.azure.com/.default",
  };
  const address = `${host}/${encodeURIComponent(text("AZURE_TENANT_ID"))}/oauth2/v2.0/token`;
  const result = await postForm(address, form, deps, signal);
  if (result.ok) return readGrant(result.value, deps.clock.now());
  return err({ message: result.error.message, ...(result.error.code === undefined && { passing: true }) });
}

export async function programToken(lender: "gh" | "az", signal: AbortSignal): Promise<Result<string, Fault>> {
  const { execFile } = process.getBuiltinModule("node:child_process");
  const words = commands[lender];
  return new Promise((resolve) => {
    const [program = "", ...args] = words;
    const options = { signal, timeout: 30_000, maxBuffer: 100_000, windowsHide: true };
    const child = execFile(program, args, options, (failure, stdout, stderr) => {
      const token = stdout.trim();
      const line = stderr.trim().split("\n")[0]?.slice(0, 300) || (failure?.message ?? "it printed no token");
      if (signal.aborted) resolve(err({ message: "interrupted" }));
      else if (!failure && /^[\u0021-\u007e]{1,16384}$/u.test(token)) resolve(ok(token));
      else resolve(err({ message: `\`${words.slice(0, 3).join(" ")}\` gave no token: ${line}` }));
    });
    child.stdin?.end();
  });
}

const commands = {
  gh: "gh auth token".split(" "),
  az: "az account get-access-token --resource https://cognitiveservices.azure.com --query accessToken --output tsv".split(
    " ",
  ),
};

const earlyMs = 60_000;
