import type { PageElement } from "./page-element.ts";

/** Whether a browser would not show an element. `hiddenNames`: classes and ids that the page's own styles hide. */
export function isHidden(element: PageElement, hiddenNames: ReadonlySet<string>): boolean {
  if (element.attributes.length === 0) return false;
  const hidden = element.attribute("hidden");
  if (hidden !== undefined && hidden.toLowerCase() !== "until-found") return true;
  // Some pages hide everything behind a dialog.
  if (element.attribute("aria-hidden")?.toLowerCase() === "true" && element.tag !== "body" && element.tag !== "main")
    return true;
  const style = element.attribute("style");
  if (style && hidesByStyle(style)) return true;
  const names = element.attribute("class");
  if (names && hiddenClass.test(names)) return true;
  if (hiddenNames.size === 0) return false;
  if (names?.split(/\s+/u).some((name) => hiddenNames.has(`.${name}`))) return true;
  const id = element.attribute("id");
  return id !== undefined && hiddenNames.has(`#${id}`);
}

/** Classes of the frameworks that mean hidden text. */
const hiddenClass =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-?reader(?:-text|-only)?|a11y-hidden|d-none|invisible|is-hidden|u-hidden|offscreen|off-screen|element-invisible|mw-editsection|hidden|hide)(?:$|\s)/iu;

/** Declarations that make text invisible: not shown, transparent, tiny, outside of the page, or clipped away. */
function hidesByStyle(style: string): boolean {
  const css = style.toLowerCase().replaceAll(/\/\*.*?(?:\*\/|$)|!important|\s+/gu, "");
  if (/(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden)(?:;|$)/u.test(css)) return true;
  const opacity = /(?:^|;)opacity:([\d.]+)(%?)/u.exec(css);
  if (opacity && Number(opacity[1]) <= (opacity[2] ? 5 : 0.05)) return true;
  if (hasTinyFont(css)) return true;
  if (/(?:^|;)text-indent:-\d{3,}/u.test(css)) return true;
  const isPlaced = /(?:^|;)position:(?:absolute|fixed)/u.test(css);
  if (isPlaced && /(?:^|;)(?:left|right|top|bottom|margin-left|margin-top):-\d{3,}/u.test(css)) return true;
  if (/(?:^|;)clip(?:-path)?:(?:rect\((?:0(?:px)?[,)]?|1px,?){4}|inset\((?:50|100)%|circle\(0)/u.test(css)) return true;
  if (/(?:^|;)transform:(?:[^;]*)scale\(0(?:,0)?\)/u.test(css)) return true;
  const isEmptyBox =
    /(?:^|;)(?:max-)?height:[01](?:px)?(?:;|$)/u.test(css) && /(?:^|;)overflow(?:-[xy])?:(?:hidden|clip)/u.test(css);
  if (isEmptyBox) return true;
  const ink = /(?:^|;)color:([^;]+)/u.exec(css)?.[1];
  if (ink === undefined) return false;
  if (ink === "transparent" || /^rgba\([^)]*,0(?:\.0+)?\)$/u.test(ink)) return true;
  const paper = /(?:^|;)background(?:-color)?:([^;]+)/u.exec(css)?.[1];
  return paper !== undefined && plainColor(ink) === plainColor(paper);
}

function hasTinyFont(css: string): boolean {
  const size = /(?:^|;)(?:font-size:|font:(?:[^;]*[a-z])?)(\d*\.?\d+)(px|pt|em|rem|%)?(?:[;/a-z"']|$)/u.exec(css);
  if (!size) return false;
  const value = Number(size[1]);
  if (size[2] === "em" || size[2] === "rem") return value <= 0.1;
  return size[2] === "%" ? value <= 10 : value <= 3 && (size[2] !== undefined || value === 0);
}

function plainColor(color: string): string {
  const named = color === "white" ? "#ffffff" : color === "black" ? "#000000" : color;
  const short = /^#([\da-f])([\da-f])([\da-f])$/u.exec(named);
  return short ? `#${short[1]}${short[1]}${short[2]}${short[2]}${short[3]}${short[3]}` : named;
}

/** The classes (`.name`) and ids (`#name`) that simple rules of a style sheet hide on every screen. */
export function hiddenByRules(css: string): readonly string[] {
  const names: string[] = [];
  const text = css.slice(0, maxCssChars).replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/gu, "");
  let depth = 0;
  let start = 0;
  let selector = "";
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (char === "{") {
      depth++;
      if (depth === 1) selector = text.slice(start, index);
      start = index + 1;
    } else if (char === "}") {
      // Rules inside `@media` and similar blocks apply only sometimes.
      if (depth === 1 && !selector.trimStart().startsWith("@") && hidesByStyle(text.slice(start, index)))
        names.push(
          ...selector
            .split(",")
            .map((each) => each.trim())
            .filter((each) => /^[.#][\w-]+$/u.test(each)),
        );
      depth = Math.max(0, depth - 1);
      start = index + 1;
    } else if (char === ";" && depth === 0) start = index + 1;
  }
  return names;
}

const maxCssChars = 200_000;
