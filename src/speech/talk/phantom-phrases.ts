/** Sentences that speech models produce for silence and noise, because they learned them from subtitles. */
const phantoms: ReadonlySet<string> = new Set([
  "thank you",
  "thanks",
  "thank you very much",
  "thank you so much",
  "thanks for watching",
  "thank you for watching",
  "thanks for listening",
  "thank you for listening",
  "please subscribe",
  "subscribe",
  "subscribe to my channel",
  "please subscribe to my channel",
  "like and subscribe",
  "don't forget to like and subscribe",
  "see you next time",
  "see you in the next video",
  "i'll see you in the next video",
  "bye",
  "bye bye",
  "you",
  "the end",
  "so",
  "hmm",
  "subtitles by the amara.org community",
  "transcribed by https otter.ai",
  "music",
]);

/** Whether a transcript is not real speech: a known phantom sentence, or one word repeated. */
export function isPhantom(transcript: string): boolean {
  const words = transcript
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[^\p{L}\p{N}' .]+/gu, " ")
    .replaceAll(/\.(?=\s|$)/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  if (words === "" || phantoms.has(words)) return true;
  // "you you you you", "Thank you. Thank you. Thank you."
  const repeated = /^(.{1,40}?)(?: \1)+$/u.exec(words);
  if (!repeated) return false;
  const times = words.split(repeated[1] ?? "").length - 1;
  return times >= 4 || phantoms.has(repeated[1] ?? "");
}
