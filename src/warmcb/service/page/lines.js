// The parts of a chart: axes, lines and bands.

import { s } from "./dom.js";
import { ticks, timeTicks } from "./scale.js";

export const HEIGHT = 240;
export const MARGIN = { top: 28, right: 20, bottom: 30, left: 46 };
const GAP = 3; // a line has a gap where this many steps are missing

export function axes(chart, x, y, range, width) {
  const { data } = chart;
  const right = width - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  const days = data.to - data.from > 2 * 86_400_000;
  const name = (t) => {
    const time = new Date(t);
    const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
    if (days || isMidnight) return time.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
    return time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  };
  return [
    ticks(...range, 4).map((value) => [
      s("line", { class: "grid", x1: MARGIN.left, x2: right, y1: y(value), y2: y(value) }),
      s("text", { x: MARGIN.left - 8, y: y(value), class: "tick left" }, chart.format(value)),
    ]),
    timeTicks(data.from, data.to, width / 110).map((t) =>
      s("text", { x: x(t), y: bottom + 20, class: "tick below" }, name(t)),
    ),
    s("line", { class: "axis", x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
    s("text", { x: 0, y: 12, class: "axis-name" }, chart.axis),
  ];
}

// The parts of a line between gaps.
function runs(points, step, isThere) {
  const found = [];
  let last = null;
  for (const point of points) {
    if (!isThere(point)) {
      last = null;
      continue;
    }
    if (last === null || (step && point.t - last.t > GAP * step)) found.push([]);
    found.at(-1).push(point);
    last = point;
  }
  return found;
}

export const known = (value) => value !== null && value !== undefined;

export function line(one, x, y, step) {
  const place = (p) => `${x(p.t).toFixed(1)} ${y(p.y).toFixed(1)}`;
  return runs(one.points, step, (p) => known(p.y)).map((run) => {
    if (run.length === 1)
      return s("circle", { class: `dot look-${one.look}`, cx: x(run[0].t), cy: y(run[0].y), r: 3 });
    const stairs = (p) => `H${x(p.t).toFixed(1)}V${y(p.y).toFixed(1)}`;
    const path = one.steps ? `M${place(run[0])}${run.slice(1).map(stairs).join("")}` : `M${run.map(place).join("L")}`;
    return s("path", { class: `line look-${one.look}`, d: path });
  });
}

export function band(one, x, y, step) {
  return runs(one.points, step, (p) => known(p.low) && known(p.high)).map((run) => {
    const up = run.map((p) => `${x(p.t).toFixed(1)} ${y(p.high).toFixed(1)}`);
    const down = run.toReversed().map((p) => `${x(p.t).toFixed(1)} ${y(p.low).toFixed(1)}`);
    return s("path", { class: `band look-${one.look}`, d: `M${[...up, ...down].join("L")}Z` });
  });
}
