import { once } from "../../../base/async/once.ts";
import { hole } from "../../command/shell/field.ts";
import {
  fileValue,
  deletes,
  changesFolder,
  fetches,
  reportsRule,
  computesText,
  computes,
  returnsItself,
  type NameEffect,
  acts,
  methodsOf,
  byNames,
  deletesOwnPath,
  forks,
  mayAct,
  connectsChannels,
  usesOwnPath,
  movesFile,
  program,
  runsQuery,
  sendsData,
  shell,
  usesPath,
} from "../reading/name-effects.ts";
import { formatPercent } from "../reading/operators.ts";
import {
  unknownValue,
  joinTexts,
  refValue,
  tainted,
  taints,
  textOfValue,
  textOrHole,
  textValue,
  type CodeValue,
  characterOf,
} from "../reading/value.ts";
import { decodedBase64, decodedHex, changesPermission } from "./shared-names.ts";

/** Handles `open F, ">x"`, `open(F, "<", x)`, `open(F, "cmd |")` and `open(STDIN, ">&S")`. */
const opened: NameEffect = computes(({ args: [handle, mode, ...rest], effects, words }) => {
  const text = textOfValue(mode);
  if (text === undefined) {
    if (rest.length === 0 && mode !== undefined) effects.path("read", mode);
    return unknownValue;
  }
  const start = text.trimStart();
  if (/^\+?[<>]{1,2}&/u.test(start)) {
    effects.tie(words);
    return unknownValue;
  }
  if (rest.length > 0) {
    if (start.includes("|")) {
      effects.find("inline_code", words);
      effects.program(rest, words);
    } else effects.path(pathUseOfPerlMode(start), rest[0]);
    return fileValue(rest[0]);
  }
  if (start.startsWith("|") || /\|\s*$/u.test(start)) {
    effects.find("inline_code", words);
    effects.shell({ ...mode, taint: 0, text: start.replace(/^\|/u, "").replace(/\|\s*$/u, "") }, words);
    return handle;
  }
  const file = textValue(start.replace(/^\+?[<>]*\s*/u, "").trim());
  effects.path(pathUseOfPerlMode(start), file);
  return fileValue(file);
});

function pathUseOfPerlMode(mode: string): "read" | "write" | "append" | "edit" {
  if (mode.startsWith(">>")) return "append";
  if (mode.startsWith(">") || mode.startsWith("+>")) return "write";
  return mode.startsWith("+<") ? "edit" : mode.startsWith(hole) ? "write" : "read";
}

const evaluated: NameEffect = acts((call) => {
  const [code] = call.args;
  // `eval { … }` only catches errors and executes no text.
  if (code?.fields === undefined) call.run(code ?? unknownValue);
});

const packed: NameEffect = computes(({ args: [format, value] }) => {
  const text = textOfValue(value);
  return /^[Hh]\*?/u.test(textOfValue(format) ?? "") && text !== undefined
    ? textValue(decodedHex(text), taints.decoded)
    : tainted(taints.decoded);
});

const kills: NameEffect = acts(({ args: [signal, ...targets], effects, words }) => {
  if (signal?.number !== 0)
    effects.find(targets.some(({ number }) => number === -1) ? "kill_all" : "inline_code", words);
});

const connects: NameEffect = computes(({ effects, words, args, named }) => {
  effects.connect(words);
  effects.fetch(named.get("PeerAddr") ?? named.get("PeerHost") ?? args[0], words);
  return { ref: "socket()", taint: taints.socket };
});

const reversed: NameEffect = computes(({ args }) =>
  args.length === 1 && args[0]?.text !== undefined
    ? textValue(Array.from(args[0].text).toReversed().join(""), args[0].taint | taints.decoded)
    : undefined,
);

const joined: NameEffect = computes(({ args: [by, ...rest] }) =>
  joinTexts(
    rest.flatMap((arg): readonly CodeValue[] => arg.items ?? [arg]),
    textOrHole(by),
  ),
);

const character: NameEffect = computes(({ args: [code] }) =>
  code?.number === undefined ? tainted(taints.decoded) : textValue(characterOf(code.number), taints.decoded),
);

