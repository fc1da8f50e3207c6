/** A failure of the environment (a full disk, no permission), not a bug: its message is enough for a person. */
export class PlainFailure extends Error {}
