import { words } from "../../../base/text/words.ts";
import { type Fact, path, rule } from "../fact.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { type ReadOptions, readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { everyUse, anyMatching, verbs } from "./verbs.ts";

const curlShape = {
  short: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
  long: words(`
  data data-binary data-raw data-urlencode data-ascii json form form-string upload-file output output-dir header
  user user-agent request url proxy config cookie cookie-jar max-time connect-timeout retry referer cert key
  cacert resolve write-out dump-header interface limit-rate range unix-socket oauth2-bearer proxy-user trace
  trace-ascii hsts alt-svc etag-save etag-compare libcurl netrc-file retry-delay retry-max-time max-redirs url-query variable expand-data aws-sigv4 stderr
`),
};

/** Returns whether the input is the environment, the shell history or the output of a key store. */
function isDumped({ stdin }: SimpleCommand): boolean {
  return stdin.from.some(
    ({ argv }) =>
      argv.slice(1).some(({ text }) => text.endsWith("_history")) ||
      /^(?:env|printenv|set|export|declare|history|gpg|pass|op|vault|security|journalctl|dmesg)$/u.test(
        argv[0]?.text ?? "",
      ),
  );
}

const sendingOptions = words("d data data-binary data-raw data-urlencode data-ascii json F form T upload-file");

