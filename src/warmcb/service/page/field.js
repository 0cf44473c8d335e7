// Inputs with labels and explanations.

import { h, newId } from "./dom.js";

// `make` gets the attributes that connect the parts, and returns the input. `extra` comes before the explanation.
export function field({ label, about = null, extra = null, make }) {
  const id = newId("field");
  const described = about ? `${id}-about` : null;
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    make({ id, "aria-describedby": described }),
    about ? h("p", { class: "about", id: described }, extra, extra ? " " : null, about) : null,
  );
}

export const input = (attributes) => (shared) => h("input", { ...attributes, ...shared });

// Options: [value, text].
export const select =
  (options, value, attributes = {}) =>
  (shared) =>
    h(
      "select",
      { ...attributes, ...shared },
      options.map(([one, text]) => h("option", { value: one, selected: String(one) === String(value) }, text)),
    );
