import { hole } from "../../command/shell/field.ts";
import {
  type NameEffect,
  type KnownNames,
  argument,
  fileValue,
  enters,
  folds,
  gives,
  pathUseOfMode,
  keeps,
  moves,
  opens,
  reads,
  uses,
  usesItself,
} from "../reading/known.ts";
import { joinPath } from "../reading/operators.ts";
import { unknownValue, tainted, taints, textOfValue, textOrHole, textValue, wholeText } from "../reading/value.ts";
import { oneValue, permission } from "./shared-names.ts";

const home = `/home/${hole}`;

const expandHome = (text: string) => text.replace(/^~(?=\/|$)/u, home);

const path: NameEffect = gives(({ args }) => ({
  ...(args.length === 0 ? textValue(".") : joinPath(args)),
  ref: "Path()",
}));

const joined: NameEffect = gives(({ args }) => joinPath(args));

const globbed: NameEffect = gives(({ args }) => ({
  ref: "listing",
  text: textOrHole(args[0]).replace(/[*?[].*$/su, hole),
  taint: 0,
}));

const environment: NameEffect = gives(({ args: [name] }) => {
  const text = wholeText(name);
  return text === "HOME" ? textValue(home) : text === "PWD" ? textValue(".") : tainted(taints.variable);
});

/** `Path.open(mode)`. */
const pathOpened: NameEffect = gives((call) => {
  call.effects.path(pathUseOfMode(textOfValue(argument(call, 0, "mode")) ?? "r"), call.self);
  return fileValue(call.self);
});

const pathJoined: NameEffect = gives(({ self, args }) => ({
  ...joinPath([self ?? unknownValue, ...args]),
  ref: "Path()",
}));

const listed: NameEffect = gives(({ self }) => ({ ref: "listing", text: `${textOrHole(self)}/${hole}`, taint: 0 }));

export function pythonFiles(): KnownNames {
  return {
    "open os.fdopen io.open codecs.open gzip.open bz2.open lzma.open tarfile.open zipfile.ZipFile": opens(),
    "os.open": gives((call) => {
      call.effects.path(
        textOfValue(call.args[1]) === undefined && /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/u.test(call.words)
          ? "write"
          : "read",
        call.args[0],
      );
      return fileValue(call.args[0]);
    }),
    "fileinput.input": gives((call) => {
      call.effects.path(call.named.has("inplace") ? "edit" : "read", argument(call, 0, "files"));
      return fileValue(call.args[0]);
    }),
    "os.truncate": uses("write"),
    "os.rename os.renames os.replace shutil.move": moves(),
    "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree": moves(true),
    "os.symlink os.link": uses("link", 1),
    "os.chmod os.lchmod": permission(0, 1),
    "os.chown shutil.chown": uses("owner"),
    "linecache.getlines numpy.fromfile": reads(),
    "*.write_text *.write_bytes Path().touch": usesItself("write"),
    "*.read_text *.read_bytes": usesItself("read"),
    "Path().open": pathOpened,
    "Path().rename Path().replace": gives(({ effects, self, args: [to] }) => {
      effects.path("move", self);
      effects.path("write", to);
      return to;
    }),
    "Path().chmod": usesItself("permission"),
    "Path().symlink_to": usesItself("link"),
    "Path().joinpath": pathJoined,
    "Path().expanduser": gives(({ self }) => ({ ...textValue(expandHome(textOrHole(self))), ref: "Path()" })),
    "Path().resolve Path().absolute *.popitem": keeps,
    "Path().glob Path().rglob Path().iterdir": listed,
    "pathlib.Path Path": path,
    "pathlib.Path.home Path.home": oneValue({ ...textValue(home), ref: "Path()" }),
    "pathlib.Path.cwd Path.cwd": oneValue({ ...textValue("."), ref: "Path()" }),
    "os.chdir os.fchdir": enters,
    "os.getcwd": oneValue(textValue(".")),
    "os.path.join": joined,
    "os.path.expanduser": folds(([text = ""]) => expandHome(text)),
    "os.path.abspath os.path.realpath os.path.normpath": folds(([text = ""]) => text),
    "os.path.expandvars": folds(([text = ""]) => text.replaceAll(/\$\{?HOME\}?/gu, home)),
    "glob.glob glob.iglob": globbed,
    "os.listdir": gives(({ args: [folder] }) => ({ ref: "listing", text: `./${hole}`, taint: folder?.taint ?? 0 })),
    "os.scandir": gives(({ args: [folder] }) => ({
      ref: "listing",
      text: `${folder === undefined ? "." : textOrHole(folder)}/${hole}`,
      taint: 0,
    })),
    "tempfile.mkdtemp tempfile.mktemp tempfile.TemporaryDirectory": oneValue(textValue(`/tmp/${hole}`)),
    "tempfile.gettempdir": oneValue(textValue("/tmp")),
    "tempfile.NamedTemporaryFile": oneValue(unknownValue),
    "os.getenv os.environ.get": environment,
    "os.environ.copy os.environ.items os.environ.values": oneValue(tainted(taints.environment)),
  };
}
