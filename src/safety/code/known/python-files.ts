import { hole } from "../../command/shell/field.ts";
import {
  type NameEffect,
  type KnownNames,
  argument,
  fileValue,
  changesFolder,
  computesText,
  computes,
  pathUseOfMode,
  returnsItself,
  movesFile,
  opensFile,
  readsFile,
  usesPath,
  usesOwnPath,
} from "../reading/name-effects.ts";
import { joinPath } from "../reading/operators.ts";
import { unknownValue, tainted, taints, textOfValue, textOrHole, textValue, wholeText } from "../reading/value.ts";
import { constantResult, changesPermission } from "./shared-names.ts";

const home = `/home/${hole}`;

const expandHome = (text: string) => text.replace(/^~(?=\/|$)/u, home);

const path: NameEffect = computes(({ args }) => ({
  ...(args.length === 0 ? textValue(".") : joinPath(args)),
  ref: "Path()",
}));

const joined: NameEffect = computes(({ args }) => joinPath(args));

const globbed: NameEffect = computes(({ args }) => ({
  ref: "listing",
  text: textOrHole(args[0]).replace(/[*?[].*$/su, hole),
  taint: 0,
}));

const environment: NameEffect = computes(({ args: [name] }) => {
  const text = wholeText(name);
  return text === "HOME" ? textValue(home) : text === "PWD" ? textValue(".") : tainted(taints.variable);
});

/** Handles `Path.open(mode)`. */
const pathOpened: NameEffect = computes((call) => {
  call.effects.path(pathUseOfMode(textOfValue(argument(call, 0, "mode")) ?? "r"), call.self);
  return fileValue(call.self);
});

const pathJoined: NameEffect = computes(({ self, args }) => ({
  ...joinPath([self ?? unknownValue, ...args]),
  ref: "Path()",
}));

const listed: NameEffect = computes(({ self }) => ({ ref: "listing", text: `${textOrHole(self)}/${hole}`, taint: 0 }));

export function pythonFiles(): KnownNames {
  return {
    "open os.fdopen io.open codecs.open gzip.open bz2.open lzma.open tarfile.open zipfile.ZipFile": opensFile(),
    "sqlite3.connect": usesPath("make"),
    "os.open": computes((call) => {
      call.effects.path(
        textOfValue(call.args[1]) === undefined && /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/u.test(call.words)
          ? "write"
          : "read",
        call.args[0],
      );
      return fileValue(call.args[0]);
    }),
    "fileinput.input": computes((call) => {
      call.effects.path(call.named.has("inplace") ? "edit" : "read", argument(call, 0, "files"));
      return fileValue(call.args[0]);
    }),
    "os.truncate": usesPath("write"),
    "os.rename os.renames os.replace shutil.move": movesFile(),
    "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree": movesFile(true),
    "os.symlink os.link": usesPath("link", 1),
    "os.chmod os.lchmod": changesPermission(0, 1),
    "os.chown shutil.chown": usesPath("owner"),
    "linecache.getlines numpy.fromfile": readsFile(),
    "*.write_text *.write_bytes Path().touch": usesOwnPath("write"),
    "*.read_text *.read_bytes": usesOwnPath("read"),
    "Path().open": pathOpened,
    "Path().rename Path().replace": computes(({ effects, self, args: [to] }) => {
      effects.path("move", self);
      effects.path("write", to);
      return to;
    }),
    "Path().chmod": usesOwnPath("permission"),
    "Path().symlink_to": usesOwnPath("link"),
    "Path().joinpath": pathJoined,
    "Path().expanduser": computes(({ self }) => ({ ...textValue(expandHome(textOrHole(self))), ref: "Path()" })),
    "Path().resolve Path().absolute *.popitem": returnsItself,
    "Path().glob Path().rglob Path().iterdir": listed,
    "pathlib.Path Path": path,
    "pathlib.Path.home Path.home": constantResult({ ...textValue(home), ref: "Path()" }),
    "pathlib.Path.cwd Path.cwd": constantResult({ ...textValue("."), ref: "Path()" }),
    "os.chdir os.fchdir": changesFolder,
    "os.getcwd": constantResult(textValue(".")),
    "os.path.join": joined,
    "os.path.expanduser": computesText(([text = ""]) => expandHome(text)),
    "os.path.abspath os.path.realpath os.path.normpath": computesText(([text = ""]) => text),
    "os.path.expandvars": computesText(([text = ""]) => text.replaceAll(/\$\{?HOME\}?/gu, home)),
    "glob.glob glob.iglob": globbed,
    "os.listdir": computes(({ args: [folder] }) => ({ ref: "listing", text: `./${hole}`, taint: folder?.taint ?? 0 })),
    "os.scandir": computes(({ args: [folder] }) => ({
      ref: "listing",
      text: `${folder === undefined ? "." : textOrHole(folder)}/${hole}`,
      taint: 0,
    })),
    "tempfile.mkdtemp tempfile.mktemp tempfile.TemporaryDirectory": constantResult(textValue(`/tmp/${hole}`)),
    "tempfile.gettempdir": constantResult(textValue("/tmp")),
    "tempfile.NamedTemporaryFile": constantResult(unknownValue),
    "os.getenv os.environ.get": environment,
    "os.environ.copy os.environ.items os.environ.values": constantResult(tainted(taints.environment)),
  };
}
