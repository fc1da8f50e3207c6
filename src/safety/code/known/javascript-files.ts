import { hole } from "../../command/shell/field.ts";
import {
  type NameEffect,
  type KnownNames,
  fileValue,
  deletes,
  enters,
  gives,
  pathUseOfMode,
  keeps,
  moves,
  reads,
  uses,
} from "../reading/known.ts";
import { joinPath } from "../reading/operators.ts";
import { tainted, taints, textOfValue, textValue, wholeText } from "../reading/value.ts";
import { both, removes } from "./javascript-values.ts";
import { permission } from "./shared-names.ts";

const opened: NameEffect = gives(({ args: [path, flags], effects }) => {
  effects.path(pathUseOfMode(textOfValue(flags) ?? "r"), path);
  return fileValue(path);
});

export function javascriptFiles(): KnownNames {
  return {
    ...both("fs", {
      "rm rmdir": removes,
      unlink: deletes(),
      "remove emptyDir": deletes(0, true),
      "writeFile outputFile writeJson truncate": uses("write"),
      appendFile: uses("append"),
      "rename move": moves(),
      "copyFile copy cp": moves(true),
      "symlink link": uses("link", 1),
      chmod: permission(0, 1),
      "chown lchown": uses("owner"),
      open: opened,
      "readFile readJson": reads(),
    }),
    "fs.createWriteStream Bun.write": uses("write"),
    "fs.createReadStream Bun.file": reads(),
    "fs.readdirSync": gives(({ args: [folder] }) => ({ ref: "listing", text: `./${hole}`, taint: folder?.taint ?? 0 })),
    "rimraf rimraf.sync rimraf.rimraf rimraf.rimrafSync del.deleteSync": deletes(0, true),
    ...both("Deno", {
      remove: removes,
      "writeTextFile writeFile truncate": uses("write"),
      rename: moves(),
      copyFile: moves(true),
      chmod: permission(0, 1),
      "readTextFile readFile": reads(),
      symlink: uses("link", 1),
    }),
    "os.homedir": gives(() => textValue(`/home/${hole}`)),
    "os.tmpdir": gives(() => textValue("/tmp")),
    "process.chdir": enters,
    "process.cwd": gives(() => textValue(".")),
    "path.join path.resolve": gives(({ args }) => joinPath(args)),
    "path.normalize url.fileURLToPath": keeps,
    "Deno.env.get": gives(({ args: [name] }) =>
      wholeText(name) === "HOME" ? textValue(`/home/${hole}`) : tainted(taints.variable),
    ),
    "Deno.env.toObject": gives(() => tainted(taints.environment)),
  };
}
