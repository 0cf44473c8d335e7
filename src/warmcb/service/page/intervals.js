// Estimates with their intervals, one below the other on a common axis.

import { h, s } from "./dom.js";
import { number } from "./format.js";
import { linear, padded, ticks } from "./scale.js";

const ROW = 34;
const MARGIN = { left: 8, right: 16, top: 6, bottom: 26 };

// Rows: {name, value, low, high, look}.
export function intervals({ label, rows }) {
  const place = h("div", { class: "plot intervals" });
  new ResizeObserver(() => draw(place, label, rows)).observe(place);
  return place;
}

function draw(place, label, rows) {
  const width = Math.max(place.clientWidth, 240);
  const height = rows.length * ROW + MARGIN.top + MARGIN.bottom;
  const range = padded(rows.flatMap((row) => [row.value, row.low, row.high]).filter((end) => end !== null));
  const x = linear(range, [MARGIN.left, width - MARGIN.right]);
  const bottom = height - MARGIN.bottom;
  const told = rows.map((row) => `${row.name} ${number(row.value)} (${number(row.low)} to ${number(row.high)})`);
  place.replaceChildren(
    s(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${label}: ${told.join("; ")}` },
      ticks(...range, width / 120).map((value) => [
        s("line", { class: "grid", x1: x(value), x2: x(value), y1: MARGIN.top, y2: bottom }),
        s("text", { class: "tick below", x: x(value), y: bottom + 18 }, number(value)),
      ]),
      rows.map((row, i) => one(row, x, MARGIN.top + i * ROW, width)),
    ),
  );
}

function one(row, x, top, width) {
  if (row.value === null)
    return s("text", { class: "mark-name", x: MARGIN.left, y: top + 12 }, `${row.name}: no estimate`);
  const middle = top + 24;
  const isRight = x(row.low ?? row.value) > width / 2;
  const at = isRight ? x(row.high ?? row.value) : x(row.low ?? row.value);
  const end = (value) =>
    s("line", { class: `line look-${row.look}`, x1: x(value), x2: x(value), y1: middle - 4, y2: middle + 4 });
  return [
    s("text", { class: isRight ? "mark-name right" : "mark-name", x: at, y: top + 12 }, row.name),
    row.low === null
      ? null
      : [
          s("line", {
            class: `line solid look-${row.look}`,
            x1: x(row.low),
            x2: x(row.high),
            y1: middle,
            y2: middle,
          }),
          end(row.low),
          end(row.high),
        ],
    s("circle", { class: `dot look-${row.look}`, cx: x(row.value), cy: middle, r: 5 }),
  ];
}
