import {
  each,
  type NameEffect,
  type KnownNames,
  argument,
  fetches,
  finds,
  gives,
  keeps,
  queries,
  sends,
  sendsItself,
} from "../reading/known.ts";
import { unknownValue, listValue, refValue, tainted, taints, textOfValue } from "../reading/value.ts";
import { oneValue } from "./shared-names.ts";

const connects: NameEffect = gives(({ effects, words, args }) => {
  effects.connect(words);
  effects.fetch(args[0]?.items?.[0] ?? args[0], words);
  return { ref: "socket()", taint: taints.socket };
});

const request: NameEffect = {
  acts: true,
  read: (call) => {
    const method = textOfValue(argument(call, 0, "method")) ?? "";
    const url = argument(call, 1, "url");
    if (/^(?:get|head|options)$/iu.test(method)) call.effects.fetch(url, call.words);
    else call.effects.send(url, [...call.args.slice(2), ...call.named.values()], call.words);
    return { taint: taints.network, ref: "Response()" };
  },
};

/** `urlopen(url, data)` and `Request(url, data=…)`: with data it sends. */
const opened: NameEffect = gives((call) => {
  const data = argument(call, 1, "data");
  const url = argument(call, 0, "url", "fullurl");
  const method = textOfValue(call.named.get("method")) ?? "GET";
  if (data !== undefined || !/^(?:GET|HEAD)$/iu.test(method)) call.effects.send(url, data ? [data] : [], call.words);
  else call.effects.fetch(url, call.words);
  return { taint: taints.network | (url?.taint ?? 0), ...(url?.text !== undefined && { text: url.text }) };
});

const http = (module: string): KnownNames => ({
  [`${module}.get`]: fetches(),
  [`${module}.head`]: fetches(),
  [`${module}.options`]: fetches(),
  [`${module}.post`]: sends(),
  [`${module}.put`]: sends(),
  [`${module}.patch`]: sends(),
  [`${module}.delete`]: sends(),
  [`${module}.request`]: request,
  [`${module}.stream`]: request,
});

const session = (ref: string): NameEffect => gives(() => refValue(ref));

export function pythonNetwork(): KnownNames {
  return {
    ...http("requests"),
    ...http("httpx"),
    ...http("session()"),
    ...each(
      session("session()"),
      `
      requests.Session requests.session httpx.Client httpx.AsyncClient aiohttp.ClientSession
    `,
    ),
    ...each(opened, "urllib.request.urlopen urllib2.urlopen urllib.urlopen urllib.request.Request"),
    "urllib.request.urlretrieve": gives((call) => {
      call.effects.fetch(call.args[0], call.words);
      if (call.args[1]) call.effects.path("write", call.args[1]);
      return tainted(taints.network);
    }),
    ...each(fetches(), "wget.download socket.gethostbyname socket.getaddrinfo xmlrpc.client.ServerProxy"),
    "http.client.HTTPConnection": session("connection()"),
    "http.client.HTTPSConnection": session("connection()"),
    "connection().request": request,
    "connection().getresponse": oneValue(tainted(taints.network)),
    "urllib3.PoolManager": session("pool()"),
    "pool().request": request,
    "socket.socket": oneValue({ ref: "socket()", taint: taints.socket }),
    "socket.create_connection": connects,
    "socket().connect": connects,
    "socket().connect_ex": connects,
    "socket().bind": connects,
    "socket().accept": oneValue(listValue([{ ref: "socket()", taint: taints.socket }, unknownValue])),
    "socket().recv": oneValue(tainted(taints.network)),
    "socket().makefile": oneValue(tainted(taints.network)),
    "socket().send": sendsItself(),
    "socket().sendall": sendsItself(),
    "socket().sendto": sendsItself(),
    "ssl.wrap_socket": keeps,
    "os.dup2": gives(({ effects, words }) => {
      effects.tie(words);
      return unknownValue;
    }),
    "smtplib.SMTP": session("smtp()"),
    "smtplib.SMTP_SSL": session("smtp()"),
    "smtp().sendmail": sendsItself(),
    "smtp().send_message": sendsItself(),
    ...each(sendsItself(), "*.sendmail *.storbinary *.upload_file *.upload_fileobj *.put_object"),
    "ftplib.FTP": session("ftp()"),
    "ftp().storbinary": sendsItself(),
    "ftp().storlines": sendsItself(),
    "ftp().delete": finds("inline_code"),
    ...each(finds("inline_code"), "paramiko.SSHClient paramiko.Transport fabric.Connection"),
    "telnetlib.Telnet": connects,
    ...each(queries(), "*.execute *.executemany *.executescript"),
  };
}
