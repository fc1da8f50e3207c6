import { hole } from "../../command/shell/field.ts";
import {
  type NameEffect,
  type KnownNames,
  fileValue,
  deletes,
  changesFolder,
  computes,
  pathUseOfMode,
  returnsItself,
  movesFile,
  readsFile,
  usesPath,
} from "../reading/name-effects.ts";
import { joinPath } from "../reading/operators.ts";
import { tainted, taints, textOfValue, textValue, wholeText } from "../reading/value.ts";
import { withSync, deletesPath } from "./javascript-values.ts";
import { changesPermission } from "./shared-names.ts";

const opened: NameEffect = computes(({ args: [path, flags], effects }) => {
  effects.path(pathUseOfMode(textOfValue(flags) ?? "r"), path);
  return fileValue(path);
});

export function javascriptFiles(): KnownNames {
  return {
    ...withSync("fs", {
      "rm rmdir": deletesPath,
      unlink: deletes(),
      "remove emptyDir": deletes(0, true),
      "writeFile outputFile writeJson truncate": usesPath("write"),
      appendFile: usesPath("append"),
      "rename move": movesFile(),
      "copyFile copy cp": movesFile(true),
      "symlink link": usesPath("link", 1),
      chmod: changesPermission(0, 1),
      "chown lchown": usesPath("owner"),
      open: opened,
      "readFile readJson": readsFile(),
    }),
    "fs.createWriteStream Bun.write": usesPath("write"),
    "fs.createReadStream Bun.file": readsFile(),
    "fs.readdirSync": computes(({ args: [folder] }) => ({
      ref: "listing",
      text: `./${hole}`,
      taint: folder?.taint ?? 0,
    })),
    "rimraf rimraf.sync rimraf.rimraf rimraf.rimrafSync del.deleteSync": deletes(0, true),
    ...withSync("Deno", {
      remove: deletesPath,
      "writeTextFile writeFile truncate": usesPath("write"),
      rename: movesFile(),
      copyFile: movesFile(true),
      chmod: changesPermission(0, 1),
      "readTextFile readFile": readsFile(),
      symlink: usesPath("link", 1),
    }),
    "os.homedir": computes(() => textValue(`/home/${hole}`)),
    "os.tmpdir": computes(() => textValue("/tmp")),
    "process.chdir": changesFolder,
    "process.cwd": computes(() => textValue(".")),
    "path.join path.resolve": computes(({ args }) => joinPath(args)),
    "path.normalize url.fileURLToPath": returnsItself,
    "Deno.env.get": computes(({ args: [name] }) =>
      wholeText(name) === "HOME" ? textValue(`/home/${hole}`) : tainted(taints.variable),
    ),
    "Deno.env.toObject": computes(() => tainted(taints.environment)),
  };
}
