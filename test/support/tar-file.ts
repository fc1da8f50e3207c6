import { gzipSync } from "node:zlib";

/** An entry of an archive. `type` as in the tar format: `0` file, `1` hard link, `2` link, `3` device, `5` folder, `x` pax. */
export interface TarEntry {
  readonly path: string;
  readonly text?: string | Uint8Array;
  readonly type?: string;
  readonly target?: string;
  readonly mode?: number;
  /** The size in the header, if it lies. */
  readonly size?: number;
}

/** A `.tgz` with these entries, well formed or not. */
export function tarball(entries: readonly TarEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]));
}

function blocksOf({ path, text = "", type = "0", target = "", mode = 0o644, size }: TarEntry): Buffer[] {
  const content = Buffer.from(text);
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  header.write(`${(size ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}
