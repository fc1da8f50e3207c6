import { html, redirect, type SitePages, type SiteRequest } from "./site-server.ts";

export interface Product {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly cents: number;
  readonly stars: number;
  readonly watts: number;
}

export interface Order {
  readonly account: string;
  readonly items: readonly string[];
  readonly street: string;
  readonly delivery: string;
}

export interface ShopState {
  readonly orders: Order[];
  readonly carts: Map<string, string[]>;
  readonly signIns: string[];
  readonly bookings: Readonly<Record<string, string>>[];
}

export const shopPassword = "correct-horse-7";
const categories = ["Kettles", "Lamps", "Radios", "Toasters"];
const makers = ["Aster", "Borel", "Cirrus", "Dahlia", "Elmo", "Fjord"];
const perPage = 8;

/** 48 products whose figures have no guessable order. */
export const products: readonly Product[] = Array.from({ length: 48 }, (_, index) => {
  const category = categories[index % categories.length] ?? "";
  const maker = makers[Math.floor(index / 4) % makers.length] ?? "";
  return {
    id: index + 1,
    name: `${maker} ${category.slice(0, -1)} ${100 + ((index * 37) % 89)}`,
    category,
    cents: 1290 + ((index * 7919) % 9000),
    stars: 1 + ((index * 13) % 41) / 10,
    watts: 20 + ((index * 131) % 1800),
  };
});

export const price = ({ cents }: Product): string => `€${(cents / 100).toFixed(2)}`;

