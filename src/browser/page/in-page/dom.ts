/** A change of the document, as the engine reports it. */
export interface DomChange {
  readonly type: string;
  readonly target: DomNode;
  readonly addedNodes: ArrayLike<DomNode> & Iterable<DomNode>;
  readonly removedNodes: ArrayLike<DomNode>;
}

/** The parts of the DOM that the programs in a page use, because the project has no browser types. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly parentNode: DomNode | null;
  readonly parentElement: DomElement | null;
  readonly childNodes: Iterable<DomNode>;
  readonly isConnected: boolean;
  readonly ownerDocument: DomDocument | null;
  getRootNode(): DomRoot;
  contains(other: DomNode | null): boolean;
}

export interface DomElement extends DomNode {
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly id: string;
  readonly classList: { readonly value: string; item(index: number): string | null };
  readonly children: ArrayLike<DomElement> & Iterable<DomElement>;
  readonly childElementCount: number;
  readonly firstElementChild: DomElement | null;
  readonly shadowRoot: DomRoot | null;
  readonly clientTop: number;
  readonly clientLeft: number;
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly scrollHeight: number;
  readonly scrollWidth: number;
  readonly offsetWidth: number;
  readonly offsetHeight: number;
  readonly tabIndex: number;
  readonly isContentEditable: boolean;
  readonly labels: Iterable<DomElement> | null;
  readonly control: DomElement | null;
  readonly options: Iterable<DomOption>;
  readonly form: DomElement | null;
  readonly validity: { readonly valid: boolean } | undefined;
  readonly href: string;
  readonly src: string;
  readonly currentSrc: string;
  readonly alt: string;
  readonly naturalWidth: number;
  readonly naturalHeight: number;
  readonly multiple: boolean | undefined;
  readonly disabled: boolean;
  readonly readOnly: boolean | undefined;
  readonly required: boolean | undefined;
  readonly selected: boolean;
  readonly indeterminate: boolean;
  readonly type: string;
  readonly min: string;
  readonly max: string;
  value: string;
  checked: boolean;
  open: boolean | undefined;
  scrollTop: number;
  scrollLeft: number;
  checkVisibility(options: object): boolean;
  getAttribute(name: string): string | null;
  getAttributeNames(): readonly string[];
  hasAttribute(name: string): boolean;
  hasAttributes(): boolean;
  matches(selector: string): boolean;
  closest(selector: string): DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  getBoundingClientRect(): DomRect;
  getClientRects(): ArrayLike<DomRect> & Iterable<DomRect>;
  scrollIntoView(options: object): void;
  scrollIntoViewIfNeeded?(isCentered: boolean): void;
  scrollBy(x: number, y: number): void;
  focus(options?: object): void;
  blur(): void;
  select?(): void;
  assignedNodes?(options?: object): readonly DomNode[];
  checkValidity?(): boolean;
  dispatchEvent(event: unknown): boolean;
  append(...nodes: readonly (DomNode | string)[]): void;
  remove(): void;
  attachShadow(options: object): DomRoot;
  setAttribute(name: string, value: string): void;
}

export interface DomOption extends DomElement {
  readonly label: string;
  readonly text: string;
  selected: boolean;
}

export interface DomRoot extends DomNode {
  readonly host?: DomElement;
  readonly activeElement: DomElement | null;
  innerHTML: string;
  elementFromPoint(x: number, y: number): DomElement | null;
  getElementById(id: string): DomElement | null;
}

export interface DomDocument extends DomRoot {
  readonly title: string;
  readonly body: DomElement | null;
  readonly documentElement: DomElement | null;
  readonly scrollingElement: DomElement | null;
  readonly readyState: string;
  readonly location: { readonly href: string; readonly host: string; readonly origin: string };
  readonly images: Iterable<DomElement>;
  createElement(name: string): DomElement;
  querySelector(selector: string): DomElement | null;
  createRange(): { selectNodeContents(node: DomNode): void };
  querySelectorAll(selector: string): Iterable<DomElement>;
}

export interface DomRect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

export interface DomStyle {
  readonly display: string;
  readonly visibility: string;
  readonly opacity: string;
  readonly cursor: string;
  readonly position: string;
  readonly overflowX: string;
  readonly overflowY: string;
  readonly clip: string;
  readonly clipPath: string;
  readonly textIndent: string;
  readonly fontSize: string;
  readonly color: string;
  readonly pointerEvents: string;
}

export interface IdlePeriod {
  timeRemaining(): number;
}

/** The global object of the isolated world in a page. */
export interface DomGlobal {
  readonly performance: { now(): number };
  readonly document: DomDocument;
  readonly innerWidth: number;
  readonly innerHeight: number;
  readonly scrollX: number;
  readonly scrollY: number;
  getComputedStyle(element: DomElement): DomStyle;
  getSelection(): { removeAllRanges(): void; addRange(range: unknown): void } | null;
  scrollBy(x: number, y: number): void;
  requestIdleCallback(listener: (idle: IdlePeriod) => void): void;
  readonly Event: new (type: string, options: object) => unknown;
  addEventListener(type: string, listener: () => void, options: object): void;
  readonly MutationObserver: new (listener: (records: readonly DomChange[]) => void) => {
    observe(target: DomNode, options: object): void;
    disconnect(): void;
  };
}
