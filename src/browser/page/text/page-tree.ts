/** A page as the walk in it returns it: text and elements, without wrappers and invisible content. */
export type PageItem = string | PageNode;

export interface PageNode {
  /** An ARIA role, or `clickable`, `item` (one of several similar ones), `items`, `frame`, `term`. */
  readonly role: string;
  readonly name?: string;
  /**
   * The number of the element. In the answer of a frame: its number in the frame; in a whole tree: its number in the
   * tab.
   */
  readonly ref?: number;
  /** Such as `checked` or `disabled`. */
  readonly states?: readonly string[];
  readonly value?: string;
  /** The level of a heading. */
  readonly level?: number;
  /** The target of a link: a path on this site, or an address elsewhere. */
  readonly to?: string;
  /** The options of a select element. */
  readonly options?: readonly string[];
  readonly items?: readonly PageItem[];
  /** A line of ours that replaces the element. Never comes from a page. */
  readonly line?: string;
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
  /** Custom elements that show unreadable content: their shadow tree may be closed. */
  readonly hosts?: readonly number[];
  /** The scroll position, in pixels. */
  readonly scroll: { readonly top: number; readonly view: number; readonly height: number };
}

/** Roles that a person can use: they get a reference. */
export const usableRoles: ReadonlySet<string> = new Set(
  (
    "link button textbox searchbox checkbox radio combobox listbox option menuitem menuitemcheckbox menuitemradio tab " +
    "switch slider spinbutton treeitem clickable file disclosure date color video audio scrollable"
  ).split(" "),
);