const curl: Program = (args, ran) => {
  const read = readOptions(args, curlShape);
  const { operands, values, value, has } = read;
  const urls = [...operands, ...values("url")];
  const files = [
    ...values("H", "header", "b", "cookie", "A", "user-agent").flatMap((word) => fileAfter(word, /^@/u)),
    ...values("d", "data", "data-binary", "data-ascii", "data-urlencode", "json", "url-query", "variable").flatMap(
      (word) => fileAfter(word, /^[^@=]*@/u),
    ),
    ...values("F", "form").flatMap((word) => fileAfter(word, /^[^=]*=[@<]/u)),
    ...values("T", "upload-file").filter(({ text }) => text !== "-"),
  ];
  const isSending = has(...sendingOptions);
  // The command sends its piped input.
  const isPiped =
    values("d", "data", "data-binary", "data-ascii", "json", "F", "form").some(({ text }) => /@-(?:;|$)/u.test(text)) ||
    values("T", "upload-file").some(({ text }) => text === "-");
  const piped = isPiped
    ? ran.stdin.from.flatMap(({ argv }) => argv.slice(1).filter(({ text }) => /\//u.test(text)))
    : [];
  const method = value("X", "request")?.text ?? "";
  return [
    ...files.flatMap((file): Fact[] => [
      path("read", file),
      { kind: "send", to: urls[0] ?? knownField(""), path: file },
    ]),
    // The command sends the files that a search returns.
    ...(files.length > 0 && ran.via.some((name) => /^(?:find|fd|xargs|parallel)$/u.test(name))
      ? [rule("exfiltration", ...args)]
      : []),
    ...piped.map((file): Fact => ({ kind: "send", to: urls[0] ?? knownField(""), path: file })),
    ...(isSending || /^(?:POST|PUT|PATCH)$/iu.test(method) ? urls.map((to): Fact => ({ kind: "send", to })) : []),
    ...(isSending && isDumped(ran) ? [rule("exfiltration", ...args)] : []),
    ...(/^delete$/iu.test(method) && !urls.every(({ text }) => isLocal(text)) ? [rule("cloud_delete", ...args)] : []),
    ...(urls.some(({ text }) => /\/_delete_by_query(?:$|\?)/u.test(text)) ? [rule("database", ...args)] : []),
    ...(/^delete$/iu.test(method) && urls.some(({ text }) => /\/(?:_all|\*|_search)(?:$|\?)/u.test(text))
      ? [rule("database", ...args)]
      : []),
    ...urls
      .filter(({ text }) => /^file:/iu.test(text))
      .map((url) => path("read", { ...url, text: url.text.replace(/^file:(?:\/\/(?:localhost)?)?/iu, "") })),
    ...[...written(read), ...formatOutputs(values("w", "write-out"))].flatMap((file) =>
      file.text === "-" ? [] : [path("write", file)],
    ),
    ...values("output-dir").map((folder) => path("place", folder)),
    // The options of the command, and therefore the files that it writes, come from an unknown source.
    ...values("K", "config").flatMap((file) => [
      rule("overwrite_unknown", ...args),
      ...(file.text === "-" ? [] : [path("read", file)]),
    ]),
    ...values("unix-socket").flatMap((socket) =>
      /docker|containerd|podman/u.test(socket.text) ? [rule("container_escape", ...args)] : [],
    ),
    ...(urls.some(({ text }) => isMetadata(text)) ? [rule("secret_read", ...args)] : []),
  ];
};

const reportOptions = words("dump-header D c cookie-jar trace trace-ascii stderr hsts alt-svc etag-save libcurl");

/** Returns the files that curl writes, according to its options. `--output-dir` is a prefix of the name. */
function written({ values, value }: ReadOptions): readonly Field[] {
  const folder = value("output-dir")?.text;
  const named = values("o", "output").map((file) =>
    folder === undefined || file.text.startsWith("/") ? file : { ...file, text: `${folder}/${file.text}` },
  );
  return [...named, ...values(...reportOptions)];
}

/** Handles `-w '%output{file}'`. */
function formatOutputs(formats: readonly Field[]): readonly Field[] {
  return formats.flatMap((word) =>
    [...word.text.matchAll(/%output\{(?:>>)?([^}]*)\}/gu)].map(([, text = ""]) => ({ ...word, text })),
  );
}

function fileAfter(word: Field, mark: RegExp): readonly Field[] {
  const [matched] = mark.exec(word.text) ?? [];
  if (matched === undefined) return [];
  const text = word.text.slice(matched.length).replace(/;.*$/u, "");
  return text === "-" ? [] : [{ ...word, text }];
}

function isLocal(url: string): boolean {
  return /^(?:\w+:\/\/)?(?:[^/@]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|::1|[\w-]+\.(?:local|localhost|test))(?:[:/?]|$)/u.test(
    url,
  );
}

function isMetadata(url: string): boolean {
  return /^(?:\w+:\/\/)?(?:169\.254\.(?:169\.254|170\.2)|metadata\.google\.internal|metadata\.goog|100\.100\.100\.200|\[fd00:ec2::254\])(?:[:/]|$)/u.test(
    url,
  );
}

const wgetOptions = words(`
  output-document output-file append-output directory-prefix input-file post-file post-data body-file body-data
  header user-agent tries timeout method user password use-askpass execute save-cookies hsts-file warc-file rejected-log config
`);

const wget: Program = (args, ran) => {
  const { operands, values, value } = readOptions(args, {
    short: "oOaPiTtUeQwBlADRIX",
    long: wgetOptions,
  });
  // Handles `-e output_document=file`, a line of `.wgetrc`.
  const lines = values("e", "execute").map(({ text }) => text);
  const isSending = values("post-data", "body-data").length > 0;
  return [
    ...values("post-file", "body-file").flatMap((file): Fact[] => [
      path("read", file),
      { kind: "send", to: operands[0] ?? knownField(""), path: file },
    ]),
    ...(isSending ? operands.map((to): Fact => ({ kind: "send", to })) : []),
    ...(isDumped(ran) && values("post-file", "body-file").length > 0 ? [rule("exfiltration", ...args)] : []),
    ...lines.flatMap((line): Fact[] => {
      const [, key = "", file = ""] = /^\s*(\w+)\s*=\s*([^]*)$/u.exec(line) ?? [];
      if (/askpass/iu.test(key)) return [rule("exec_option", ...args)];
      return /document|file|prefix|log|cookies/iu.test(key.replaceAll("_", ""))
        ? [path("write", knownField(file))]
        : [];
    }),
    ...values(
      ...words("O output-document o output-file a append-output save-cookies hsts-file warc-file rejected-log"),
    ).flatMap((file) => (file.text === "-" ? [] : [path("write", file)])),
    ...values("P", "directory-prefix").map((folder) => path("place", folder)),
    ...(/^delete$/iu.test(value("method")?.text ?? "") && !operands.every(({ text }) => isLocal(text))
      ? [rule("cloud_delete", ...args)]
      : []),
    ...(operands.some(({ text }) => isMetadata(text)) ? [rule("secret_read", ...args)] : []),
    ...values("config").map(() => rule("overwrite_unknown", ...args)),
    ...values("i", "input-file").map((file) => path("read", file)),
    ...values("use-askpass").map(() => rule("exec_option", ...args)),
  ];
};

/** Handles HTTPie and similar programs: `http POST url field=value file@path`. */
const httpie: Program = (args) => {
  const { operands } = readOptions(args, { short: "oasp", long: ["output", "auth", "session"] });
  const first = operands[0]?.text ?? "";
  const isMethod = operands.length > 1 && /^(?:[A-Z]+|get|head|post|put|patch|delete|options)$/u.test(first);
  const method = first.toUpperCase();
  const [to, ...items] = isMethod ? operands.slice(1) : operands;
  const files = items.flatMap((word) => fileAfter(word, /^[^@=]*=?@/u));
  return [
    ...(isMethod && method === "DELETE" && to && !isLocal(to.text) ? [rule("cloud_delete", ...args)] : []),
    ...files.flatMap((file): Fact[] => [
      path("read", file),
      ...(to ? [{ kind: "send", to, path: file } as const] : []),
    ]),
  ];
};

const nc: Program = (args, ran) => {
  const { operands, has } = readOptions(args, {
    short: "ecpsiwqxXGIOPTVm",
    long: ["exec", "sh-exec", "lua-exec", "source-port", "wait", "proxy"],
  });
  if (has("e", "c", "exec", "sh-exec", "lua-exec")) return [rule("reverse_shell", ...args)];
  if (isFedByShell(ran)) return [rule("reverse_shell", ...args)];
  if (has("l", "listen") || has("z")) return [];
  const to = operands[0] ?? knownField(hole);
  const files = ran.redirections.flatMap(({ how, target }) => (how === "read" ? [target] : []));
  return isFed(ran) && !isLocal(to.text)
    ? [{ kind: "send", to }, ...files.map((file): Fact => ({ kind: "send", to, path: file })), ...openSend(ran, args)]
    : [];
};

function isFedByShell({ stdin }: SimpleCommand): boolean {
  return stdin.from.some(({ argv: [name] }) => /(?:^|\/)(?:ba|z|k|da|a)?sh$/u.test(name?.text ?? ""));
}

/** Piping a file into a plain socket is unusual and needs approval. */
function openSend(ran: Parameters<Program>[1], args: readonly Field[]): readonly Fact[] {
  const isData = ran.stdin.from.some(({ argv: [name] }) =>
    /^(?:cat|tar|dd|gzip|zip|base64|openssl|env|printenv|history|mysqldump|pg_dump)$/u.test(name?.text ?? ""),
  );
  return isData || ran.redirections.some(({ how }) => how === "read") ? [rule("exfiltration", ...args)] : [];
}

const socat: Program = (args) => {
  const text = args.map((word) => word.text).join(" ");
  if (/(?:^|\s)(?:EXEC|SYSTEM|SHELL):/iu.test(text)) return [rule("reverse_shell", ...args)];
  return /(?:^|\s)(?:FILE|OPEN|GOPEN|CREATE):/iu.test(text) && /TCP|UDP|OPENSSL/iu.test(text)
    ? [rule("exfiltration", ...args)]
    : [];
};

/** `-R` and similar options open a tunnel back to this machine; `ProxyCommand` runs a program. */
const ssh: Program = (args, _ran, name) => {
  const { options, values, has } = readOptions(args, {
    short: name === "autossh" ? "BbcDEeFIiJLlMmOopQRSWw" : "BbcDEeFIiJLlmOopQRSWw",
    isPrefix: true,
  });
  return [
    ...(options.some(({ name }) => name === "R") ? [rule("reverse_shell", ...args)] : []),
    ...(has("w") ? [rule("firewall", ...args)] : []),
    ...values("o").flatMap((option) =>
      /^(?:ProxyCommand|LocalCommand|KnownHostsCommand|PermitLocalCommand|PKCS11Provider)\b/iu.test(option.text) &&
      !/^ProxyCommand[= ]\s*(?:none|ssh [^;|&$`]*|(?:\S*\/)?(?:cloudflared|nc|aws) [^;|&$`]*)$/iu.test(option.text)
        ? [rule("exec_option", ...args)]
        : [],
    ),
  ];
};

/** Uploads need approval, downloads do not. */
export const networkPrograms: Programs = {
  curl,
  "wget wget2": wget,
  "http https xh": httpie,
  nc,
  socat,
  openssl: (args, ran) => (args[0]?.text === "s_client" && isFedByShell(ran) ? [rule("reverse_shell", ...args)] : []),
  "ssh autossh": ssh,
  "ftp lftp tftp ncftpput swaks transfer": (args) => (args.length === 0 ? [] : [rule("exfiltration", ...args)]),
  sftp: (args, ran) =>
    readOptions(args, { short: "bBcDFiJloPRSs" }).has("b") || /^\s*m?put\b/mu.test(ran.stdin.text ?? "")
      ? [rule("exfiltration", ...args)]
      : /^\s*-?(?:rm|rmdir|rename|chmod|chown)\b/mu.test(ran.stdin.text ?? "")
        ? [rule("told_to_delete", ...args)]
        : [],
  "mail mailx sendmail": (args, ran) => mailed(args, isFed(ran)),
  mutt: (args) => mailed(args, readOptions(args, { short: "aesc" }).has("a")),
  ngrok: verbs([["reverse_shell", "tcp|tls|ssh|start"]]),
  cloudflared: anyMatching(
    "reverse_shell",
    /^(?:ssh|tcp|rdp|smb|unix):|^(?:access|service|proxy-dns)$|^\w+:\/\/[^/]*:22$/u,
  ),
  "http.server": (args) =>
    readOptions(args, { short: "db", long: ["directory", "bind"] })
      .values("d", "directory")
      .map((folder) => path("read", folder, true)),
  "serve http-server live-server httpd webfsd": (args) =>
    args.filter(({ text }) => /^[~/]|^\.\.$/u.test(text)).map((folder) => path("read", folder, true)),
  php: (args) =>
    args.some(({ text }) => text === "-S")
      ? readOptions(args, { short: "St" })
          .values("t")
          .map((folder) => path("read", folder, true))
      : [],
  "bore chisel pwncat msfvenom msfconsole dnscat": everyUse(
    "reverse_shell",
    ...words("version help login update config tail authtoken list"),
  ),
  ztcp: everyUse("reverse_shell"),
  pastebinit: everyUse("exfiltration"),
  croc: verbs([["exfiltration", "send"]]),
  wormhole: verbs([["exfiltration", "send|tx"]]),
  telnet: (args, ran) => (isFedByShell(ran) ? [rule("reverse_shell", ...args)] : []),
};

function isFed({ stdin, redirections }: SimpleCommand): boolean {
  return stdin.from.length > 0 || redirections.some(({ how }) => how === "read");
}

function mailed(args: readonly Field[], hasText: boolean): readonly Fact[] {
  return hasText && args.length > 0 ? [rule("exfiltration", ...args)] : [];
}
