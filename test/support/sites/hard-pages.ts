import { html, type SitePages } from "./site-server.ts";

export interface HardState {
  /** Clicks, answers to dialogs and notes that pages reported. */
  readonly reports: string[];
}

const report = `<script>const report = (what) => fetch("/report", { method: "POST", body: what });</script>`;

/** Pages that are hard to read or to act on: frames, shadow trees, endless loading and scrolling, dialogs, downloads, size. */
export function hardPages(state: HardState): SitePages {
  return {
    "POST /report": ({ body }) => {
      state.reports.push(body.toString());
      return { status: 204, headers: { "access-control-allow-origin": "*" } };
    },
    "GET /report": ({ query }) => {
      state.reports.push(query.get("what") ?? "");
      return { status: 204 };
    },
    ...frames,
    ...neverStill(state),
    ...dialogs,
    ...downloads,
    ...large,
  };
}

const frames: SitePages = {
  "GET /frames": ({ otherOrigin }) =>
    html(
      "Frames and shadows",
      `<h1>Frames and shadows</h1><p>Text of the outer page.</p>
<iframe title="Same origin" src="/frames/inner?name=near" width="400" height="120"></iframe>
<iframe title="Payment" src="${otherOrigin}/frames/payment" width="400" height="200"></iframe>
<news-letter></news-letter><closed-box></closed-box>
<script>
customElements.define("news-letter", class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: "open" }); root.innerHTML = '<label>Your e-mail <input id="mail"></label><button id="go">Subscribe</button><p id="said"></p>'; root.getElementById("go").onclick = () => { report("subscribed " + root.getElementById("mail").value); root.getElementById("said").textContent = "You are subscribed"; }; } });
customElements.define("closed-box", class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: "closed" }); root.innerHTML = '<button>Closed door</button>'; root.querySelector("button").onclick = () => report("closed door opened"); } });
</script>`,
      report,
    ),
  "GET /frames/inner": ({ query }) =>
    html(
      "Inner",
      `<p>Inner text ${query.get("name")}</p><button onclick="report('inner ${query.get("name")}')">Press inner</button>`,
      report,
    ),
  "GET /frames/payment": () =>
    html(
      "Payment",
      `<form onsubmit="report('paid ' + card.value + ' ' + code.value); document.body.innerHTML = '<p>Payment accepted: P-7741</p>'; return false"><label>Card number <input name="card" id="card"></label><label>Security code <input name="code" id="code"></label><button>Pay now</button></form><iframe title="Deep" src="/frames/inner?name=deep" width="300" height="60"></iframe>`,
      report,
    ),
};

function neverStill(state: HardState): SitePages {
  return {
    "GET /app": () =>
      html(
        "Tasks",
        `<div id="root">Loading</div><p id="clock"></p>
<script>
const tasks = ["Water the plants", "Call the bank", "Renew passport"].map((name) => ({ name, done: false }));
const draw = () => { const route = location.hash || "#all"; root.innerHTML = '<h1>Tasks</h1><nav><a href="#all">All</a> <a href="#open">Open</a> <a href="#done">Done</a></nav><input id="fresh" aria-label="New task"><button id="add">Add task</button><ul>' + tasks.filter((one) => route === "#all" || one.done === (route === "#done")).map((one) => '<li><label><input type="checkbox" ' + (one.done ? "checked" : "") + ' data-name="' + one.name + '"> ' + one.name + "</label></li>").join("") + "</ul>";
add.onclick = () => { tasks.push({ name: fresh.value, done: false }); report("added " + fresh.value); draw(); };
for (const box of root.querySelectorAll("input[type=checkbox]")) box.onchange = () => { const one = tasks.find((task) => task.name === box.dataset.name); one.done = box.checked; report((one.done ? "done " : "open ") + one.name); draw(); }; };
const root = document.getElementById("root");
setTimeout(draw, 250);
addEventListener("hashchange", draw);
setInterval(() => (clock.textContent = "Now " + Math.random()), 100);
const poll = () => fetch("/app/poll?" + Math.random()).finally(() => setTimeout(poll, 50)); poll();
new EventSource("/app/events");
</script>`,
        report,
      ),
    // The response never ends: the page always has an open request.
    "GET /app/poll": () => undefined,
    "GET /app/events": ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
      return undefined;
    },
    "GET /stuck": ({ response }) => {
      response
        .writeHead(200, { "content-type": "text/html" })
        .write("<title>Stuck</title><h1>Half a page</h1><p>Visible already.</p>");
      return undefined;
    },
    "GET /feed": () =>
      html(
        "Feed",
        `<h1>Feed</h1><ul id="list"></ul><div id="end" style="height:40px">Loading more</div>
<script>
let next = 0;
const more = () => { for (let at = 0; at < 20; at++, next++) { const item = document.createElement("li"); item.style.height = "40px"; item.innerHTML = '<a href="/feed/item/' + next + '">Story ' + next + (next === 87 ? ": the lost umbrella" : "") + "</a>"; list.append(item); } };
more();
new IntersectionObserver((seen) => { if (seen[0].isIntersecting) setTimeout(more, 80); }).observe(end);
</script>`,
      ),
    "GET /feed/item/*": ({ path }) => {
      state.reports.push(`read ${path}`);
      return html("Story", `<h1>Story ${path.split("/").at(-1)}</h1><p>The umbrella was found in tram 12.</p>`);
    },
    "GET /table": () =>
      html(
        "Timetable",
        `<h1>Timetable</h1><table><caption>Departures</caption><thead><tr><th>Line</th><th>To</th><th>Leaves</th><th>Platform</th></tr></thead><tbody>${Array.from({ length: 14 }, (_, index) => `<tr><td>${10 + index}</td><td>${["Aalborg", "Brno", "Cadiz", "Delft", "Erfurt", "Faro", "Gdansk"][index % 7]}</td><td>${String(6 + index).padStart(2, "0")}:${String((index * 17) % 60).padStart(2, "0")}</td><td>${1 + ((index * 5) % 9)}</td></tr>`).join("")}</tbody></table>`,
      ),
    "GET /mail": () =>
      html(
        "Inbox",
        `<h1>Inbox</h1><style>.row{cursor:pointer}.menu ul{display:none}.menu:hover ul{display:block}</style><div id="rows">${["Invoice 5521 from Nordic Power", "Team lunch on Friday", "Your parcel is delayed", "Password changed", "Minutes of the meeting"].map((name, index) => `<div class="row" data-at="${index}">${name}</div>`).join("")}</div><div class="menu"><span>More</span><ul><li><a href="#" onclick="report('archived all'); return false">Archive all</a></li></ul></div><div id="message"></div>
<script>
for (const row of document.querySelectorAll(".row")) row.addEventListener("click", () => { message.innerHTML = "<h2>" + row.textContent + "</h2><p>" + (row.dataset.at === "0" ? "Amount due: €83.20 by 4 December." : "Nothing to do.") + '</p><label>Reply <textarea id="reply"></textarea></label><button id="send">Send reply</button>'; send.onclick = () => { report("reply " + row.dataset.at + ": " + reply.value); message.innerHTML = "<p>Reply sent</p>"; }; });
</script>`,
        report,
      ),
    "GET /tabs": () =>
      html(
        "Two tabs",
        `<h1>Two tabs</h1><a href="/tabs/code" target="_blank">Show the code</a><label>Code <input id="code"></label><button onclick="report('code ' + code.value)">Confirm code</button>`,
        report,
      ),
    "GET /tabs/code": () => html("The code", "<h1>Your code is 774-KQ</h1>"),
    "GET /covered": () =>
      html(
        "Covered",
        `<h1>Covered</h1><button id="under" onclick="report('under')">Under the banner</button><div id="banner" style="position:fixed;inset:0;background:#0008"><p>We value your privacy</p><button onclick="banner.remove()">Accept cookies</button></div>`,
        report,
      ),
  };
}

