// The most important numbers, in large type.

import { h } from "./dom.js";

// Tiles: {name, value, note}.
export const tiles = (all) =>
  h(
    "dl",
    { class: "tiles" },
    all.map(({ name, value, note }) =>
      h(
        "div",
        { class: "tile" },
        h("dt", {}, name),
        h("dd", {}, h("span", { class: "value" }, value), h("span", { class: "note" }, note)),
      ),
    ),
  );
