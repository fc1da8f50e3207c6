import { hole } from "../../command/shell/field.ts";
import {
  each,
  type NameEffect,
  type KnownNames,
  fileValue,
  deletes,
  enters,
  gives,
  howOpened,
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
  effects.path(howOpened(textOfValue(flags) ?? "r"), path);
  return fileValue(path);
});

const home: NameEffect = gives(() => textValue(`/home/${hole}`));

const pathJoined: NameEffect = gives(({ args }) => joinPath(args));

export function javascriptFiles(): KnownNames {
  return {
    ...both("fs", {
      rm: removes,
      rmdir: removes,
      unlink: deletes(),
      remove: deletes(0, true),
      emptyDir: deletes(0, true),
      ...each(uses("write"), "writeFile outputFile writeJson truncate"),
      appendFile: uses("append"),
      rename: moves(),
      move: moves(),
      ...each(moves(true), "copyFile copy cp"),
      symlink: uses("link", 1),
      link: uses("link", 1),
      chmod: permission(0, 1),
      chown: uses("owner"),
      lchown: uses("owner"),
      open: opened,
      readFile: reads(),
      readJson: reads(),
    }),
    "fs.createWriteStream": uses("write"),
    "fs.createReadStream": reads(),
    "fs.readdirSync": gives(({ args: [folder] }) => ({ ref: "listing", text: `./${hole}`, taint: folder?.taint ?? 0 })),
    ...each(deletes(0, true), "rimraf rimraf.sync rimraf.rimraf rimraf.rimrafSync del.deleteSync"),
    ...both("Deno", {
      remove: removes,
      ...each(uses("write"), "writeTextFile writeFile truncate"),
      rename: moves(),
      copyFile: moves(true),
      chmod: permission(0, 1),
      readTextFile: reads(),
      readFile: reads(),
      symlink: uses("link", 1),
    }),
    "Bun.write": uses("write"),
    "Bun.file": reads(),
    "os.homedir": home,
    "os.tmpdir": gives(() => textValue("/tmp")),
    "process.chdir": enters,
    "process.cwd": gives(() => textValue(".")),
    "path.join": pathJoined,
    "path.resolve": pathJoined,
    "path.normalize": keeps,
    "url.fileURLToPath": keeps,
    "Deno.env.get": gives(({ args: [name] }) =>
      wholeText(name) === "HOME" ? textValue(`/home/${hole}`) : tainted(taints.variable),
    ),
    "Deno.env.toObject": gives(() => tainted(taints.environment)),
  };
}
