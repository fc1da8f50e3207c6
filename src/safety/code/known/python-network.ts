import {
  type NameEffect,
  type KnownNames,
  argument,
  fetches,
  reportsRule,
  computes,
  returnsItself,
  runsQuery,
  sendsData,
  sendsOnConnection,
  methodsOf,
  connectsChannels,
} from "../reading/name-effects.ts";
import { unknownValue, listValue, refValue, tainted, taints, textOfValue } from "../reading/value.ts";
import { constantResult } from "./shared-names.ts";

const connects: NameEffect = computes(({ effects, words, args }) => {
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

/** Handles `urlopen(url, data)` and `Request(url, data=…)`, which send data if there is any. */
const opened: NameEffect = computes((call) => {
  const data = argument(call, 1, "data");
  const url = argument(call, 0, "url", "fullurl");
  const method = textOfValue(call.named.get("method")) ?? "GET";
  if (data !== undefined || !/^(?:GET|HEAD)$/iu.test(method)) call.effects.send(url, data ? [data] : [], call.words);
  else call.effects.fetch(url, call.words);
  return { taint: taints.network | (url?.taint ?? 0), ...(url?.text !== undefined && { text: url.text }) };
});

const session = (ref: string): NameEffect => computes(() => refValue(ref));

export function pythonNetwork(): KnownNames {
  return {
    ...methodsOf("requests httpx session()", "get head options", fetches()),
    ...methodsOf("requests httpx session()", "post put patch delete", sendsData()),
    ...methodsOf("requests httpx session()", "request stream", request),
    "requests.Session requests.session httpx.Client httpx.AsyncClient aiohttp.ClientSession": session("session()"),
    "urllib.request.urlopen urllib2.urlopen urllib.urlopen urllib.request.Request": opened,
    "urllib.request.urlretrieve": computes((call) => {
      call.effects.fetch(call.args[0], call.words);
      if (call.args[1]) call.effects.path("write", call.args[1]);
      return tainted(taints.network);
    }),
    "wget.download socket.gethostbyname socket.getaddrinfo xmlrpc.client.ServerProxy": fetches(),
    "http.client.HTTPConnection http.client.HTTPSConnection": session("connection()"),
    "connection().request pool().request": request,
    "connection().getresponse socket().recv socket().makefile": constantResult(tainted(taints.network)),
    "urllib3.PoolManager": session("pool()"),
    "socket.socket": constantResult({ ref: "socket()", taint: taints.socket }),
    "socket.create_connection socket().connect socket().connect_ex socket().bind telnetlib.Telnet": connects,
    "socket().accept": constantResult(listValue([{ ref: "socket()", taint: taints.socket }, unknownValue])),
    ...methodsOf("socket()", "send sendall sendto", sendsOnConnection),
    "ssl.wrap_socket": returnsItself,
    "os.dup2": connectsChannels,
    "smtplib.SMTP smtplib.SMTP_SSL": session("smtp()"),
    "smtp().sendmail smtp().send_message ftp().storbinary ftp().storlines": sendsOnConnection,
    "*.sendmail *.storbinary *.upload_file *.upload_fileobj *.put_object": sendsOnConnection,
    "ftplib.FTP": session("ftp()"),
    "ftp().delete paramiko.SSHClient paramiko.Transport fabric.Connection": reportsRule("inline_code"),
    "*.execute *.executemany *.executescript": runsQuery(),
  };
}
