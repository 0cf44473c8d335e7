// How many hours to show. The choice lasts for the browser session.

import { h } from "./dom.js";

const PERIODS = [
  [1, "Last hour"],
  [6, "Last 6 hours"],
  [24, "Last 24 hours"],
  [168, "Last 7 days"],
];
const NAME = "warmcb-hours";

export const hours = () => Number(sessionStorage.getItem(NAME) ?? 24);

export function periodChoice(changed) {
  const choice = h(
    "select",
    { "aria-label": "Period", id: "period" },
    PERIODS.map(([n, text]) => h("option", { value: n, selected: n === hours() }, text)),
  );
  choice.addEventListener("change", () => {
    sessionStorage.setItem(NAME, choice.value);
    changed();
  });
  return choice;
}

export const inPeriod = () => (PERIODS.find(([n]) => n === hours())?.[1] ?? `Last ${hours()} hours`).toLowerCase();