export function shop(state: ShopState): SitePages {
  const session = (request: SiteRequest) => request.cookies["sid"] ?? "";
  const account = (request: SiteRequest) => request.cookies["account"];
  const cart = (request: SiteRequest) => state.carts.get(session(request)) ?? [];
  const frame = (request: SiteRequest, title: string, body: string) => {
    const sid = session(request) || `s${state.carts.size + 1}`;
    if (!state.carts.has(sid)) state.carts.set(sid, []);
    const answer = html(
      `${title} - Corner Shop`,
      `${header(account(request), cart(request).length)}<main><h1>${title}</h1>${body}</main>${footer}`,
    );
    return { ...answer, headers: { "set-cookie": `sid=${sid}; Path=/` } };
  };
  const byPath = ({ path }: SiteRequest) => products.find(({ id }) => path.endsWith(`/${id}`));

  return {
    "GET /shop": (request) => {
      const query = request.query;
      const words = (query.get("q") ?? "").toLowerCase();
      const category = query.get("category") ?? "";
      const listed = products
        .filter((one) => one.name.toLowerCase().includes(words) && (category === "" || one.category === category))
        .toSorted((a, b) =>
          query.get("sort") === "price"
            ? a.cents - b.cents
            : query.get("sort") === "stars"
              ? b.stars - a.stars
              : a.id - b.id,
        );
      const page = Number(query.get("page") ?? "1");
      const pages = Math.max(1, Math.ceil(listed.length / perPage));
      const link = (number: number) => {
        const next = new URLSearchParams(query);
        next.set("page", String(number));
        return `/shop?${next.toString()}`;
      };
      const items = listed
        .slice((page - 1) * perPage, page * perPage)
        .map(
          (one) =>
            `<li class="card"><img src="/picture.svg" alt="${one.name}" width="40" height="40"><a href="/shop/product/${one.id}">${one.name}</a> <b>${price(one)}</b> <span>${one.stars.toFixed(1)} of 5 stars</span><form method="post" action="/shop/cart"><input type="hidden" name="id" value="${one.id}"><button>Add ${one.name} to cart</button></form></li>`,
        )
        .join("");
      const pager = `<nav aria-label="Pages">${page > 1 ? `<a href="${link(page - 1)}">Previous</a>` : ""} ${Array.from({ length: pages }, (_, index) => (index + 1 === page ? `<b>${index + 1}</b>` : `<a href="${link(index + 1)}">${index + 1}</a>`)).join(" ")} ${page < pages ? `<a href="${link(page + 1)}">Next</a>` : ""}</nav>`;
      const filter = `<form action="/shop"><label>Category <select name="category"><option value="">All</option>${categories.map((one) => `<option${one === category ? " selected" : ""}>${one}</option>`).join("")}</select></label><label>Sort by <select name="sort"><option value="">Default</option><option value="price"${query.get("sort") === "price" ? " selected" : ""}>Price</option><option value="stars"${query.get("sort") === "stars" ? " selected" : ""}>Stars</option></select></label><button>Apply</button></form>`;
      return frame(
        request,
        "Products",
        `${filter}<p>${listed.length} products, page ${page} of ${pages}</p><ul>${items}</ul>${pager}`,
      );
    },
    "GET /shop/product/*": (request) => {
      const one = byPath(request);
      if (!one) return { ...html("Not found", "<h1>No such product</h1>"), status: 404 };
      const rows = [
        ["Price", price(one)],
        ["Stars", one.stars.toFixed(1)],
        ["Power", `${one.watts} W`],
        ["Category", one.category],
      ];
      return frame(
        request,
        one.name,
        `<table><caption>Facts</caption>${rows.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join("")}</table><p>${prose(one.id)}</p><form method="post" action="/shop/cart"><input type="hidden" name="id" value="${one.id}"><label>Quantity <input type="number" name="quantity" value="1" min="1" max="9"></label><button>Add to cart</button></form><h2>Others also bought</h2><ul>${products
          .slice(one.id % 40, (one.id % 40) + 6)
          .map((other) => `<li><a href="/shop/product/${other.id}">${other.name}</a> ${price(other)}</li>`)
          .join("")}</ul>`,
      );
    },
    "POST /shop/cart": (request) => {
      const one = products.find(({ id }) => id === Number(request.fields.get("id")));
      const sid = session(request);
      const count = Number(request.fields.get("quantity") ?? "1");
      if (one) state.carts.set(sid, [...cart(request), ...Array.from({ length: count }, () => one.name)]);
      return redirect("/shop/cart");
    },
    "POST /shop/cart/remove": (request) => {
      const name = request.fields.get("name");
      state.carts.set(
        session(request),
        cart(request).filter((item) => item !== name),
      );
      return redirect("/shop/cart");
    },
    "GET /shop/cart": (request) => {
      const rows = cart(request)
        .map(
          (name) =>
            `<tr><td>${name}</td><td>${price(products.find((one) => one.name === name) ?? products[0]!)}</td><td><form method="post" action="/shop/cart/remove"><input type="hidden" name="name" value="${name}"><button>Remove ${name}</button></form></td></tr>`,
        )
        .join("");
      return frame(request, "Your cart", `<table>${rows}</table><a href="/shop/checkout">Go to checkout</a>`);
    },
    "GET /shop/login": (request) =>
      frame(
        request,
        "Sign in",
        `${request.query.has("bad") ? '<p role="alert">Wrong name or password</p>' : ""}<form method="post" action="/shop/login"><label>Name <input name="name" autocomplete="username"></label><label>Password <input type="password" name="password"></label><label><input type="checkbox" name="stay"> Stay signed in</label><button>Sign in</button></form>`,
      ),
    "POST /shop/login": (request) => {
      const name = request.fields.get("name") ?? "";
      if (request.fields.get("password") !== shopPassword) return redirect("/shop/login?bad");
      state.signIns.push(name);
      return redirect("/shop/account", { "set-cookie": `account=${encodeURIComponent(name)}; Path=/; HttpOnly` });
    },
    "GET /shop/account": (request) => {
      const name = account(request);
      if (name === undefined) return redirect("/shop/login");
      const mine = state.orders.filter((order) => order.account === name);
      return frame(
        request,
        `Account of ${name}`,
        `<p>Customer number 40${name.length}17</p><ul>${mine.map((order) => `<li>${order.items.join(", ")} to ${order.street}</li>`).join("")}</ul>`,
      );
    },
    "GET /shop/checkout": (request) => {
      if (account(request) === undefined) return redirect("/shop/login");
      return frame(
        request,
        "Checkout",
        `<form method="post" action="/shop/checkout"><label>Street <input name="street" required></label><fieldset><legend>Delivery</legend><label><input type="radio" name="delivery" value="post" checked> Post</label><label><input type="radio" name="delivery" value="courier"> Courier</label></fieldset><label><input type="checkbox" name="terms" required> I accept the terms</label><button>Place order</button></form>`,
      );
    },
    "POST /shop/checkout": (request) => {
      const { fields } = request;
      if (account(request) === undefined || fields.get("terms") !== "on") return redirect("/shop/checkout");
      state.orders.push({
        account: account(request) ?? "",
        items: cart(request),
        street: fields.get("street") ?? "",
        delivery: fields.get("delivery") ?? "",
      });
      state.carts.set(session(request), []);
      return frame(request, "Thank you", `<p>Your order number is H-${1000 + state.orders.length}.</p>`);
    },
    "GET /hotel": (request) =>
      frame(
        request,
        "Book a room",
        `<form method="post" action="/hotel"><label>Arrival <input type="date" name="arrival" required></label><label>Departure <input type="date" name="departure" required></label><label>Guests <input type="number" name="guests" value="1"></label><label>Room <select name="room"><option>Single</option><option>Double</option><option>Suite</option></select></label><label>E-mail <input type="email" name="email" required></label><button>Book now</button></form>`,
      ),
    "POST /hotel": (request) => {
      state.bookings.push(Object.fromEntries(request.fields));
      return frame(
        request,
        "Booked",
        `<p>Your booking code is ROOM-${state.bookings.length}${request.fields.get("guests")}.</p>`,
      );
    },
    "GET /picture.svg": () => ({
      headers: { "content-type": "image/svg+xml" },
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#c84"/></svg>',
    }),
  };
}

function header(account: string | undefined, items: number): string {
  const links = [
    ...categories.map((one) => `<a href="/shop?category=${one}">${one}</a>`),
    '<a href="/shop">All products</a>',
    '<a href="/hotel">Hotel</a>',
    '<a href="/help">Help</a>',
    '<a href="/shop/cart">Cart (' + items + ")</a>",
  ];
  const who = account === undefined ? '<a href="/shop/login">Sign in</a>' : `<a href="/shop/account">${account}</a>`;
  return `<header><nav aria-label="Main">${links.join(" ")} ${who}</nav><form action="/shop" role="search"><input type="search" name="q" aria-label="Search products"><button>Search</button></form></header>`;
}

const footer = `<footer>${["About us", "Careers", "Press", "Terms", "Privacy", "Cookies", "Contact", "Returns", "Shipping", "Gift cards", "Stores", "Newsletter"].map((name) => `<a href="/page/${name.toLowerCase().replace(" ", "-")}">${name}</a>`).join(" ")}<p>Corner Shop, 12 Harbour Road. All prices include tax.</p></footer>`;

function prose(seed: number): string {
  const words = ["sturdy", "bright", "quiet", "light", "plain", "warm", "handy", "compact"];
  return Array.from(
    { length: 24 },
    (_, index) => `It is ${words[(seed * 5 + index * 3) % words.length]} and ${words[(seed + index) % words.length]}.`,
  ).join(" ");
}
