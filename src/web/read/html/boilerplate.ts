import type { PageElement } from "./page-element.ts";

/** Whether the tag, role, class or id of an element marks it as navigation, sharing, advertising or the like. */
export function isBesideContent(element: PageElement): boolean {
  const { tag } = element;
  if (tag === "nav" || tag === "search" || (tag === "footer" && !isInArticle(element))) return true;
  if (tag === "header" || tag === "body" || tag === "html" || tag === "main")
    return tag === "header" && isSiteHeader(element);
  if (element.attributes.length === 0) return false;
  const role = element.attribute("role");
  if (role !== undefined && besideRoles.has(role)) return true;
  return hintOf(element) < 0;
}

/** Below zero: the names suggest that it is not content. Above zero: that it is content. */
function hintOf(element: PageElement): number {
  const names = `${element.attribute("class") ?? ""} ${element.attribute("id") ?? ""}`;
  if (names === " ") return 0;
  if (toolNames.test(names)) return -1;
  const words = names
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .replaceAll(otherParts, " ")
    .toLowerCase();
  if (besideNames.test(words)) return contentNames.test(words) ? 0 : -1;
  return contentNames.test(words) ? 1 : 0;
}

function isInArticle(element: PageElement): boolean {
  for (let up = element.parent; up; up = up.parent)
    if (up.tag === "article" || up.tag === "main" || up.tag === "blockquote") return true;
  return false;
}

function isSiteHeader(element: PageElement): boolean {
  return element.attribute("role") === "banner" || (!isInArticle(element) && element.linkSize * 2 > element.textSize);
}

const besideRoles: ReadonlySet<string> = new Set(
  "navigation banner contentinfo search complementary menu menubar toolbar dialog alertdialog tablist".split(" "),
);

/** Whole words of class names and ids. */
const besideNames = new RegExp(
  String.raw`(?:^|[\s_-])(?:nav|navbar|navigation|navheader|navfooter|navlinks?|docnav|topnav|subnav|globalnav|menu|menus|submenu|sidebar|sidebars|side-bar|sidenav|sphinxsidebar|sidetoc|breadcrumbs?|crumbs?|footer|foot|masthead|share|sharing|sharebar|sharetools|sharethis|addthis|addtoany|social|socials|socialbar|related|relatedlinks|recommended|recommendations|promo|promos|promotion|advert|adverts|advertisement|advertising|ad|ads|adsense|adbox|adslot|dfp|sponsor|sponsored|sponsors|newsletter|subscribe|subscription|signup|sign-up|login|cookie|cookies|consent|gdpr|popup|pop-up|modal|lightbox|overlay|disqus|comments?|commentlist|comentarios?|commentaires?|kommentare?|reacties|respond|toolbar|toolbox|pagination|pager|paging|skip|skiplinks?|skip-link|widget|widgets|rail|rightrail|right-rail|outbrain|taboola|trending|mostpopular|most-popular|most-read|mostread|mostviewed|popular|tags|taglist|tagcloud|byline-share|print|printfriendly|emailthis|tools|utility|utilities|hidden|noprint|editsection|mobile-menu|headerlink|back-to-top|feedback|rating|ratings|poll|ticker|carousel|teasers?|flyout|dropdown)(?:$|[\s_-])`,
  "u",
);
/** Names that describe what an element contains or accompanies. */
const otherParts = /(?<![\w-])(?:has|with|without|no|show)-[\w-]+/gu;
/** Controls of documentation tools. */
const toolNames = /(?:^|\s)(?:srclink|test-arrow|hideme|collapse-toggle)(?:$|\s)/u;
const contentNames =
  /(?:^|[\s_-])(?:article|articlebody|article-body|article-text|body|bodytext|content|contents|entry|entry-content|hentry|main|maincontent|page|post|post-body|postbody|story|storybody|text|blog|markdown|markdown-body|prose|document|chapter|section|sect1|sect2)(?:$|[\s_-])/u;
