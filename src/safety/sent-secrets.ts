import { sha256 } from "../base/digest.ts";
import { isObject } from "../base/json.ts";
import type { PolicySource } from "../contracts/safety/approval.ts";
import { askOnce, askPerSession } from "./policy/approvals/question.ts";

/**
 * Asks before a call sends the value of a stored secret to a page or a server, even if the site is allowed: keys in the
 * settings belong to services that Hermes calls itself. One approval covers the secret and the site for the session.
 * `values` returns the current secrets.
 */
export function sentSecretPolicy(values: () => readonly string[]): PolicySource {
  return {
    name: "sent secrets",
    // If a person typed the arguments, no question is needed.
    concerns: ({ effects, origin }) => origin !== "user" && effects.some(({ kind }) => kind === "network"),
    async judge({ effects, args, tool }) {
      const sites = effects.flatMap((effect) =>
        effect.kind === "network" && effect.sends ? [siteOf(effect.url)] : [],
      );
      if (sites.length === 0) return {};
      const texts = textsIn(args).flatMap((text) => [text, decoded(text)]);
      const secrets = values().filter(
        (value) => value.length >= minChars && texts.some((text) => text.includes(value)),
      );
      const asks = secrets.flatMap((value) =>
        [...new Set(sites)].map((site) => {
          const message = `${tool} sends a secret of your settings to ${site}; an approval applies to this secret, site and session`;
          // The key of the question is kept in memory only, and does not contain the value.
          const what = `${sha256(value)} ${site}`;
          return askPerSession(askOnce(what, { rule: "stored_secret", message }), what);
        }),
      );
      return { asks };
    },
  };
}

/** The minimum length of a secret. Shorter values occur in ordinary texts. */
const minChars = 8;

function siteOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
