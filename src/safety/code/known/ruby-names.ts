import { once } from "../../../base/async/once.ts";
import { hole } from "../../command/shell/field.ts";
import {
  argument,
  contentOf,
  deletes,
  deletesItself,
  enters,
  fetches,
  finds,
  folds,
  gives,
  howOpened,
  keeps,
  type Known,
  type KnownNames,
  moves,
  program,
  queries,
  sends,
  sendsItself,
  shell,
  uses,
  usesItself,
} from "../reading/known.ts";
import { joinPath } from "../reading/operators.ts";
import {
  anything,
  joinTexts,
  listValue,
  refValue,
  tainted,
  taints,
  textOf,
  textOrHole,
  textValue,
  type Value,
  wholeText,
  characterOf,
} from "../reading/value.ts";
import { decodedBase64, permission } from "./shared-names.ts";

const home = textValue(`/home/${hole}`);

/** `open("|cmd")` starts it; an address is fetched; else it is a file. */
const opened: Known = gives((call) => {
  const path = call.args[0];
  const text = textOf(path) ?? "";
  if (text.startsWith("|")) {
    call.effects.find("inline_code", call.words);
    call.effects.shell(textValue(text.slice(1)), call.words);
    return anything;
  }
  if (/^https?:/u.test(text)) {
    call.effects.fetch(path, call.words);
    return tainted(taints.network);
  }
  call.effects.path(howOpened(textOf(argument(call, 1, "mode")) ?? "r"), path);
  return { ...contentOf(path), ref: "File()" };
});

const read: Known = gives(({ args: [path], effects, words }) => {
  const text = textOf(path) ?? "";
  if (text.startsWith("|")) {
    effects.find("inline_code", words);
    effects.shell(textValue(text.slice(1)), words);
  } else effects.path("read", path);
  return contentOf(path);
});

/** A code text; a block is no reason. */
const evaluated: Known = {
  acts: true,
  read: (call) => {
    const [code] = call.args;
    if (code !== undefined && code.fields === undefined) call.run(code);
    return anything;
  },
};

const sent: Known = {
  acts: false,
  read: ({ self, args: [name, ...rest], call, effects, words }) => {
    const text = wholeText(name);
    if (text === undefined) {
      effects.find("unreadable_code", words);
      return anything;
    }
    const owner = self?.ref;
    return call(
      owner === undefined || owner === "Kernel" || owner === "Object" || owner === "self" ? text : `${owner}.${text}`,
      rest,
    );
  },
};

const method: Known = gives(({ self, args: [name] }) => {
  const text = wholeText(name);
  if (text === undefined) return tainted(taints.reflected);
  return refValue(self?.ref === undefined ? text : `${self.ref}.${text}`);
});

const connects: Known = gives(({ effects, words, args }) => {
  effects.connect(words);
  effects.fetch(args[0], words);
  return { ref: "socket()", taint: taints.socket };
});

const forks: Known = {
  acts: true,
  read: ({ effects, words }) => {
    effects.fork(words);
    return anything;
  },
};

const kills: Known = {
  acts: true,
  read: ({ args: [signal, ...targets], effects, words }) => {
    if (signal?.number === 0) return anything;
    effects.find(targets.some(({ number }) => number === -1) ? "kill_all" : "inline_code", words);
    return anything;
  },
};

const removesAll = deletes(0, true);

const fileUtils: KnownNames = Object.fromEntries(
  Object.entries({
    rm: deletes(),
    rm_f: deletes(),
    remove: deletes(),
    safe_unlink: deletes(),
    rmdir: deletes(),
    rm_r: removesAll,
    rm_rf: removesAll,
    rmtree: removesAll,
    remove_dir: removesAll,
    remove_entry: removesAll,
    remove_entry_secure: removesAll,
    mv: moves(),
    move: moves(),
    cp: moves(true),
    copy: moves(true),
    cp_r: moves(true),
    install: moves(true),
    ln_s: uses("link", 1),
    ln_sf: uses("link", 1),
    touch: uses("write"),
    chmod: permission(1, 0),
    chmod_R: permission(1, 0),
    chown: uses("owner", 2),
    chown_R: uses("owner", 2),
  } satisfies KnownNames).map(([name, known]) => [`FileUtils.${name}`, known]),
);

