// Tables. On a narrow screen each row becomes a card, whose cells have the names of their columns.

import { h } from "./dom.js";

// Columns: {name, cell: (row) => text or element, isNumber}. `key` identifies a row, so that it keeps the focus.
// Roles are explicit, since browsers drop them when rows are shown as cards.
export function table({ label, columns, rows, key = null, empty = "There is nothing here yet." }) {
  if (rows.length === 0) return h("p", { class: "empty table" }, empty);
  const kind = (one) => ({ class: one.isNumber ? "number" : null });
  const head = columns.map((one) => h("th", { scope: "col", role: "columnheader", ...kind(one) }, one.name));
  const body = rows.map((row) => {
    const cells = columns.map((one, i) => {
      const about = { "data-label": one.name, ...kind(one) };
      if (i === 0) return h("th", { scope: "row", role: "rowheader", ...about }, one.cell(row));
      return h("td", { role: "cell", ...about }, one.cell(row));
    });
    return h("tr", { role: "row", "data-key": key === null ? null : key(row) }, cells);
  });
  const group = { role: "rowgroup" };
  const parts = [h("thead", group, h("tr", { role: "row" }, head)), h("tbody", group, body)];
  return h("div", { class: "table" }, h("table", { role: "table", "aria-label": label }, parts));
}

// Redraw, and keep the focus in the same row and column.
export function keepingFocus(place, redraw) {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const row = focused?.closest("[data-key]");
  const within = row ? [...row.querySelectorAll("a, button")].indexOf(focused) : -1;
  redraw();
  if (!row) return;
  const again = [...place.querySelectorAll("[data-key]")].find((one) => one.dataset.key === row.dataset.key);
  again?.querySelectorAll("a, button")[within]?.focus();
}
