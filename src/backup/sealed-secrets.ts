import { promisify } from "node:util";

import { isObject, parsedJson } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";

/** Files by path. */
export type SecretFiles = Readonly<Record<string, Uint8Array>>;

/** Encrypts files with a key that scrypt derives from a passphrase: salt, nonce, tag, then the text (AES-256-GCM). */
export async function sealSecrets(files: SecretFiles, passphrase: string): Promise<Buffer> {
  const { randomBytes, createCipheriv } = process.getBuiltinModule("node:crypto");
  const [salt, nonce] = [randomBytes(saltBytes), randomBytes(nonceBytes)];
  const plain = JSON.stringify(
    Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")])),
  );
  const cipher = createCipheriv("aes-256-gcm", await deriveKey(passphrase, salt), nonce);
  cipher.setAAD(context);
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), text]);
}

/** Decrypts the files. Fails with a wrong passphrase, or if a single bit differs. */
export async function openSecrets(sealed: Uint8Array, passphrase: string): Promise<Result<SecretFiles>> {
  const { createDecipheriv } = process.getBuiltinModule("node:crypto");
  const bytes = Buffer.from(sealed);
  const head = saltBytes + nonceBytes + tagBytes;
  if (bytes.length < head) return err({ message: "the encrypted secrets are damaged" });
  const key = await deriveKey(passphrase, bytes.subarray(0, saltBytes));
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(saltBytes, saltBytes + nonceBytes));
  decipher.setAAD(context);
  decipher.setAuthTag(bytes.subarray(saltBytes + nonceBytes, head));
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(head)), decipher.final()]).toString("utf8");
    const files = parsedJson(plain);
    if (!isObject(files)) return err({ message: "the encrypted secrets are damaged" });
    return ok(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(String(text), "base64")])),
    );
  } catch {
    return err({ message: "the passphrase is wrong, or the encrypted secrets are damaged" });
  }
}

async function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  const { scrypt } = process.getBuiltinModule("node:crypto");
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  return derive(passphrase.normalize("NFC"), salt, 32, { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 2 ** 20 });
}

const [saltBytes, nonceBytes, tagBytes] = [16, 12, 16];
const context = Buffer.from("hermes-backup secrets 1");
