/** A failure of the surroundings (a full disk, no permission) and no bug: its message is for a person, and enough. */
export class PlainFailure extends Error {}
