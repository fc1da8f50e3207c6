import {
  type NameEffect,
  type KnownNames,
  fetches,
  reportsRule,
  computes,
  runsQuery,
  sendsData,
  sendsOnConnection,
  mayAct,
  methodsOf,
  connectsChannels,
} from "../reading/name-effects.ts";
import { refValue, taints, textOfValue } from "../reading/value.ts";

const connects: NameEffect = computes(({ effects, words, args }) => {
  effects.connect(words);
  const host = args.find(({ text }) => text !== undefined) ?? args[0]?.fields?.get("host");
  effects.fetch(host, words);
  return { ref: "socket()", taint: taints.socket };
});

/** Handles `fetch(url, {method, body})` and `http.request(options)`. */
const requests: NameEffect = computes((call) => {
  const [url, options = url] = call.args;
  const fields = options?.fields;
  const method = fields?.get("method");
  const body = fields?.get("body") ?? fields?.get("data");
  const isSending =
    body !== undefined || (method !== undefined && !/^(?:get|head|options)$/iu.test(textOfValue(method) ?? "post"));
  const target = fields?.get("url") ?? fields?.get("hostname") ?? fields?.get("host") ?? url;
  if (isSending) call.effects.send(target, body ? [body] : [], call.words);
  else call.effects.fetch(target, call.words);
  return { taint: taints.network, ref: isSending ? "request(sending)" : "request()" };
});

export function javascriptNetwork(): KnownNames {
  return {
    "fetch undici.fetch undici.request node-fetch axios axios.request got http.request https.request": requests,
    ...methodsOf("axios got superagent request", "get head", fetches()),
    ...methodsOf("axios got superagent request", "post put patch delete", sendsData()),
    "http.get https.get http2.connect dns.lookup dns.resolve": fetches(),
    "net.connect net.createConnection tls.connect Deno.connect Bun.connect": connects,
    "net.Socket": computes(() => ({ ref: "socket()", taint: taints.socket })),
    "socket().connect": connects,
    [`
      request().write request(sending).write socket().write datagrams().send mail().sendMail *.sendMail webSocket().send
    `]: sendsOnConnection,
    "socket().end": mayAct((call) => {
      if (call.args.length > 0) call.effects.send(call.self, call.args, call.words);
    }),
    "socket().pipe": connectsChannels,
    "dgram.createSocket": computes(() => ({ ref: "datagrams()", taint: taints.socket })),
    "nodemailer.createTransport": computes(() => refValue("mail()")),
    "navigator.sendBeacon": sendsData(),
    WebSocket: computes(() => refValue("webSocket()")),
    "*.query *.execute *.exec *.prepare *.run *.raw *.$executeRawUnsafe": runsQuery(),
    "*.deleteMany *.dropDatabase *.dropTable *.flushall": reportsRule("database"),
  };
}
