import { price, products, shopPassword } from "../../test/support/sites/shop.ts";
import type { SiteState } from "../../test/support/sites/sites.ts";

/** An element as a model would refer to it: by its kind and its visible name. */
export interface Target {
  readonly kind: "button" | "link" | "field" | "any";
  readonly name: string;
}

/** One step of a task, as a model would decide it. Each browser under test executes it with its own calls. */
export type Step =
  | { readonly do: "open"; readonly path: string }
  | { readonly do: "click"; readonly on: Target }
  | { readonly do: "type"; readonly on: Target; readonly text: string; readonly submits?: boolean }
  | { readonly do: "fill"; readonly fields: readonly (readonly [string, string | boolean])[]; readonly submit: string }
  | { readonly do: "select"; readonly on: Target; readonly option: string }
  | { readonly do: "scroll" }
  | { readonly do: "back" }
  | { readonly do: "dialog"; readonly accepts: boolean; readonly text?: string }
  | { readonly do: "hover"; readonly on: Target }
  | { readonly do: "upload"; readonly on: Target; readonly name: string; readonly text: string }
  | { readonly do: "download"; readonly on: Target }
  | { readonly do: "first_tab" }
  /** The model must have read this text before it can continue or answer. */
  | { readonly do: "read"; readonly text: RegExp };

export interface Task {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Success is checked on the server, not in the browser. Undefined for tasks that only read. */
  readonly isDone?: (state: SiteState) => boolean;
}

const open = (path: string): Step => ({ do: "open", path });
const press = (name: string): Step => ({ do: "click", on: { kind: "button", name } });
const follow = (name: string): Step => ({ do: "click", on: { kind: "link", name } });
const touch = (name: string): Step => ({ do: "click", on: { kind: "any", name } });
const type = (name: string, text: string, submits = false): Step => ({
  do: "type",
  on: { kind: "field", name },
  text,
  submits,
});
const select = (name: string, option: string): Step => ({ do: "select", on: { kind: "field", name }, option });
const read = (text: RegExp): Step => ({ do: "read", text });
const exactly = (text: string): RegExp => new RegExp(RegExp.escape(text), "u");

const toasters = products.filter(({ category }) => category === "Toasters");
const cheapest = toasters.toSorted((a, b) => a.cents - b.cents)[0]!;
const last = products.at(-1)!;
const [left, right] = [products[4]!, products[5]!];
const searched = products[20]!;

