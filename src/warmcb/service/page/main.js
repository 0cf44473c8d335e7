// The page: sign in, choose a loop, show a view.

import { address, here } from "./address.js";
import { h } from "./dom.js";
import { live } from "./live.js";
import { reachable, signIn } from "./signin.js";
import { end, session } from "./session.js";
import { VIEWS } from "./views.js";

const frame = document.getElementById("frame");
let loops = [];
let leaving = new AbortController();
let shown = null;

function start() {
  const known = session();
  if (!known) return leave("");
  const { signal } = (leaving = new AbortController());
  live({ place: frame, signal, load: () => reachable(known.loop, signal), draw: open });
}

function open(found) {
  loops = found;
  shown = null;
  show();
}

function leave(message) {
  leaving.abort();
  end();
  loops = [];
  frame.removeAttribute("aria-busy");
  document.getElementById("connection").replaceChildren();
  signIn(frame, message, open);
}

function show() {
  if (loops.length === 0) return;
  const place = here();
  if (!loops.some((one) => one.loop === place.loop)) {
    location.replace(address((loops.find((one) => one.loop !== "default") ?? loops[0]).loop));
    return;
  }
  const view = VIEWS.find((one) => one.id === place.view) ?? VIEWS[0];
  leaving.abort();
  leaving = new AbortController();
  const isMoved = shown !== null;
  const isChoosing = document.activeElement?.id === "loop"; // perhaps by keyboard, and not done yet
  const main = h("main", { id: "main", tabindex: -1 });
  frame.replaceChildren(header(place, view), main);
  document.title = `${view.title} · ${place.loop} · warmcb`;
  view.show({ main, loop: place.loop, what: place.what, signal: leaving.signal });
  if (isChoosing) document.getElementById("loop").focus();
  else if (isMoved && shown !== `${place.loop}/${view.id}/${place.what}`) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  shown = `${place.loop}/${view.id}/${place.what}`;
}

function header(place, current) {
  const choice = h(
    "select",
    { id: "loop", onchange: () => (location.hash = address(choice.value, current.id)) },
    loops.map((one) => h("option", { value: one.loop, selected: one.loop === place.loop }, one.loop)),
  );
  const links = VIEWS.map((view) =>
    h(
      "li",
      {},
      h("a", { href: address(place.loop, view.id), "aria-current": view === current ? "page" : null }, view.title),
    ),
  );
  const menu = h("nav", { id: "menu", "aria-label": "Views" }, h("ul", {}, links));
  const toggle = h(
    "button",
    { type: "button", class: "toggle", "aria-controls": "menu", "aria-expanded": "false" },
    "Menu",
  );
  toggle.addEventListener("click", () => {
    const isOpen = toggle.getAttribute("aria-expanded") === "true";
    toggle.setAttribute("aria-expanded", String(!isOpen));
    menu.classList.toggle("open", !isOpen);
  });
  return h(
    "header",
    { class: "side" },
    h("div", { class: "brand" }, h("span", { class: "mark", "aria-hidden": "true" }), "warmcb"),
    h("div", { class: "loop" }, h("label", { for: "loop" }, "Loop"), choice),
    toggle,
    menu,
    h("button", { type: "button", class: "quiet sign-out", onclick: () => leave("") }, "Forget the key"),
  );
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address is that of the view
  document.getElementById("main")?.focus();
});
addEventListener("hashchange", show);
addEventListener("wrong-key", (event) => leave(event.detail));
start();
