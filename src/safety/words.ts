/** A list of words that have no spaces in them. */
export function words(text: string): readonly string[] {
  return text.split(/\s+/u).filter(Boolean);
}
