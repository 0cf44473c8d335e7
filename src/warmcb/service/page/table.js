// Tables. On a narrow screen each row becomes a card, whose cells carry the names of their columns.

import { h } from "./dom.js";

// Columns: {name, cell: (row) => text or element, isNumber}. `key` names a row, so that focus stays when it is redrawn.
export function table({ label, columns, rows, key = null, empty = "There is nothing here yet." }) {
  if (rows.length === 0) return h("p", { class: "empty table" }, empty);
  const head = columns.map((one) => h("th", { scope: "col", class: one.isNumber ? "number" : null }, one.name));
  const body = rows.map((row) => {
    const cells = columns.map((one, i) => {
      const about = { "data-label": one.name, class: one.isNumber ? "number" : null };
      return i === 0 ? h("th", { scope: "row", ...about }, one.cell(row)) : h("td", about, one.cell(row));
    });
    return h("tr", { "data-key": key === null ? null : key(row) }, cells);
  });
  return h("div", { class: "table" }, h("table", { "aria-label": label }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

// Redraw, and put the focus back to the same row and column.
export function keepingFocus(place, redraw) {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const row = focused?.closest("[data-key]");
  const within = row ? [...row.querySelectorAll("a, button")].indexOf(focused) : -1;
  redraw();
  if (!row) return;
  const again = [...place.querySelectorAll("[data-key]")].find((one) => one.dataset.key === row.dataset.key);
  again?.querySelectorAll("a, button")[within]?.focus();
}
