/** A page as the walk in it found it: text and elements, without wrappers and without anything that nobody sees. */
export type PageItem = string | PageNode;

export interface PageNode {
  /** A role of ARIA, or `clickable`, `item` (one of several alike), `items`, `frame`, `term`. */
  readonly role: string;
  readonly name?: string;
  /** The number of the element. In the answer of a frame its own number there, in a whole tree that of the tab. */
  readonly ref?: number;
  /** Such as `checked` or `disabled`. */
  readonly states?: readonly string[];
  readonly value?: string;
  /** Of a heading. */
  readonly level?: number;
  /** Where a link leads: a path on this site, or an address elsewhere. */
  readonly to?: string;
  /** Of a select. */
  readonly options?: readonly string[];
  readonly items?: readonly PageItem[];
}

/** The answer of one frame. */
export interface FrameTree {
  readonly url: string;
  readonly title: string;
  readonly items: readonly PageItem[];
  /** How many elements the walk visited. */
  readonly elements: number;
  /** Set if the page is larger than the walk allows. */
  readonly isCut?: true;
  /** Where the view is, in pixels. */
  readonly scroll: { readonly top: number; readonly view: number; readonly height: number };
}

/** Roles that a person can use: they get a reference. */
export const usableRoles: ReadonlySet<string> = new Set(
  (
    "link button textbox searchbox checkbox radio combobox listbox option menuitem menuitemcheckbox menuitemradio tab " +
    "switch slider spinbutton treeitem clickable file disclosure date color video audio scrollable"
  ).split(" "),
);
