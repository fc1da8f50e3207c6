import {
  each,
  type NameEffect,
  type KnownNames,
  fetches,
  finds,
  gives,
  queries,
  sends,
  sendsItself,
} from "../reading/known.ts";
import { unknownValue, refValue, taints, textOfValue } from "../reading/value.ts";

const connects: NameEffect = gives(({ effects, words, args }) => {
  effects.connect(words);
  const host = args.find(({ text }) => text !== undefined) ?? args[0]?.fields?.get("host");
  effects.fetch(host, words);
  return { ref: "socket()", taint: taints.socket };
});

/** `fetch(url, {method, body})`, `http.request(options)`. */
const requests: NameEffect = gives((call) => {
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

const makers = (module: string): KnownNames => ({
  [`${module}.get`]: fetches(),
  [`${module}.head`]: fetches(),
  [`${module}.post`]: sends(),
  [`${module}.put`]: sends(),
  [`${module}.patch`]: sends(),
  [`${module}.delete`]: sends(),
});

export function javascriptNetwork(): KnownNames {
  return {
    ...each(
      requests,
      `
      fetch undici.fetch undici.request node-fetch axios axios.request got http.request https.request
    `,
    ),
    ...makers("axios"),
    ...makers("got"),
    ...makers("superagent"),
    ...makers("request"),
    ...each(fetches(), "http.get https.get http2.connect dns.lookup dns.resolve"),
    "request().write": sendsItself(),
    "request(sending).write": sendsItself(),
    ...each(connects, "net.connect net.createConnection tls.connect Deno.connect Bun.connect"),
    "net.Socket": gives(() => ({ ref: "socket()", taint: taints.socket })),
    "socket().connect": connects,
    "socket().write": sendsItself(),
    "socket().end": gives((call) => {
      if (call.args.length > 0) call.effects.send(call.self, call.args, call.words);
      return unknownValue;
    }),
    "socket().pipe": gives(({ effects, words }) => {
      effects.tie(words);
      return unknownValue;
    }),
    "dgram.createSocket": gives(() => ({ ref: "datagrams()", taint: taints.socket })),
    "datagrams().send": sendsItself(),
    "nodemailer.createTransport": gives(() => refValue("mail()")),
    "mail().sendMail": sendsItself(),
    "*.sendMail": sendsItself(),
    "navigator.sendBeacon": sends(),
    WebSocket: gives(() => refValue("webSocket()")),
    "webSocket().send": sendsItself(),
    ...each(queries(), "*.query *.execute *.exec *.prepare *.run *.raw *.$executeRawUnsafe"),
    ...each(finds("database"), "*.deleteMany *.dropDatabase *.dropTable *.flushall"),
  };
}
