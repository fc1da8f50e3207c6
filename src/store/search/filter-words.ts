import type { SearchedRole } from "../../contracts/session/session-search.ts";
import { checksum } from "../checksum.ts";

// Owner, role and time of a text are indexed as words, so that a filter is bounded like a search for words. They start
// with characters that the splitter removes from texts, so no text contains them.

export function ownerWord(principal: string, role: SearchedRole | "title"): string {
  return `\uE000${checksum(principal).toString(36)}${role[0]}${role[1]}`;
}

export function sessionWord(session: number): string {
  return `${sessionMark}${session.toString(36)}`;
}

export function sessionOf(word: string): number {
  return Number.parseInt(word.slice(sessionMark.length), 36);
}

export const sessionMark = "\uE001";

export function timeWords(time: number): readonly string[] {
  return [dayWord(dayOf(time)), monthWord(time)];
}

/**
 * The words for all days of a time span, with one word for each whole month. Undefined if that would be too many
 * words.
 */
export function spanWords(since: number, until: number): readonly string[] | undefined {
  const words: string[] = [];
  const last = dayOf(until);
  for (let day = dayOf(since); day <= last;) {
    if (words.length > maxWords) return undefined;
    const date = new Date(day * dayMs);
    const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / dayMs;
    const isWhole = date.getUTCDate() === 1 && next - 1 <= last;
    words.push(isWhole ? monthWord(day * dayMs) : dayWord(day));
    day = isWhole ? next : day + 1;
  }
  return words;
}

const dayMs = 86_400_000;
const maxWords = 400;

function dayOf(time: number): number {
  return Math.floor(time / dayMs);
}

function dayWord(day: number): string {
  return `\uE002${day.toString(36)}`;
}

function monthWord(time: number): string {
  const date = new Date(time);
  return `\uE003${(date.getUTCFullYear() * 12 + date.getUTCMonth()).toString(36)}`;
}