export const tasks: readonly Task[] = [
  {
    name: "find: the price of a product by search",
    steps: [open("/shop"), type("Search products", searched.name, true), read(exactly(price(searched)))],
  },
  {
    name: "filter: the cheapest toaster",
    steps: [
      open("/shop"),
      select("Category", "Toasters"),
      select("Sort by", "Price"),
      press("Apply"),
      read(exactly(cheapest.name)),
      read(exactly(price(cheapest))),
    ],
  },
  {
    name: "paginate: the last product of six pages",
    steps: [
      open("/shop"),
      follow("Next"),
      follow("Next"),
      follow("Next"),
      follow("Next"),
      follow("Next"),
      read(exactly(price(last))),
    ],
  },
  {
    name: "compare: the power of two products",
    steps: [
      open("/shop"),
      follow(left.name),
      read(exactly(`${left.watts} W`)),
      { do: "back" },
      follow(right.name),
      read(exactly(`${right.watts} W`)),
    ],
  },
  {
    name: "cart: two of one product",
    steps: [open(`/shop/product/${left.id}`), type("Quantity", "2"), press("Add to cart")],
    isDone: ({ carts }) => [...carts.values()].some((items) => items.filter((item) => item === left.name).length === 2),
  },
  {
    name: "log in",
    steps: [
      open("/shop"),
      follow("Sign in"),
      {
        do: "fill",
        fields: [
          ["Name", "ada"],
          ["Password", shopPassword],
        ],
        submit: "Sign in",
      },
      read(/Customer number 40317/u),
    ],
    isDone: ({ signIns }) => signIns.includes("ada"),
  },
  {
    name: "log in after a wrong password",
    steps: [
      open("/shop/login"),
      {
        do: "fill",
        fields: [
          ["Name", "bob"],
          ["Password", "wrong"],
        ],
        submit: "Sign in",
      },
      read(/Wrong name or password/u),
      {
        do: "fill",
        fields: [
          ["Name", "bob"],
          ["Password", shopPassword],
        ],
        submit: "Sign in",
      },
    ],
    isDone: ({ signIns }) => signIns.includes("bob"),
  },
  {
    name: "buy: from the search to the order number",
    steps: [
      open("/shop/login"),
      {
        do: "fill",
        fields: [
          ["Name", "cleo"],
          ["Password", shopPassword],
        ],
        submit: "Sign in",
      },
      type("Search products", right.name, true),
      press(`Add ${right.name} to cart`),
      follow("Go to checkout"),
      {
        do: "fill",
        fields: [
          ["Street", "5 Mill Lane"],
          ["Courier", true],
          ["I accept the terms", true],
        ],
        submit: "Place order",
      },
      read(/order number is H-\d+/u),
    ],
    isDone: ({ orders }) =>
      orders.some(
        ({ account, delivery, street, items }) =>
          account === "cleo" && delivery === "courier" && street === "5 Mill Lane" && items[0] === right.name,
      ),
  },
  {
    name: "book a room",
    steps: [
      open("/hotel"),
      {
        do: "fill",
        fields: [
          ["Arrival", "2027-03-04"],
          ["Departure", "2027-03-09"],
          ["Guests", "3"],
          ["Room", "Suite"],
          ["E-mail", "a@b.example"],
        ],
        submit: "Book now",
      },
      read(/ROOM-\d+3/u),
    ],
    isDone: ({ bookings }) =>
      bookings.some((one) => one["arrival"] === "2027-03-04" && one["room"] === "Suite" && one["guests"] === "3"),
  },
  {
    name: "fill: a form with many kinds of fields",
    steps: [
      open("/form"),
      {
        do: "fill",
        fields: [
          ["Full name", "Grace H"],
          ["E-mail", "g@h.example"],
          ["Age", "44"],
          ["Birthday", "1980-12-09"],
          ["Letter", "Dear all"],
          ["Country", "Italy"],
          ["Medium", true],
          ["Greeting card", true],
        ],
        submit: "Send everything",
      },
      read(/Form number F-\d+/u),
    ],
    isDone: ({ forms }) =>
      forms.some(
        (one) =>
          one.get("name") === "Grace H" &&
          one.get("country") === "it" &&
          one.get("size") === "m" &&
          one.get("extra") === "card" &&
          one.get("birthday") === "1980-12-09",
      ),
  },
  {
    name: "widgets: a switch, a list of divs and a click target without a role",
    steps: [
      open("/form"),
      type("Full name", "Wid"),
      touch("Express"),
      touch("Favourite colour"),
      touch("Indigo"),
      touch("One more guest"),
      press("Send everything"),
    ],
    isDone: ({ forms }) =>
      forms.some(
        (one) =>
          one.get("name") === "Wid" &&
          one.get("express") === "on" &&
          one.get("colour") === "Indigo" &&
          one.get("guests") === "1",
      ),
  },
  { name: "extract a table", steps: [open("/table"), read(/Aalborg.*06:00/su), read(/Gdansk.*19:41/su)] },
  {
    name: "iframe of another origin: pay",
    steps: [
      open("/frames"),
      {
        do: "fill",
        fields: [
          ["Card number", "4111"],
          ["Security code", "987"],
        ],
        submit: "Pay now",
      },
      read(/P-7741/u),
    ],
    isDone: ({ reports }) => reports.includes("paid 4111 987"),
  },
  {
    name: "shadow DOM: subscribe",
    steps: [open("/frames"), type("Your e-mail", "me@x.example"), press("Subscribe"), read(/You are subscribed/u)],
    isDone: ({ reports }) => reports.includes("subscribed me@x.example"),
  },
  {
    name: "single-page app that never stops loading",
    steps: [
      open("/app"),
      type("New task", "Buy stamps"),
      press("Add task"),
      touch("Call the bank"),
      follow("Done"),
      read(/Call the bank/u),
    ],
    isDone: ({ reports }) => reports.includes("added Buy stamps") && reports.includes("done Call the bank"),
  },
  {
    name: "infinite scroll: story 87",
    steps: [
      open("/feed"),
      { do: "scroll" },
      { do: "scroll" },
      { do: "scroll" },
      { do: "scroll" },
      { do: "scroll" },
      follow("Story 87: the lost umbrella"),
      read(/tram 12/u),
    ],
    isDone: ({ reports }) => reports.includes("read /feed/item/87"),
  },
  {
    name: "dialogs: confirm and prompt",
    steps: [
      open("/dialogs"),
      press("Delete report 7"),
      { do: "dialog", accepts: true },
      press("Rename"),
      { do: "dialog", accepts: true, text: "fresh" },
    ],
    isDone: ({ reports }) => reports.includes("confirm true") && reports.includes("prompt fresh"),
  },
  {
    name: "mail: read an amount and reply",
    steps: [
      open("/mail"),
      touch("Invoice 5521 from Nordic Power"),
      read(/€83\.20/u),
      type("Reply", "Paid today"),
      press("Send reply"),
    ],
    isDone: ({ reports }) => reports.includes("reply 0: Paid today"),
  },
  {
    name: "two tabs: carry a code over",
    steps: [
      open("/tabs"),
      follow("Show the code"),
      read(/774-KQ/u),
      { do: "first_tab" },
      type("Code", "774-KQ"),
      press("Confirm code"),
    ],
    isDone: ({ reports }) => reports.includes("code 774-KQ"),
  },
  {
    name: "cookie banner in the way, then upload a file",
    steps: [
      open("/covered"),
      press("Accept cookies"),
      press("Under the banner"),
      open("/form"),
      { do: "upload", on: { kind: "any", name: "Attachment" }, name: "cv.txt", text: "my life" },
      type("Full name", "Up"),
      press("Send everything"),
    ],
    isDone: ({ reports, forms }) =>
      reports.includes("under") &&
      forms.some((one) => one.get("attachment") === "cv.txt:7" && one.get("name") === "Up"),
  },
];
