// The result of an evaluation.

import { sentenceOf } from "./api.js";
import { h } from "./dom.js";
import { count, interval, number, signed } from "./format.js";
import { intervals } from "./intervals.js";
import { notice } from "./notice.js";
import { table } from "./table.js";

export function evaluated(found, request) {
  const rows = Object.entries(found.policies).map(([name, one]) => ({ name, ...one, ...one.estimates[one.best] }));
  const level = `${Math.round(request.level * 100)} %`;
  const reference = rows[0]?.name;
  const columns = [
    { name: "Policy", cell: (one) => titleOf(one.name) },
    { name: "Reward", cell: (one) => number(one.value), isNumber: true },
    { name: `${level} interval`, cell: (one) => interval(one.low, one.high) || "–", isNumber: true },
    { name: `More than ${titleOf(reference)}`, cell: compared, isNumber: true },
    { name: "Effective decisions", cell: (one) => number(one.effective_size), isNumber: true },
    { name: "Estimator", cell: (one) => one.best },
  ];
  const warnings = rows.flatMap((one) => one.warnings.map((text) => sentenceOf(`${titleOf(one.name)}: ${text}`)));
  const left = Object.entries(found.left_out).filter(([, n]) => n > 0);
  return [
    h(
      "section",
      { class: "card" },
      h("h2", {}, "Estimated reward of a decision"),
      h("p", { class: "about" }, `From ${count(found.decisions)} decisions. Bars are ${level} intervals.`),
      intervals({
        label: "Estimated reward",
        rows: rows.map((one, i) => ({ ...one, name: titleOf(one.name), look: i === 0 ? 1 : 0 })),
      }),
      table({ label: "Evaluated policies", columns, rows }),
      left.length > 0
        ? h("p", { class: "about" }, `Left out: ${left.map(([why, n]) => `${why} ${count(n)}`).join(", ")}.`)
        : null,
    ),
    ...warnings.map((text) => notice("look", text)),
  ];
}

const compared = (one) =>
  one.compared ? `${signed(one.compared.value)} (${interval(one.compared.low, one.compared.high)})` : "–";

const TITLES = { logged: "what was played", uniform: "uniform", default: "the first action" };

function titleOf(name = "") {
  const [kind, ...rest] = name.split(":");
  const what = rest.join(":");
  if (kind === "version") return `version ${what}`;
  if (kind === "greedy") return `version ${what}, without exploring`;
  return kind === "always" ? `always ${what}` : (TITLES[name] ?? name);
}
