// The view of actions: how often each is played, and its mean reward.

import { get, of } from "./api.js";
import { bars } from "./bars.js";
import { h } from "./dom.js";
import { count, number, percent } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { empty } from "./notice.js";
import { table } from "./table.js";

export function actions({ main, loop, signal }) {
  const body = h("div", { class: "stack" });
  main.append(heading("Actions", "The actions of the most recent events."), body);
  const load = (at) => get(`${of(loop, "report")}?hours=1`, at);
  live({ place: body, signal, seconds: 30, load, draw: (report) => draw(body, report.actions) });
}

function draw(body, all) {
  if (all.length === 0) return body.replaceChildren(empty("No event has been joined yet."));
  const most = all.slice(0, 12);
  const label = all.length > most.length ? `Shares of the ${most.length} most frequent actions` : "Shares";
  const rows = most.map((one) => ({ name: one.id, value: one.share, told: percent(one.share) }));
  const columns = [
    { name: "Action", cell: (one) => one.id },
    { name: "Plays", cell: (one) => count(one.plays), isNumber: true },
    { name: "Share", cell: (one) => percent(one.share), isNumber: true },
    { name: "Mean reward", cell: (one) => number(one.mean), isNumber: true },
  ];
  return body.replaceChildren(
    h("section", { class: "card" }, h("h2", {}, label), bars({ label, rows, most: 1 })),
    h(
      "section",
      { class: "card" },
      h("h2", {}, "Mean rewards"),
      h(
        "p",
        { class: "about" },
        "Means cannot be compared: each action was played where it seemed best. Evaluate compares policies fairly.",
      ),
      table({ label: "Actions", columns, rows: all }),
    ),
  );
}