export const perlNames = once(() =>
  byNames({
    "system exec IPC.Run.run": program(),
    "IPC.Open3.open3 open3 IPC.Open2.open2 open2 dump": reportsRule("inline_code"),
    readpipe: shell(),
    "syscall DynaLoader.dl_load_file": reportsRule("unreadable_code"),
    fork: forks,
    kill: kills,
    // ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
    "unlink rmdir": deletes(),
    "rmtree remove_tree File.Path.rmtree File.Path.remove_tree": deletes(0, true),
    "*.remove": mayAct((call) => {
      if (call.args.length === 0 && call.self?.ref === "Path()") deletesOwnPath().read(call);
    }),
    "*.remove_tree": deletesOwnPath(true),
    path: computes(({ args: [path] }) => ({ ...textValue(textOrHole(path)), ref: "Path()" })),
    "*.spew": usesOwnPath("write"),
    open: opened,
    sysopen: usesPath("write", 1),
    "rename move File.Copy.move": movesFile(),
    "File.Copy.copy": movesFile(true),
    chdir: changesFolder,
    truncate: usesPath("write"),
    "symlink link": usesPath("link", 1),
    chmod: changesPermission(1, 0),
    chown: usesPath("owner", 2),
    glob: computes(({ args: [shape] }) => ({
      ref: "listing",
      text: textOrHole(shape).replace(/[*?[{].*$/su, hole),
      taint: 0,
    })),
    // ── network ───────────────────────────────────────────────────────────────────────────────────────────────────────
    "IO.Socket.INET.new IO.Socket.SSL.new IO.Socket.IP.new IO.Socket.new connect": connects,
    "IO.Socket.UNIX.new socket B.Deparse.new": computes(() => unknownValue),
    "socket().print socket().send agent().request": sendsData(1),
    "STDIN.fdopen *.fdopen": connectsChannels,
    "LWP.Simple.get LWP.Simple.getprint getprint get": fetches(),
    getstore: computes((call) => {
      call.effects.fetch(call.args[0], call.words);
      call.effects.path("write", call.args[1]);
      return tainted(taints.network);
    }),
    "LWP.UserAgent.new HTTP.Tiny.new Mojo.UserAgent.new": computes(() => refValue("agent()")),
    ...methodsOf("agent()", "get head mirror", fetches()),
    ...methodsOf("agent()", "post put delete post_form", sendsData()),
    "Net.SMTP.new Net.FTP.new Net.SSH.new": reportsRule("inline_code"),
    // ── databases and code ────────────────────────────────────────────────────────────────────────────────────────────
    "*.do *.prepare": runsQuery(),
    eval: evaluated,
    "*.can": computes(({ self, args: [name] }) =>
      textOfValue(name) === undefined
        ? tainted(taints.reflected)
        : refValue(self?.ref === undefined ? textOrHole(name) : `${self.ref}.${textOrHole(name)}`),
    ),
    // ── texts ─────────────────────────────────────────────────────────────────────────────────────────────────────────
    chr: character,
    ord: computes(({ args: [char] }) => ({ number: textOfValue(char)?.codePointAt(0) ?? 0, taint: 0 })),
    hex: computes(({ args: [text] }) => ({ number: Number.parseInt(textOfValue(text) ?? "0", 16) || 0, taint: 0 })),
    oct: computes(({ args: [text] }) => ({ number: Number.parseInt(textOfValue(text) ?? "0", 8) || 0, taint: 0 })),
    lc: computesText(([text = ""]) => text.toLowerCase()),
    uc: computesText(([text = ""]) => text.toUpperCase()),
    "lcfirst scalar": returnsItself,
    reverse: reversed,
    join: joined,
    pack: packed,
    unpack: computes(({ args: [, value] }) => tainted((value?.taint ?? 0) | taints.decoded)),
    sprintf: computes(({ args: [format, ...values] }) =>
      format?.text === undefined ? undefined : formatPercent(format.text, values, format.taint),
    ),
    "decode_base64 MIME.Base64.decode_base64 MIME.Base64.decode": computesText(
      ([text = ""]) => decodedBase64(text),
      true,
    ),
  }),
);
