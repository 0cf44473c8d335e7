// What is known about a loop: its figures, and what its mode can tell.

import { address } from "./address.js";
import { h } from "./dom.js";
import { count, duration, interval, moment, number, percent, short, signed } from "./format.js";
import { modeOf } from "./modes.js";
import { badge } from "./notice.js";
import { inPeriod } from "./period.js";
import { tiles } from "./tiles.js";
import { trustTile } from "./trust.js";

export function figures({ gain, delays, counts, ...report }) {
  const isKnown = gain.value !== null;
  return tiles([
    {
      name: `Decisions, ${inPeriod()}`,
      value: short(counts.decisions),
      note: `${short(counts.rewarded)} were rewarded`,
    },
    {
      name: "Gain over the baseline",
      value: isKnown ? signed(gain.value) : "not known",
      note: isKnown ? `95 %: ${interval(gain.low, gain.high)}` : "See the reason below.",
    },
    trustTile(report),
    {
      name: "Rewards take",
      value: duration(delays.mean),
      note: `on average. ${short(counts.waiting)} events wait for their deadline.`,
    },
  ]);
}

export function knowledge({ mode, agreement, gain }, loop) {
  const { title, does, known } = modeOf(mode);
  const told = (one) => (one.n > 0 ? `${number(one.mean)}, mean of ${count(one.n)}` : "no events");
  const facts = [
    gain.value === null
      ? ["Gain", gain.why ?? "It is not known."]
      : ["Gain", `${signed(gain.value)} (95 %: ${interval(gain.low, gain.high)})`],
    [`Model, since ${moment(gain.since, false)}`, told(gain.model)],
    [`Baseline, since ${moment(gain.since, false)}`, told(gain.baseline)],
    [
      "Agreement with the baseline",
      agreement ? `${percent(agreement.share)} of ${count(agreement.n)} events` : "no events to compare",
    ],
  ];
  return [
    h(
      "div",
      { class: "card-head" },
      h("h2", { id: "known" }, "Gain over the baseline"),
      badge("mode", `Mode: ${title.toLowerCase()}`),
    ),
    h("p", {}, `${does} ${known}`),
    h(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    h("p", {}, h("a", { href: address(loop, "settings") }, "Change the mode")),
  ];
}