const dialogs: SitePages = {
  "GET /dialogs": () =>
    html(
      "Dialogs",
      `<h1>Dialogs</h1><button onclick="alert('Mind the gap'); report('alert closed')">Show alert</button><button onclick="report('confirm ' + confirm('Delete report 7?')); said.textContent = 'decided'">Delete report 7</button><button onclick="report('prompt ' + prompt('New name?', 'old'))">Rename</button><button id="leave">Guard this page</button><a href="/table">Leave</a><p id="said"></p><script>leave.onclick = () => { addEventListener("beforeunload", (event) => event.preventDefault()); said.textContent = "guarded"; };</script>`,
      report,
    ),
};

const attachment = (name: string, type: string, body: string | Uint8Array) => ({
  headers: { "content-type": type, "content-disposition": `attachment; filename="${name}"` },
  body,
});

const downloads: SitePages = {
  "GET /downloads": () =>
    html(
      "Downloads",
      `<h1>Downloads</h1><ul><li><a href="/downloads/report.csv">Report for October</a></li><li><a href="/downloads/escape">A file with a bad name</a></li><li><a href="/downloads/endless">A file without end</a></li><li><button id="blob">Make a file here</button></li></ul><script>blob.onclick = () => { const link = document.createElement("a"); link.href = URL.createObjectURL(new Blob(["made in the page"])); link.download = "made.txt"; link.click(); };</script>`,
    ),
  "GET /downloads/report.csv": () => attachment("report.csv", "text/csv", "day,total\n1,20\n2,22\n"),
  "GET /downloads/escape": () => attachment("../../../.bashrc", "text/plain", "echo owned\n"),
  "GET /downloads/endless": ({ response }) => {
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="endless.bin"',
    });
    const block = Buffer.alloc(256 * 1024, 7);
    const pump = () => {
      while (!response.destroyed && response.write(block));
      if (!response.destroyed) response.once("drain", pump);
    };
    pump();
    return undefined;
  },
};

const large: SitePages = {
  "GET /large": () =>
    html(
      "Five megabytes",
      `<h1>Five megabytes</h1>${Array.from({ length: 10_000 }, (_, index) => `<p id="p${index}">Paragraph ${index}: ${"lorem ipsum dolor sit amet ".repeat(18)}</p>`).join("")}<button>At the very end</button>`,
    ),
  "GET /many": ({ query }) => html("Many elements", many(Number(query.get("count") ?? "3000"))),
};

/** About `count` elements, as on a long page of search results: articles with a title, text, links and buttons. */
function many(count: number): string {
  const articles = Array.from(
    { length: Math.floor(count / 12) },
    (_, index) =>
      `<article><h2><a href="/page/${index}">Result ${index}</a></h2><p>Some words about result ${index} <b>bold</b> and <i>slanted</i>.</p><ul><li><a href="/page/${index}/a">Details</a></li><li>Seen ${index * 3} times</li></ul><button>Save ${index}</button><div onclick="void 0" style="cursor:pointer">Share ${index}</div></article>`,
  );
  return `<h1>Many elements</h1><main>${articles.join("")}</main>`;
}
