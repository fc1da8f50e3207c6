/** A failure of the environment (a full disk, no permission), not a bug. Its message is sufficient for the user. */
export class PlainFailure extends Error {}
