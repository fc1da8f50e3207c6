function tags(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

export const voidTags = tags(
  "area base basefont br col embed frame hr img input keygen link meta param source track wbr",
);

export const blockTags = tags(
  "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav noscript ol optgroup option p plaintext pre search section select summary table tbody td template tfoot th thead tr ul xmp",
);

/** An end tag of another name does not close over them. */
export const specialTags: ReadonlySet<string> = new Set([...blockTags, "button", "iframe", "object", "textarea"]);

/** A paragraph ends where one of these begins. */
export const tagsThatEndParagraphs = tags(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li dd dt main menu nav ol p plaintext pre search section table ul xmp",
);

export const headTags = tags("base basefont bgsound link meta noframes noscript script style template title");

/** They contain no text for a reader. */
export const silentTags = tags(
  "applet area audio base canvas col colgroup datalist embed frame frameset head iframe input link map meta noembed noframes object optgroup option param script select source style svg template textarea title track video",
);

/** End an `svg` element that was never closed. */
export const tagsThatLeaveSvg = tags(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li menu nobr ol p pre ruby s small span strong strike sub sup table tt u ul var article section main footer header nav",
);

export const headingTags = tags("h1 h2 h3 h4 h5 h6");
export const tableSections = tags("thead tbody tfoot");
export const cellTags = tags("td th");
