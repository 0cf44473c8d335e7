// Short messages. A word or a sign says the same as the colour.

import { h } from "./dom.js";

const SIGNS = { good: "✓", look: "!", bad: "✕", info: "i" };

export function notice(kind, ...content) {
  const role = kind === "bad" ? "alert" : "status";
  return h(
    "div",
    { class: `notice ${kind}`, role },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]),
    h("div", {}, ...content),
  );
}

export const badge = (kind, text) =>
  h(
    "span",
    { class: `badge ${kind}` },
    kind in SIGNS ? h("span", { "aria-hidden": "true" }, `${SIGNS[kind]} `) : null,
    text,
  );

export const empty = (...content) => h("p", { class: "empty" }, ...content);
