import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { anyText } from "../../../test/support/any-text.ts";
import { decodePage } from "./decode-page.ts";

/** Bytes of a single-byte encoding. */
function bytesIn(encoding: string, text: string): Uint8Array {
  const table = new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from(text, (char) => table.get(char) ?? 0x3f);
}

test("the encoding is taken from the byte order mark, the header, the XML declaration or the meta element", () => {
  const text = "<p>naïve café – Übung</p>";
  assert.equal(decodePage(bytesIn("windows-1252", text), "text/html; charset=ISO-8859-1").text, text);
  const declared = `<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">${text}`;
  assert.equal(decodePage(bytesIn("windows-1252", declared)).text, declared);
  const xml = `<?xml version="1.0" encoding="windows-1252"?>${text}`;
  assert.equal(decodePage(bytesIn("windows-1252", xml), "text/xml").text, xml);
  assert.equal(decodePage(Buffer.from(`\ufeff${text}`, "utf16le"), "text/html; charset=utf-8").text, text);
  assert.equal(decodePage(Buffer.from(`\ufeff${text}`)).text, text);
});

test("a declared encoding is ignored if the bytes contradict UTF-8 or the name does not exist", () => {
  const text = "Größe und Maß für alle Übungen: schöne Grüße";
  assert.equal(decodePage(bytesIn("windows-1252", text), "text/html; charset=utf-8").text, text);
  assert.equal(decodePage(Buffer.from(text), "text/html; charset=nonsense").text, text);
});

test("undeclared encodings are recognised by their typical bytes", () => {
  const russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.";
  for (const encoding of ["windows-1251", "koi8-r", "ibm866"])
    assert.deepEqual(decodePage(bytesIn(encoding, russian)), { text: russian, encoding });
  const samples = {
    "iso-2022-jp": "1b2442467c4b5c386c1b2842",
    shift_jis: "93fa967b8cea82cc8365834c835883678182b782c882cd82bf",
    "euc-jp": "c6fccbdcb8eca4cea5c6a5ada5b9a5c8a4c7a4b9a1a3",
    gb18030: "d6d0b9fac8cbcac7d2bbb8f6b4f3b9fabdd2",
    big5: "a4a4b0eaa448ac4fa440adcaa46ab0ea",
    "euc-kr": "c7d1b1b9beeeb7ce20b5c820b9aec0e5c0d4b4cfb4d9",
  };
  for (const [encoding, hex] of Object.entries(samples)) {
    const bytes = Buffer.concat([Buffer.from("<p>"), Buffer.from(hex, "hex"), Buffer.from(" </p>")]);
    assert.equal(decodePage(bytes).encoding, encoding, encoding);
  }
  assert.equal(decodePage(Buffer.from("<p>plain</p>", "utf16le")).text, "<p>plain</p>");
});

test("UTF-8 is always read as UTF-8, even if a page ends inside a character", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const whole = Buffer.from(`é${text}é`);
      assert.equal(decodePage(whole, "text/html; charset=utf-8").text, `é${text}é`);
    }),
  );
  assert.equal(
    decodePage(Buffer.from("Ende der Übung: ü").subarray(0, -1), "text/html; charset=utf-8").encoding,
    "utf-8",
  );
});
