import { readPart, type ZipArchive } from "./zip-archive.ts";

export interface NumberingRef {
  readonly list: string;
  readonly level: number;
}

/** The heading levels and lists that the styles of a Word document define. */
export interface WordStyles {
  /** The heading level, from 1 to 6. Undefined: not a heading. */
  heading(style: string): number | undefined;
  numbering(style: string): NumberingRef | undefined;
}

interface Style {
  name: string;
  basedOn?: string;
  outline?: number;
  list?: string;
  level?: number;
}

export function readWordStyles(zip: ZipArchive, part: string): WordStyles {
  const styles = new Map<string, Style>();
  let current: Style | undefined;
  readPart(zip, part, {
    open(name, tag) {
      const value = tag.attribute("val") ?? "";
      if (name === "style") {
        current = { name: "" };
        styles.set(tag.attribute("styleId") ?? "", current);
      } else if (!current) return;
      else if (name === "name") current.name = value.toLowerCase();
      else if (name === "basedOn") current.basedOn = value;
      else if (name === "outlineLvl") current.outline = Number(value);
      else if (name === "numId") current.list = value;
      else if (name === "ilvl") current.level = Number(value);
    },
    close(name) {
      if (name === "style") current = undefined;
    },
  });

  /** Returns the first value in a style or its base styles. */
  function inherited<T>(id: string, answer: (style: Style) => T | undefined): T | undefined {
    let style = styles.get(id);
    for (let step = 0; style && step < maxSteps; step++) {
      const result = answer(style);
      if (result !== undefined) return result;
      style = style.basedOn === undefined ? undefined : styles.get(style.basedOn);
    }
    return undefined;
  }

  return {
    heading: (id) => inherited(id, headingOf) ?? (styles.has(id) ? undefined : headingNamed(id.toLowerCase())),
    numbering: (id) =>
      inherited(id, ({ list, level }) => (list === undefined ? undefined : { list, level: level ?? 0 })),
  };
}

function headingOf({ name, outline }: Style): number | undefined {
  if (outline !== undefined) return outlineHeading(outline);
  return headingNamed(name);
}

function headingNamed(name: string): number | undefined {
  if (name === "title") return 1;
  const level = /^heading\s?([1-9])$/u.exec(name)?.[1];
  return level === undefined ? undefined : Math.min(6, Number(level));
}

/** Outline levels count from 0; 9 is body text. */
export function outlineHeading(outline: number): number | undefined {
  return outline >= 0 && outline < 9 ? Math.min(6, outline + 1) : undefined;
}

const maxSteps = 20;
