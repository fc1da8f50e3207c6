/** The limits of an image in a request. */
export interface PictureLimits {
  /** The maximum length of the longer side in pixels. Providers scale larger images down anyway. */
  readonly maxSide: number;
  /** The maximum size of the encoded image. */
  readonly maxBytes: number;
}

/** The limits of a model. `maxSide` in the settings, if not 0, takes precedence. */
export function pictureLimits(model: string, maxSide = 0): PictureLimits {
  const own = families.find(({ name }) => name.test(model))?.maxSide ?? defaultSide;
  return { maxSide: Math.min(maxSide > 0 ? maxSide : own, absoluteMaxSide), maxBytes };
}

const defaultSide = 1_568;
const families: readonly { readonly name: RegExp; readonly maxSide: number }[] = [
  { name: /claude/iu, maxSide: 1_568 },
  { name: /gemini/iu, maxSide: 3_072 },
  { name: /gpt|\bo[134]\b|codex/iu, maxSide: 2_048 },
];

/** No provider accepts more. */
const absoluteMaxSide = 7_900;
/** Base64 makes it a third larger: at most 4 MB in total. */
const maxBytes = 3_000_000;
