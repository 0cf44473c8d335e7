// Horizontal bars with their numbers: shares, probabilities or contributions.

import { h, s } from "./dom.js";

// Rows: {name, note, value, told, marked}. `most` is a full bar. If there are values below 0, bars start in the middle.
export function bars({ label, rows, most = Math.max(...rows.map((row) => Math.abs(row.value)), 1e-12) }) {
  const isTwoSided = rows.some((row) => row.value < 0);
  return h(
    "ul",
    { class: "bars", "aria-label": label },
    rows.map((row) => {
      const part = (Math.abs(row.value) / most) * (isTwoSided ? 50 : 100);
      const start = isTwoSided ? (row.value < 0 ? 50 - part : 50) : 0;
      const kind = row.value < 0 ? "against" : "for";
      const picture = s(
        "svg",
        { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        s("rect", { class: "rail", width: 100, height: 10 }),
        s("rect", { class: `bar ${kind}`, x: start, width: row.value === 0 ? 0 : Math.max(part, 0.4), height: 10 }),
        isTwoSided ? s("rect", { class: "middle", x: 49.8, width: 0.4, height: 10 }) : null,
      );
      return h(
        "li",
        { class: row.marked ? "marked" : null },
        h(
          "span",
          { class: "name" },
          row.name,
          row.note ? h("span", { class: "note" }, row.note) : null,
          row.marked ? h("span", { class: "badge" }, row.marked) : null,
        ),
        picture,
        h("span", { class: "told" }, row.told),
      );
    }),
  );
}
