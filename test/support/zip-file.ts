import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Default: compressed. */
  readonly stored?: boolean;
  /** Marked as encrypted; the content is unchanged. */
  readonly encrypted?: boolean;
}

/** An archive with these entries, in the format of office programs. */
export function zipFile(entries: readonly ZipEntry[]): Uint8Array {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let index = 0;
  for (const { name, content, stored = false, encrypted = false } of entries) {
    const plain = Buffer.from(content);
    const packed = stored ? plain : deflateRawSync(plain, { level: 1 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(encrypted ? 0x801 : 0x800, 2);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(plain.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const header = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(index, 10);
    list.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), fields, place, Buffer.from(name)]));
    parts.push(header, packed);
    index += header.length + packed.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(index, 12);
  return Buffer.concat([...parts, directory, Buffer.from("PK\x05\x06"), end]);
}

/** Files by name, as `zipFile` takes them. */
export function zipOf(files: Readonly<Record<string, string>>): Uint8Array {
  return zipFile(Object.entries(files).map(([name, content]) => ({ name, content })));
}
