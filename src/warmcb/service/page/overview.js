// Whether the loop does well: rewards of its arms, λ, traffic, and what can be known.

import { address } from "./address.js";
import { get, of } from "./api.js";
import { binned, stepFor } from "./bins.js";
import { timeChart } from "./chart.js";
import { h } from "./dom.js";
import { count, duration, interval, moment, number, percent, short, signed } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { modeOf } from "./modes.js";
import { badge } from "./notice.js";
import { hours, inPeriod, periodChoice } from "./period.js";
import { tiles } from "./tiles.js";
import { lead, standing, trustTable, trustTile } from "./trust.js";

const SECONDS = 10;
const UNKNOWN = "This cannot be known before the model has decided some events.";
const LOOKS = { model: 0, control: 1, baseline: 2, "not explored": 3, fallback: 4 };
const COMPARED = ["model", "control", "baseline"];

export function overview({ main, loop, signal }) {
  let stop = new AbortController();
  const restart = () => {
    stop.abort();
    stop = new AbortController();
    follow(AbortSignal.any([signal, stop.signal]));
  };
  const body = h("div", { class: "stack" });
  main.append(heading(loop, "How the loop is doing.", periodChoice(restart)), body);

  const parts = {
    figures: h("div"),
    known: h("section", { class: "card", "aria-labelledby": "known" }),
    rewards: timeChart({
      title: "Reward over time",
      about: "The mean reward of an event, by who decided. Bands are 95 % intervals.",
      axis: "mean reward",
    }),
    lambda: timeChart({ title: "λ over time", about: "0 trusts the labels alone, 1 the loop’s own events alone.", axis: "λ" }),
    lead: timeChart({
      title: "How sure λ is",
      about: "By how much the λ in charge is ahead of the next one, in estimated cost a decision.",
      axis: "lead",
      floor: 0,
    }),
    traffic: timeChart({ title: "Traffic", about: "Decisions, and events that were rewarded.", axis: "a minute", floor: 0 }),
  };
  const facts = h("div");

  function draw(report) {
    if (body.childElementCount === 0 || !body.contains(parts.figures)) {
      body.replaceChildren(parts.figures, parts.known, parts.rewards, h("div", { class: "pair" }, parts.lambda, parts.lead), facts, parts.traffic);
    }
    const { from, to, step } = span(report);
    const arms = binned(report.series.filter((one) => Date.parse(one.minute) >= from), from, step);
    parts.figures.replaceChildren(figures(report));
    parts.known.replaceChildren(...knowledge(report, loop));
    parts.rewards.update({ from, to, step, series: COMPARED.map((name) => ({ name, look: LOOKS[name], points: (arms.get(name) ?? []).filter((p) => p.joined > 0) })) });
    const noted = standing(report) ? report.lambda : [];
    const trust = noted.map((one) => ({ t: Math.max(Date.parse(one.time), from), y: one.lambda, lead: lead(one.scores) }));
    const untilNow = (points) => (points.length > 0 ? [...points, { ...points.at(-1), t: to }] : points);
    parts.lambda.update({ from, to, range: [-0.05, 1.05], series: [{ name: "λ", look: 0, steps: true, points: untilNow(trust) }], empty: UNKNOWN });
    const leads = trust.filter((p) => p.lead !== null).map((p) => ({ t: p.t, y: p.lead }));
    parts.lead.update({ from, to, series: [{ name: "lead", look: 0, points: leads }], empty: UNKNOWN });
    facts.replaceChildren(trustTable(report) ?? "");
    parts.traffic.update({ from, to, step, series: traffic(arms, from, to, step) });
  }

  const follow = (until) =>
    live({ place: body, signal: until, seconds: SECONDS, load: (at) => get(`${of(loop, "report")}?hours=${hours()}`, at), draw });
  restart();
}

// What is shown: the chosen period, or what there is of it if the loop is younger.
function span(report) {
  const to = Date.now();
  const wanted = to - hours() * 3_600_000;
  const first = Math.min(...report.series.map((one) => Date.parse(one.minute)), to);
  const step = Math.max(stepFor(Math.max(first, wanted), to), report.every * 1000);
  const from = first > wanted ? Math.floor(first / step) * step : Math.ceil(wanted / step) * step;
  return { from, to, step };
}

function figures({ gain, delays, counts, ...report }) {
  const isKnown = gain.value !== null;
  return tiles([
    { name: `Decisions, ${inPeriod()}`, value: short(counts.decisions), note: `${short(counts.rewarded)} were rewarded` },
    {
      name: "Gain over the baseline",
      value: isKnown ? signed(gain.value) : "not known",
      note: isKnown ? `95 %: ${interval(gain.low, gain.high)}` : "The reason stands below.",
    },
    trustTile(report),
    {
      name: "Rewards take",
      value: duration(delays.mean),
      note: `on average. ${short(counts.waiting)} events wait for their deadline.`,
    },
  ]);
}

function knowledge({ mode, agreement, gain }, loop) {
  const { title, does, known } = modeOf(mode);
  const told = (one) => (one.n > 0 ? `${number(one.mean)}, mean of ${count(one.n)}` : "no events");
  const facts = [
    gain.value === null
      ? ["Gain over the baseline", gain.why ?? "It is not known."]
      : ["Gain over the baseline", `${signed(gain.value)} (95 %: ${interval(gain.low, gain.high)})`],
    [`Model, since ${moment(gain.since, false)}`, told(gain.model)],
    [`Baseline, since ${moment(gain.since, false)}`, told(gain.baseline)],
    ["Agreement with the baseline", agreement ? `${percent(agreement.share)} of ${count(agreement.n)} events` : "no events to compare"],
  ];
  return [
    h("div", { class: "card-head" }, h("h2", { id: "known" }, "What can be known"), badge("mode", `Mode: ${title.toLowerCase()}`)),
    h("p", {}, `${does} ${known}`),
    h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    h("p", {}, h("a", { href: address(loop, "settings") }, "Change the mode")),
  ];
}

function traffic(arms, from, to, step) {
  const minutes = step / 60_000;
  const whole = Math.floor(to / step) * step; // the last step is not over: its rate would look like a fall
  const bins = new Map();
  for (const points of arms.values()) {
    for (const p of points) {
      if (p.t >= whole && bins.size > 0) continue;
      const bin = bins.get(p.t) ?? bins.set(p.t, { decisions: 0, rewarded: 0 }).get(p.t);
      bin.decisions += p.decisions;
      bin.rewarded += p.rewarded;
    }
  }
  const times = [...bins.keys()].sort((a, b) => a - b);
  const points = (name) => times.map((t) => ({ t, y: bins.get(t)[name] / minutes }));
  return [
    { name: "decisions", look: 0, points: points("decisions") },
    { name: "rewarded events", look: 1, points: points("rewarded") },
  ];
}
