import { type PageElement, elementText } from "./page-element.ts";

/**
 * Whether the page has little text and scripts that would create it, or says so itself. Call it after `measurePage`.
 */
export function needsScript(root: PageElement): boolean {
  const signs = { scripts: 0, hasEmptyApp: false, asksForScript: false };
  look(root, signs);
  if (signs.scripts === 0) return false;
  const size = root.textSize;
  if (size < maxEmptyChars) return true;
  if (signs.hasEmptyApp) return size < maxShellChars;
  return signs.asksForScript && size < maxShellChars / 2;
}

function look(element: PageElement, signs: { scripts: number; hasEmptyApp: boolean; asksForScript: boolean }): void {
  for (const child of element.elements()) {
    if (child.tag === "script") {
      const type = child.attribute("type") ?? "";
      if (type === "" || /javascript|module/iu.test(type)) signs.scripts++;
    } else if (child.tag === "noscript") signs.asksForScript ||= /javascript|\bJS\b/iu.test(allText(child));
    else {
      if (child.textSize < maxEmptyChars && appRoot.test(child.attribute("id") ?? "")) signs.hasEmptyApp = true;
      look(child, signs);
    }
  }
  if (element.tag === "body" && !signs.asksForScript && element.textSize < maxShellChars)
    signs.asksForScript =
      /(?:enable|requires?|turn on|need)\s+(?:\w+\s+){0,3}javascript|javascript\s+(?:is|to be)\s+(?:\w+\s+)?(?:required|disabled|enabled)/iu.test(
        elementText(element),
      );
}

function allText(element: PageElement): string {
  let text = "";
  for (const child of element.children) text += typeof child === "string" ? child : allText(child);
  return text.slice(0, 4096);
}

/** Ids of the elements that frameworks fill. */
const appRoot =
  /^(?:root|app|application|__next|__nuxt|gatsby-focus-wrapper|svelte|ember-application|q-app|react-root|main-app|app-root|mount|js-app)$/iu;
const maxEmptyChars = 200;
const maxShellChars = 1500;
