import { sentenceEnd } from "../tts/split-text.ts";

const minChars = 20;

/** Sentences of a streaming answer, ready for speech: without code and Markdown. */
export interface SpokenSentences {
  /** Returns the sentences that are complete with this text. */
  add(delta: string): readonly string[];
  /** Returns the remaining text at the end of the answer. */
  end(): readonly string[];
}

export function createSpokenSentences(): SpokenSentences {
  let line = "";
  let waiting = "";
  let isCode = false;

  /** Sentences of the pending text; a short one waits for the next. */
  function take(isEnd: boolean): readonly string[] {
    const sentences: string[] = [];
    let current = "";
    const parts = waiting.split(sentenceEnd);
    const last = isEnd ? "" : (parts.pop() ?? "");
    for (const part of parts) {
      current += part;
      if (current.trim().length < minChars) continue;
      sentences.push(current.replaceAll(/\s+/gu, " ").trim());
      current = "";
    }
    waiting = isEnd ? "" : current + last;
    return isEnd && current.trim() !== "" ? [...sentences, current.replaceAll(/\s+/gu, " ").trim()] : sentences;
  }

  function endLine(): void {
    const trimmed = line.trim();
    if (/^(?:```|~~~)/u.test(trimmed)) isCode = !isCode;
    else if (!isCode && !/^\|.*\|$|^[-=*_ ]{3,}$/u.test(trimmed)) {
      const spoken = spokenWords(line);
      // A heading or an item of a list is a sentence.
      if (spoken !== "") waiting += `${waiting === "" ? "" : " "}${spoken}${/[.!?…:;,]$/u.test(spoken) ? "" : "."}`;
    }
    line = "";
  }

  return {
    add(delta) {
      for (const [index, part] of delta.split("\n").entries()) {
        if (index > 0) endLine();
        line += part;
        // Words before the end of a sentence can be spoken before the end of the line.
        const cut = isCode || /^\s*(?:[`~|]|$)/u.test(line) || line.includes("`") ? -1 : lastEnd(line);
        if (cut <= 0) continue;
        const spoken = spokenWords(line.slice(0, cut));
        if (spoken !== "") waiting += `${waiting === "" ? "" : " "}${spoken}`;
        line = line.slice(cut);
      }
      waiting += waiting !== "" && /[.!?…]["')\]]*$/u.test(waiting) ? " " : "";
      return take(false);
    },
    end() {
      if (line !== "") endLine();
      isCode = false;
      return take(true);
    },
  };
}

/** The index after the last sentence that ends in this line, if a space follows. */
function lastEnd(line: string): number {
  const match = /^.*[.!?…]["'”’)\]]*(?=\s)/su.exec(line);
  return match ? match[0].length : -1;
}

/** A line without Markdown markup, emoji and URLs. */
function spokenWords(line: string): string {
  return line
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/gu, "$1")
    .replaceAll(/^\s*(?:#{1,6}|>+|[-*+]|\d{1,3}[.)])\s+/gu, "")
    .replaceAll(/`([^`]*)`/gu, "$1")
    .replaceAll(/(\*\*|__|\*|~~)(?=\S)(.+?)(?<=\S)\1/gu, "$2")
    .replaceAll(/https?:\/\/\S+/gu, "")
    .replaceAll(/MEDIA:\S+/gu, "")
    .replaceAll(/\p{Extended_Pictographic}|\u200d|\ufe0f/gu, "")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
}
