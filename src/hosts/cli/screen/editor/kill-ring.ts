/** Deleted texts that can be inserted again. */
export interface KillRing {
  /** Adds a deleted text. Consecutive deletions form one text. `before`: the deleted text was before the cursor. */
  kill(text: string, where: "before" | "after"): void;
  /** The newest text. */
  readonly newest: string;
  /** The next older text than the one inserted last; after the oldest, the newest again. */
  older(): string;
  /** Called for any other key: the next deletion starts a new text, and `older` starts at the newest text. */
  settle(): void;
}

const maxTexts = 30;

export function createKillRing(): KillRing {
  let texts: string[] = [];
  let isKilling = false;
  let index = 0;
  return {
    kill(text, where) {
      if (text === "") return;
      const [newest = "", ...rest] = texts;
      if (isKilling) texts = [where === "before" ? text + newest : newest + text, ...rest];
      else texts = [text, ...texts].slice(0, maxTexts);
      isKilling = true;
      index = 0;
    },
    get newest() {
      index = 0;
      return texts[0] ?? "";
    },
    older() {
      index = texts.length === 0 ? 0 : (index + 1) % texts.length;
      return texts[index] ?? "";
    },
    settle() {
      isKilling = false;
    },
  };
}
