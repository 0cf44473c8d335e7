// λ: how far labels are trusted, and how sure the model is about that.

import { h } from "./dom.js";
import { count, interval, number } from "./format.js";
import { badge } from "./notice.js";
import { table } from "./table.js";

// The lead of the λ in charge over the next one, in scores.
export function lead(scores) {
  const [best, next] = scores.map((one) => one.score).sort((a, b) => a - b);
  return next === undefined ? null : next - best;
}

// The newest state of the model; null if all λ are still equal.
export function standing(report) {
  const last = report.lambda.at(-1);
  return last && lead(last.scores) !== 0 ? last : null;
}

function inWords(lambda) {
  if (lambda === 0) return "It trusts the labels alone.";
  if (lambda === 1) return "It trusts its own events alone.";
  return lambda < 0.5 ? "It trusts labels more than its own events." : "It trusts its own events more than labels.";
}

export function trustTile(report) {
  const name = "λ, the weight of its own events";
  const last = standing(report);
  if (!last) return { name, value: "not known", note: "Only events that the model decides can tell." };
  return {
    name,
    value: number(last.lambda),
    note: inWords(last.lambda) + (last.source ? ` Source: ${last.source}.` : ""),
  };
}

export function trustTable(report) {
  const last = standing(report);
  if (!last) return null;
  const best = last.scores.reduce((a, b) => (b.score < a.score ? b : a));
  const columns = [
    { name: "λ", cell: (one) => number(one.lambda) },
    { name: "Labels of", cell: (one) => one.sources.join(", ") || "–" },
    { name: "Score", cell: (one) => number(one.score), isNumber: true },
    { name: "Costs more than λ = 1 by", cell: (one) => interval(one.low, one.high) || "not known", isNumber: true },
    { name: "", cell: (one) => (one === best ? badge("good", "in charge") : one.low > 0 ? "significantly worse" : "") },
  ];
  const rests = `rests on about ${count(Math.round(last.memory))} of them`;
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "All λ at present"),
    h(
      "p",
      { class: "about" },
      `The model has learned ${count(last.learned)} events, and ${rests}. A score is the mean cost plus the squared ` +
        "errors of the predictions. Only compare scores with each other: the λ with the lowest one is in charge. A " +
        "cost is minus a reward. ",
      "Intervals hold at all times simultaneously. They are shares of the reward range, if it is known.",
    ),
    table({ label: "All λ", columns, rows: last.scores }),
  );
}
