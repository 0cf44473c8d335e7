// The title of a view, a sentence about it, and its controls.

import { h } from "./dom.js";

export const heading = (title, about, ...tools) =>
  h(
    "div",
    { class: "heading" },
    h("div", {}, h("h1", {}, title), about ? h("p", { class: "about" }, about) : null),
    tools.length > 0 ? h("div", { class: "tools" }, ...tools) : null,
  );
