import manifest from "../../package.json" with { type: "json" };

/** The version of this build; the package file is its only source. */
export const version: string = manifest.version;
