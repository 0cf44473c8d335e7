// The overview of a loop: rewards by arm, λ, traffic, and what is known.

import { get, of } from "./api.js";
import { binned, span, traffic } from "./bins.js";
import { timeChart } from "./chart.js";
import { h } from "./dom.js";
import { heading } from "./heading.js";
import { figures, knowledge } from "./known.js";
import { live } from "./live.js";
import { hours, periodChoice } from "./period.js";
import { lead, standing, trustTable } from "./trust.js";

const SECONDS = 10;
const UNKNOWN = "This is unknown until the model has decided some events.";
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
    lambda: timeChart({
      title: "λ over time",
      about: "0 trusts the labels alone, 1 the loop's own events alone.",
      axis: "λ",
    }),
    lead: timeChart({
      title: "How sure λ is",
      about: "How much lower the score of the λ in charge is than the next one.",
      axis: "lead",
      floor: 0,
    }),
    traffic: timeChart({
      title: "Traffic",
      about: "Decisions, and events that were rewarded.",
      axis: "per minute",
      floor: 0,
    }),
  };
  const facts = h("div");

  function draw(report) {
    if (body.childElementCount === 0 || !body.contains(parts.figures)) {
      body.replaceChildren(
        parts.figures,
        parts.known,
        parts.rewards,
        h("div", { class: "pair" }, parts.lambda, parts.lead),
        facts,
        parts.traffic,
      );
    }
    const { from, to, step } = span(report, hours());
    const arms = binned(report.series, from, step);
    parts.figures.replaceChildren(figures(report));
    parts.known.replaceChildren(...knowledge(report, loop));
    parts.rewards.update({
      from,
      to,
      step,
      series: COMPARED.map((name, look) => ({
        name,
        look,
        points: (arms.get(name) ?? []).filter((p) => p.joined > 0),
      })),
    });
    const noted = standing(report) ? report.lambda : [];
    const trust = noted.map((one) => ({
      t: Math.max(Date.parse(one.time), from),
      y: one.lambda,
      lead: lead(one.scores),
    }));
    const untilNow = (points) => (points.length > 0 ? [...points, { ...points.at(-1), t: to }] : points);
    parts.lambda.update({
      from,
      to,
      range: [-0.05, 1.05],
      series: [{ name: "λ", look: 0, steps: true, points: untilNow(trust) }],
      empty: UNKNOWN,
    });
    const leads = trust.filter((p) => p.lead !== null).map((p) => ({ t: p.t, y: p.lead }));
    parts.lead.update({ from, to, series: [{ name: "lead", look: 0, points: leads }], empty: UNKNOWN });
    facts.replaceChildren(trustTable(report) ?? "");
    parts.traffic.update({ from, to, step, series: traffic(arms, to, step) });
  }

  const follow = (until) =>
    live({
      place: body,
      signal: until,
      seconds: SECONDS,
      load: (at) => get(`${of(loop, "report")}?hours=${hours()}`, at),
      draw,
    });
  restart();
}
