import type { DomElement, DomGlobal, DomNode, DomRect, DomRoot } from "./dom.ts";

/**
 * Reads nodes through the accessors and methods of the prototypes, because an input named "children" hides that
 * property of its form. Runs in the page, so it may use only its parameters.
 */
export interface NodeAccess {
  tagOf(element: DomElement): string;
  /** Empty if the element has no attribute of this name. */
  attribute(element: DomElement, name: string): string;
  hasAttribute(element: DomElement, name: string): boolean;
  hasAttributes(element: DomElement): boolean;
  attributeNamesOf(element: DomElement): readonly string[];
  firstChildOf(node: DomNode): DomNode | null;
  nextOf(node: DomNode): DomNode | null;
  childrenOf(node: DomNode): readonly DomNode[];
  /** How many child elements the element has. */
  childCountOf(element: DomElement): number;
  shadowOf(element: DomElement): DomRoot | null;
  isElement(node: DomNode): node is DomElement;
  /** The first descendant that matches. */
  findIn(element: DomElement, selector: string): DomElement | null;
  boxOf(element: DomElement): DomRect;
}

export function createNodeAccess(page: DomGlobal): NodeAccess {
  const prototypes = page as unknown as Record<string, { prototype: object }>;
  const accessor = <T>(type: string, name: string) => {
    const getter = Object.getOwnPropertyDescriptor(prototypes[type]?.prototype ?? {}, name)?.get;
    return (node: DomNode): T => getter?.call(node) as T;
  };
  const { prototype } = prototypes["Element"] as { prototype: DomElement };
  const { getAttribute, hasAttribute, hasAttributes, getAttributeNames, querySelector, getBoundingClientRect } =
    prototype;
  const typeOf = accessor<number>("Node", "nodeType");
  const firstChildOf = accessor<DomNode | null>("Node", "firstChild");
  const nextOf = accessor<DomNode | null>("Node", "nextSibling");
  return {
    tagOf: accessor<string>("Element", "localName"),
    attribute: (element, name) => getAttribute.call(element, name) ?? "",
    hasAttribute: (element, name) => hasAttribute.call(element, name),
    hasAttributes: (element) => hasAttributes.call(element),
    attributeNamesOf: (element) => getAttributeNames.call(element),
    firstChildOf,
    nextOf,
    // Ten times faster than the iterator of the live list.
    childrenOf(node) {
      const children: DomNode[] = [];
      for (let child = firstChildOf(node); child; child = nextOf(child)) children.push(child);
      return children;
    },
    childCountOf: accessor<number>("Element", "childElementCount"),
    shadowOf: accessor<DomRoot | null>("Element", "shadowRoot"),
    isElement: (node): node is DomElement => typeOf(node) === 1,
    findIn: (element, selector) => querySelector.call(element, selector),
    boxOf: (element) => getBoundingClientRect.call(element),
  };
}
