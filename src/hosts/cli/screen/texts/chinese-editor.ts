import type { englishEditor } from "./english-editor.ts";

/** Texts of the editor in Chinese. */
export const chineseEditor: typeof englishEditor = {
  pasted: (lines, chars) => `[已粘贴：${lines} 行，${chars} 个字符]`,
  image: (number, about) => `[图片 ${number}${about === "" ? "" : `：${about}`}]`,
  stashed: (count) => `草稿已暂存${count > 1 ? `（共 ${count} 份）` : ""}。在空行中按同一个键可恢复。`,
  nothingStashed: "没有暂存的草稿。",
  discarded: "草稿已移到历史记录。",
  discardHint: "再按一次 Esc，草稿会移到历史记录。",
  modes: { insert: "-- 插入 --", normal: "-- 普通 --", visual: "-- 可视 --" },
  search: (words, isMissing, isLast) =>
    `搜索：${words}${isMissing ? "  （无匹配）" : isLast ? "  （没有其他匹配）" : ""}`,
};
