// Lines over time, with bands. Charts are drawn for the given width, so that text stays readable on any screen.
// Lines differ in dashes and name, and not in colour alone.

import { h, newId, s } from "./dom.js";
import { interval, moment, number } from "./format.js";
import { axes, band, HEIGHT, known, line, MARGIN } from "./lines.js";
import { linear, padded } from "./scale.js";
import { table } from "./table.js";

// Return a figure with a method `update(data)`.
// Data: {series: [{name, look, points: [{t, y, low, high}], steps}], from, to, range, step, empty}.
export function timeChart({ title, about, axis, floor = null, format = number }) {
  const caption = newId("chart");
  const legend = h("div", { class: "legend" });
  const place = h("div", { class: "plot" });
  const numbers = h("details", { class: "numbers" }, h("summary", {}, "Show the numbers"));
  const figure = h(
    "figure",
    { class: "chart card", "aria-labelledby": caption },
    h("figcaption", {}, h("h3", { id: caption }, title), about ? h("p", { class: "about" }, about) : null),
    legend,
    place,
    numbers,
  );
  const chart = { title, axis, floor, format, legend, place, data: null, at: null };
  const redraw = () => chart.data && draw(chart);
  new ResizeObserver(redraw).observe(place);
  numbers.addEventListener("toggle", () => showNumbers(numbers, chart));
  figure.update = (data) => {
    chart.data = { ...data, series: data.series.filter((one) => one.points.length > 0) };
    redraw();
    showNumbers(numbers, chart);
  };
  return figure;
}

function draw(chart) {
  const { data, place } = chart;
  const width = Math.max(place.clientWidth, 240);
  if (data.series.length === 0) {
    chart.legend.replaceChildren();
    place.replaceChildren(h("p", { class: "empty" }, data.empty ?? "There is nothing to show for this period yet."));
    return;
  }
  const all = data.series.flatMap((one) => one.points);
  const range =
    data.range ??
    padded(
      all.flatMap((p) => [p.y, p.low, p.high]).filter((y) => y !== null),
      chart.floor,
    );
  const x = linear([data.from, data.to], [MARGIN.left, width - MARGIN.right]);
  const y = linear(range, [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const cursor = s("line", { class: "cursor", y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom, visibility: "hidden" });
  const picture = s(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      tabindex: 0,
      role: "img",
      "aria-label": inWords(chart),
    },
    axes(chart, x, y, range, width),
    data.series.map((one) => band(one, x, y, data.step)),
    data.series.map((one) => line(one, x, y, data.step)),
    cursor,
  );
  const hadFocus = place.contains(document.activeElement);
  const { at } = chart; // the old picture loses it together with the focus
  place.replaceChildren(picture);
  chart.at = at;
  follow(chart, picture, cursor, x, width);
  if (hadFocus) picture.focus();
  tell(chart, chart.at);
}

// The pointer or the arrow keys choose a moment, and the legend shows its values.
function follow(chart, picture, cursor, x, width) {
  const times = [...new Set(chart.data.series.flatMap((one) => one.points.map((p) => p.t)))].sort((a, b) => a - b);
  const choose = (t) => {
    chart.at = t;
    cursor.setAttribute("visibility", t === null ? "hidden" : "visible");
    if (t !== null) for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(t));
    tell(chart, t);
  };
  const nearest = (place) => times.reduce((a, b) => (Math.abs(x(b) - place) < Math.abs(x(a) - place) ? b : a));
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    choose(nearest(((event.clientX - box.left) / box.width) * width));
  });
  picture.addEventListener("pointerleave", () => choose(null));
  picture.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const place = chart.at === null ? (by > 0 ? -1 : times.length) : times.indexOf(chart.at);
    choose(times[Math.max(0, Math.min(times.length - 1, place + by))]);
  });
  // Screen readers announce values chosen by keyboard, but not every update.
  picture.addEventListener("focus", () => chart.legend.setAttribute("aria-live", "polite"));
  picture.addEventListener("blur", () => {
    chart.legend.removeAttribute("aria-live");
    choose(null);
  });
  if (chart.at !== null && times.includes(chart.at)) choose(chart.at);
}

function tell(chart, at) {
  const entries = chart.data.series.map((one) => {
    const point = at === null ? one.points.findLast((p) => known(p.y)) : one.points.find((p) => p.t === at);
    const told = point && known(point.y) ? chart.format(point.y) : "–";
    const sure = point && known(point.low) ? ` (${interval(point.low, point.high)})` : "";
    const sample = s(
      "svg",
      { class: "sample", width: 28, height: 10, "aria-hidden": "true" },
      s("path", { class: `line look-${one.look}`, d: "M1 5H27" }),
    );
    return h(
      "span",
      { class: "entry" },
      sample,
      h("span", {}, one.name),
      h("b", {}, told),
      h("span", { class: "sure" }, sure),
    );
  });
  const when = at === null ? "Latest" : moment(new Date(at).toISOString(), false);
  chart.legend.replaceChildren(h("span", { class: "when" }, when), ...entries);
}

function inWords(chart) {
  const told = chart.data.series.map((one) => {
    const last = one.points.findLast((p) => known(p.y));
    return `${one.name} ${last ? chart.format(last.y) : "unknown"}`;
  });
  return `${chart.title}: line chart. Latest: ${told.join(", ")}. Arrow keys move through time.`;
}

function showNumbers(place, chart) {
  if (!place.open || !chart.data) return;
  const { series } = chart.data;
  const times = [...new Set(series.flatMap((one) => one.points.map((p) => p.t)))].sort((a, b) => b - a);
  const columns = [
    { name: "Time", cell: (t) => moment(new Date(t).toISOString(), false) },
    ...series.map((one) => {
      const byTime = new Map(one.points.map((p) => [p.t, p]));
      const cell = (t) => {
        const p = byTime.get(t);
        return p && known(p.y) ? chart.format(p.y) + (known(p.low) ? ` (${interval(p.low, p.high)})` : "") : "–";
      };
      return { name: one.name, cell, isNumber: true };
    }),
  ];
  const old = place.querySelector(".table");
  const made = table({ label: chart.title, columns, rows: times });
  if (old) old.replaceWith(made);
  else place.append(made);
}
