// The view that shows whether the log can be trusted.

import { get, of } from "./api.js";
import { h } from "./dom.js";
import { count, number, percent } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { badge, notice } from "./notice.js";
import { table } from "./table.js";

const WORDS = { good: "good", look: "have a look", bad: "bad" };
const WHOLE = {
  good: "The log can be trusted.",
  look: "The log can be used, but some findings need a look.",
  bad: "Do not trust the log until this is understood.",
};

export function health({ main, loop, signal }) {
  const body = h("div", { class: "stack" });
  main.append(
    heading("Health of the log", "The checks of warmcb log check, on the most recent joined events."),
    body,
  );
  live({ place: body, signal, load: (at) => get(of(loop, "health"), at), draw: (found) => draw(body, found) });
}

function draw(body, found) {
  const order = ["bad", "look", "good"];
  const findings = found.findings.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  body.replaceChildren(
    notice(
      found.verdict,
      h("strong", {}, WHOLE[found.verdict]),
      ` ${count(found.decisions)} decisions were checked.`,
    ),
    h(
      "ul",
      { class: "findings" },
      findings.map((one) =>
        h(
          "li",
          { class: "card finding" },
          h("div", { class: "card-head" }, h("h2", {}, one.name), badge(one.verdict, WORDS[one.verdict])),
          h("p", {}, one.figure),
          one.advice && one.verdict !== "good" ? h("p", { class: "about" }, one.advice) : null,
        ),
      ),
    ),
    section(
      "Probabilities of actions",
      "An action that is never drawn cannot be evaluated.",
      chances(found.actions ?? []),
    ),
    section(
      "Features that changed most",
      "Between the first and the second half of these events.",
      changes(found.changes ?? []),
    ),
  );
}

const section = (title, about, ...content) =>
  h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "about" }, about), ...content);

const chances = (rows) =>
  table({
    label: "Probabilities of actions",
    columns: [
      { name: "Action", cell: (one) => one.name },
      { name: "Offered", cell: (one) => count(one.offered), isNumber: true },
      {
        name: "Could be drawn",
        cell: (one) => percent(one.offered ? one.explored / one.offered : null),
        isNumber: true,
      },
      { name: "Played", cell: (one) => count(one.played), isNumber: true },
      { name: "Expected", cell: (one) => number(one.expected), isNumber: true },
      { name: "Effective", cell: (one) => number(one.effective), isNumber: true },
    ],
    rows: rows.toSorted((a, b) => b.played - a.played).slice(0, 50),
  });

const changes = (rows) =>
  table({
    label: "Features that changed most",
    columns: [
      { name: "Feature", cell: (one) => one.name },
      { name: "Mean before", cell: (one) => number(one.before), isNumber: true },
      { name: "Mean after", cell: (one) => number(one.after), isNumber: true },
      { name: "Beyond chance", cell: (one) => (one.is_sure ? "yes" : "no") },
    ],
    rows,
    empty: "No feature changed.",
  });
