/** One npm package, of which some files are kept. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the archive, base64. An archive with another hash is refused. */
  readonly integrity: string;
  /** The size of the archive, for the progress display. */
  readonly megabytes: number;
  /** The target of a file in the archive; undefined if the file is not kept. */
  place(path: string): string | undefined;
}

/** Files of the installation. */
export const modelFiles = {
  encoder: "model/encoder_model.onnx",
  decoder: "model/decoder_model_merged.onnx",
  tokens: "model/tokens.txt",
  vocabulary: "model/llama-tokenizer.js",
} as const;

const sherpaVersion = "1.13.8";

/** Native code by platform and processor. */
const sherpaBinaries: Readonly<Record<string, { readonly name: string; readonly integrity: string }>> = {
  "linux-arm64": {
    name: "sherpa-onnx-linux-arm64",
    integrity: "Tlg7a70b/Wge3OF8IgTHF9jhSVCsLyKQKhwc4BsJ5A+dL/SrFtGBjzuHp4XeLhiiOT7afCxX5PdSn/D4c8Lnuw==",
  },
  "linux-x64": {
    name: "sherpa-onnx-linux-x64",
    integrity: "6plnhjagsSeTntCgnlag86hWbs/uZE9Crms1LgOb68/1nKsIQjMd+WG519m+aPwT6TrsBOiEMzrx41t8sL5L5g==",
  },
  "darwin-arm64": {
    name: "sherpa-onnx-darwin-arm64",
    integrity: "FPNgJMgnWVl/KhRTIhG3KL3A4Om63Rn4YKXc9/uHY7SzLcvqLJLc/h7UBWJwduXvv7K18t5NpxHR6XgXn4sjWw==",
  },
  "darwin-x64": {
    name: "sherpa-onnx-darwin-x64",
    integrity: "7BLRpjM6w4f9W46/nmkmq8lEKUayhebvcpslCVQ+6QN2uReYlZEMDZlSpXMjme+hUFrPfRz8P3UNq8ep/4d19g==",
  },
  "win32-x64": {
    name: "sherpa-onnx-win-x64",
    integrity: "oZF1c9VPOKtMwn83Bboc5XSWL+76BRoyB3eUuVnCknBKxwSULZU2Foia9VHWzU+n4I12rPsP6z6H9Rp1hD9o8g==",
  },
};

const below = (folder: string) => (path: string) => {
  const name = /^package\/([\w.-]+\.(?:js|json|node|so|dylib|dll)(?:\.[\d.]+)?)$/u.exec(path)?.[1];
  return name === undefined ? undefined : `${folder}/${name}`;
};

/** Undefined if the recogniser is not built for this machine. */
export function moonshinePackages(machine: string): readonly PinnedPackage[] | undefined {
  const binary = Object.hasOwn(sherpaBinaries, machine) ? sherpaBinaries[machine] : undefined;
  if (!binary) return undefined;
  const models: Readonly<Record<string, string>> = {
    "package/dist/model/tiny/quantized/encoder_model.onnx": modelFiles.encoder,
    "package/dist/model/tiny/quantized/decoder_model_merged.onnx": modelFiles.decoder,
    "package/LICENSE": "model/LICENSE",
  };
  return [
    {
      name: "@moonshine-ai/moonshine-js",
      version: "0.1.29",
      integrity: "Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==",
      megabytes: 22,
      place: (path) => (Object.hasOwn(models, path) ? models[path] : undefined),
    },
    { ...binary, version: sherpaVersion, megabytes: 14, place: below(binary.name) },
    {
      name: "sherpa-onnx-node",
      version: sherpaVersion,
      integrity: "MsDMBdhLFTZ1GwvcGSSQhnS7g/EA8OMH6IYysCVUOM7j8Icty9KRc0E6YT1A5fWBsZwRfKOeh88QC95aRvS8ag==",
      megabytes: 1,
      place: below("sherpa-onnx-node"),
    },
    {
      name: "llama-tokenizer-js",
      version: "1.2.2",
      integrity: "Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==",
      megabytes: 1,
      place: (path) => (path === "package/llama-tokenizer.js" ? modelFiles.vocabulary : undefined),
    },
  ];
}