const listing: Known = gives(({ args: [shape] }) => ({
  ref: "listing",
  text: textOrHole(shape).replace(/[*?[{].*$/su, hole),
  taint: 0,
}));

const joined: Known = gives(({ self, args: [by] }) =>
  self?.items ? joinTexts(self.items, textOf(by) ?? "") : undefined,
);

const packed: Known = gives(({ self, args: [how] }) => {
  const codes = self?.items?.map(({ number }) => number);
  const format = textOf(how) ?? "";
  if (codes && !codes.includes(undefined) && /^[cCU]\*?$/u.test(format))
    return textValue(codes.map((code) => characterOf(code)).join(""), taints.decoded);
  const [first] = self?.items ?? [];
  if (format.startsWith("H") && first?.text !== undefined)
    return textValue(Buffer.from(first.text, "hex").toString("latin1"), taints.decoded);
  return tainted((self?.taint ?? 0) | taints.decoded);
});

const unpacked: Known = gives(({ self, args: [how] }) =>
  (textOf(how) ?? "").startsWith("m") && self?.text !== undefined
    ? listValue([textValue(decodedBase64(self.text), taints.decoded)])
    : tainted((self?.taint ?? 0) | taints.decoded),
);

const request = (ref: string): Known => gives(({ args: [target] }) => ({ ...(target ?? anything), ref }));

export const rubyNames = once((): KnownNames => ({
  system: program(),
  exec: program(),
  spawn: program(),
  "IO.popen": shell(),
  "Open3.capture2": program(),
  "Open3.capture2e": program(),
  "Open3.capture3": program(),
  "Open3.popen2": program(),
  "Open3.popen2e": program(),
  "Open3.popen3": program(),
  "Open3.pipeline": program(),
  "PTY.spawn": program(),
  "*.spawn": program(),
  fork: forks,
  "Process.kill": kills,
  "Process.daemon": finds("persistence"),
  syscall: finds("unreadable_code"),
  // ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  ...fileUtils,
  "File.delete": deletes(),
  "File.unlink": deletes(),
  "Dir.rmdir": deletes(),
  "Dir.delete": deletes(),
  "Dir.unlink": deletes(),
  "Path().delete": deletesItself(),
  "Path().unlink": deletesItself(),
  "Path().rmtree": deletesItself(true),
  "Path().rmdir": deletesItself(),
  "*.unlink": deletesItself(),
  "*.rmtree": deletesItself(true),
  "*.rm_rf": removesAll,
  "File.rename": moves(),
  "File.symlink": uses("link", 1),
  "File.link": uses("link", 1),
  "File.truncate": uses("write"),
  "File.chmod": permission(1, 0),
  "File.chown": uses("owner", 2),
  "File.write": uses("write"),
  "File.binwrite": uses("write"),
  "IO.write": uses("write"),
  "IO.binwrite": uses("write"),
  "IO.copy_stream": uses("write", 1),
  "File.open": opened,
  "File.new": opened,
  "IO.sysopen": opened,
  open: opened,
  "File.read": read,
  "File.readlines": read,
  "File.foreach": read,
  "File.binread": read,
  "IO.read": read,
  "IO.readlines": read,
  "IO.foreach": read,
  "Path().write": usesItself("write"),
  "Path().read": usesItself("read"),
  Pathname: gives(({ args: [path] }) => ({ ...textValue(textOrHole(path)), ref: "Path()" })),
  "Pathname.new": gives(({ args: [path] }) => ({ ...textValue(textOrHole(path)), ref: "Path()" })),
  "Dir.home": gives(() => home),
  "Dir.chdir": enters,
  "Dir.pwd": gives(() => textValue(".")),
  "Dir.tmpdir": gives(() => textValue("/tmp")),
  "Dir.glob": listing,
  "Dir.children": gives(() => ({ ref: "listing", text: `./${hole}`, taint: 0 })),
  "Dir.entries": gives(() => ({ ref: "listing", text: `./${hole}`, taint: 0 })),
  "File.join": gives(({ args }) => joinPath(args)),
  "File.expand_path": gives(({ args: [path] }) =>
    textValue(textOrHole(path).replace(/^~(?=\/|$)/u, textOrHole(home)), path?.taint),
  ),
  "ENV.fetch": gives(({ args: [name] }) => (textOf(name) === "HOME" ? home : tainted(taints.variable))),
  "ENV.to_h": gives(() => tainted(taints.environment)),
  "ENV.to_a": gives(() => tainted(taints.environment)),
  "ENV.inspect": gives(() => tainted(taints.environment)),
  // ── network ───────────────────────────────────────────────────────────────────────────────────────────────────────
  "Net.HTTP.new": gives(() => refValue("http()")),
  "http().get": fetches(),
  "http().post": sends(),
  "http().put": sends(),
  "http().patch": sends(),
  "http().delete": sends(),
  "Net.HTTP.get": fetches(),
  "Net.HTTP.get_response": fetches(),
  "Net.HTTP.get_print": fetches(),
  "Net.HTTP.post": sends(),
  "Net.HTTP.post_form": sends(),
  "Net.HTTP.Post.new": request("post()"),
  "Net.HTTP.Put.new": request("post()"),
  "Net.HTTP.Delete.new": request("post()"),
  "*.request": gives(({ args: [asked], effects, words }) => {
    if (asked?.ref === "post()") effects.send(asked, [], words);
    return tainted(taints.network);
  }),
  "URI.open": fetches(),
  "URI.parse": keeps,
  URI: keeps,
  "HTTParty.get": fetches(),
  "HTTParty.post": sends(),
  "Faraday.get": fetches(),
  "Faraday.post": sends(),
  "RestClient.get": fetches(),
  "RestClient.post": sends(),
  "TCPSocket.new": connects,
  "TCPSocket.open": connects,
  "TCPServer.new": connects,
  "Socket.tcp": connects,
  "UDPSocket.new": connects,
  "socket().puts": sendsItself(),
  "socket().write": sendsItself(),
  "socket().print": sendsItself(),
  "socket().send": sendsItself(),
  "*.reopen": gives(({ effects, words }) => {
    effects.tie(words);
    return anything;
  }),
  "Net.SMTP.start": finds("inline_code"),
  "Net.FTP.open": finds("inline_code"),
  "Net.SSH.start": finds("inline_code"),
  // ── databases ─────────────────────────────────────────────────────────────────────────────────────────────────────
  "*.execute": queries(),
  "*.exec_query": queries(),
  "*.execute_batch": queries(),
  "*.delete_all": finds("database"),
  "*.destroy_all": finds("database"),
  "*.drop_table": finds("database"),
  "*.update_all": finds("database"),
  // ── code ──────────────────────────────────────────────────────────────────────────────────────────────────────────
  eval: evaluated,
  instance_eval: evaluated,
  "*.eval": evaluated,
  "*.instance_eval": evaluated,
  "*.class_eval": evaluated,
  "*.module_eval": evaluated,
  send: sent,
  public_send: sent,
  __send__: sent,
  "*.send": sent,
  "*.public_send": sent,
  "*.__send__": sent,
  method,
  "*.method": method,
  "*.instance_method": method,
  "*.public_method": method,
  const_get: gives(({ args: [name] }) =>
    wholeText(name) === undefined ? tainted(taints.reflected) : refValue(wholeText(name) ?? ""),
  ),
  "*.const_get": gives(({ args: [name] }) =>
    wholeText(name) === undefined ? tainted(taints.reflected) : refValue(wholeText(name) ?? ""),
  ),
  "Marshal.load": finds("unreadable_code"),
  "RubyVM.InstructionSequence.compile": finds("unreadable_code"),
  "RubyVM.InstructionSequence.eval": finds("unreadable_code"),
  "Fiddle.dlopen": finds("unreadable_code"),
  "Fiddle.Function.new": finds("unreadable_code"),
  // ── texts ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  "Base64.decode64": folds(([text = ""]) => decodedBase64(text), true),
  "Base64.strict_decode64": folds(([text = ""]) => decodedBase64(text), true),
  "Base64.urlsafe_decode64": folds(([text = ""]) => decodedBase64(text), true),
  "*.chr": gives(({ self }) =>
    self?.number === undefined ? undefined : textValue(characterOf(self.number), taints.decoded),
  ),
  "*.pack": packed,
  "*.unpack": unpacked,
  "*.unpack1": gives((call) => unpacked.read(call).items?.[0]),
  "*.join": joined,
  "*.reverse": folds(([text = ""]) => Array.from(text).toReversed().join(""), true),
  "*.downcase": folds(([text = ""]) => text.toLowerCase()),
  "*.upcase": folds(([text = ""]) => text.toUpperCase()),
  "*.gsub": folds(([text = "", from = "", to = ""]) => (from === "" ? text : text.replaceAll(from, () => to))),
  "*.sub": folds(([text = "", from = "", to = ""]) => text.replace(from, () => to)),
  "*.to_s": keeps,
  "*.to_str": keeps,
  "*.strip": keeps,
  "*.chomp": keeps,
  "*.first": gives(({ self }): Value | undefined => self?.items?.[0]),
}));
