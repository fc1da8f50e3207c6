import { hole } from "../../command/shell/field.ts";
import {
  each,
  type NameEffect,
  type KnownNames,
  argument,
  fileValue,
  enters,
  folds,
  gives,
  howOpened,
  keeps,
  moves,
  opens,
  reads,
  uses,
  usesItself,
} from "../reading/known.ts";
import { joinPath } from "../reading/operators.ts";
import { unknownValue, tainted, taints, textOfValue, textOrHole, textValue, wholeText } from "../reading/value.ts";
import { oneValue } from "./shared-names.ts";
import { permission } from "./shared-names.ts";

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
  call.effects.path(howOpened(textOfValue(argument(call, 0, "mode")) ?? "r"), call.self);
  return fileValue(call.self);
});

const pathJoined: NameEffect = gives(({ self, args }) => ({
  ...joinPath([self ?? unknownValue, ...args]),
  ref: "Path()",
}));

const listed: NameEffect = gives(({ self }) => ({ ref: "listing", text: `${textOrHole(self)}/${hole}`, taint: 0 }));

export function pythonFiles(): KnownNames {
  return {
    ...each(opens(), "open os.fdopen io.open codecs.open gzip.open bz2.open lzma.open tarfile.open zipfile.ZipFile"),
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
    ...each(moves(), "os.rename os.renames os.replace shutil.move"),
    ...each(moves(true), "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree"),
    "os.symlink": uses("link", 1),
    "os.link": uses("link", 1),
    "os.chmod": permission(0, 1),
    "os.lchmod": permission(0, 1),
    "os.chown": uses("owner"),
    "shutil.chown": uses("owner"),
    "linecache.getlines": reads(),
    "numpy.fromfile": reads(),
    "*.write_text": usesItself("write"),
    "*.write_bytes": usesItself("write"),
    "*.read_text": usesItself("read"),
    "*.read_bytes": usesItself("read"),
    "Path().open": pathOpened,
    "Path().touch": usesItself("write"),
    "Path().rename": gives(({ effects, self, args: [to] }) => {
      effects.path("move", self);
      effects.path("write", to);
      return to;
    }),
    "Path().replace": gives(({ effects, self, args: [to] }) => {
      effects.path("move", self);
      effects.path("write", to);
      return to;
    }),
    "Path().chmod": gives(({ effects, self }) => {
      effects.path("permission", self);
      return unknownValue;
    }),
    "Path().symlink_to": usesItself("link"),
    "Path().joinpath": pathJoined,
    "Path().expanduser": gives(({ self }) => ({ ...textValue(expandHome(textOrHole(self))), ref: "Path()" })),
    "Path().resolve": keeps,
    "Path().absolute": keeps,
    "Path().glob": listed,
    "Path().rglob": listed,
    "Path().iterdir": listed,
    "pathlib.Path": path,
    Path: path,
    "pathlib.Path.home": oneValue({ ...textValue(home), ref: "Path()" }),
    "Path.home": oneValue({ ...textValue(home), ref: "Path()" }),
    "pathlib.Path.cwd": oneValue({ ...textValue("."), ref: "Path()" }),
    "Path.cwd": oneValue({ ...textValue("."), ref: "Path()" }),
    "os.chdir": enters,
    "os.fchdir": enters,
    "os.getcwd": oneValue(textValue(".")),
    "os.path.join": joined,
    "os.path.expanduser": folds(([text = ""]) => expandHome(text)),
    "os.path.abspath": folds(([text = ""]) => text),
    "os.path.realpath": folds(([text = ""]) => text),
    "os.path.normpath": folds(([text = ""]) => text),
    "os.path.expandvars": folds(([text = ""]) => text.replaceAll(/\$\{?HOME\}?/gu, home)),
    "glob.glob": globbed,
    "glob.iglob": globbed,
    "os.listdir": gives(({ args: [folder] }) => ({ ref: "listing", text: `./${hole}`, taint: folder?.taint ?? 0 })),
    "os.scandir": gives(({ args: [folder] }) => ({
      ref: "listing",
      text: `${folder === undefined ? "." : textOrHole(folder)}/${hole}`,
      taint: 0,
    })),
    "tempfile.mkdtemp": oneValue(textValue(`/tmp/${hole}`)),
    "tempfile.mktemp": oneValue(textValue(`/tmp/${hole}`)),
    "tempfile.TemporaryDirectory": oneValue(textValue(`/tmp/${hole}`)),
    "tempfile.gettempdir": oneValue(textValue("/tmp")),
    "tempfile.NamedTemporaryFile": oneValue(unknownValue),
    "os.getenv": environment,
    "os.environ.get": environment,
    ...each(oneValue(tainted(taints.environment)), "os.environ.copy os.environ.items os.environ.values"),
    "*.popitem": keeps,
  };
}
