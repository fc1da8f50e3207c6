import { isObject } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import type { Ask, PolicyRequest, PolicySource } from "../../contracts/safety/approval.ts";
import { plainEffects } from "../../contracts/tool/effect.ts";
import { asJson, pluginObject } from "./plugin-object.ts";

const judgeTimeoutMs = 5000;
const maxAsks = 20;

/**
 * The policies of a plugin. They can deny a call or require approval, but never answer questions of other policies. A
 * policy that crashes, times out or returns an invalid answer denies the call.
 */
export function pluginPolicies({ policies }: PluginRegistration, client: PluginClient): readonly PolicySource[] {
  return policies.map(({ id, name }) => {
    const object = pluginObject(client, id);
    const rule = `plugin ${client.key}`;
    const deny = (message: string) => ({ deny: { rule, message: oneLine(message, 500) } });
    return {
      name: `${client.key}:${name}`,
      async judge(request, signal) {
        const answer = await object.call("judge", [requestFacts(request)], { signal, timeoutMs: judgeTimeoutMs });
        if (!answer.ok) return deny(`The policy ${name} failed, so the call is denied: ${answer.error.message}`);
        return (
          readVerdict(answer.value, rule) ??
          deny(`The policy ${name} returned an invalid verdict, so the call is denied`)
        );
      },
    };
  });
}

/** The request as plain JSON for the plugin. */
function requestFacts({ environment: _, preview: __, isRefused: ___, effects, ...facts }: PolicyRequest) {
  return asJson({ ...facts, effects: plainEffects(effects) });
}

function readVerdict(value: unknown, rule: string): Awaited<ReturnType<PolicySource["judge"]>> | undefined {
  if (value === null) return {};
  if (!isObject(value)) return undefined;
  const { deny, asks = [] } = value;
  if (deny !== undefined && deny !== null) {
    const message = typeof deny === "string" ? deny : isObject(deny) ? deny["message"] : undefined;
    return typeof message === "string" ? { deny: { rule, message: oneLine(message, 500) } } : undefined;
  }
  if (!Array.isArray(asks) || asks.length > maxAsks) return undefined;
  const questions = asks.map((ask: unknown) => readAsk(ask, rule));
  return questions.every((ask) => ask !== undefined) ? { asks: questions } : undefined;
}

function readAsk(ask: unknown, rule: string): Ask | undefined {
  const reason = typeof ask === "string" ? ask : isObject(ask) ? ask["reason"] : undefined;
  if (typeof reason !== "string") return undefined;
  const text = oneLine(reason, 500);
  return { key: `${rule} ${text}`, rule, reason: text, spans: [] };
}
