import manifest from "../../package.json" with { type: "json" };

/** The version of this build, which comes only from the package file. */
export const version: string = manifest.version;
