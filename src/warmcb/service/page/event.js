// The view of one event: its context, the decision, its rewards, and why the action was chosen.

import { address } from "./address.js";
import { get, of, post } from "./api.js";
import { bars } from "./bars.js";
import { h } from "./dom.js";
import { moment, number, percent, signed } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { badge, notice } from "./notice.js";
import { table } from "./table.js";

const MOST_SHOWN = 20;

export function oneEvent({ main, loop, what, signal }) {
  const body = h("div", { class: "stack" });
  const back = h("a", { href: address(loop, "events") }, "All events");
  main.append(heading(what, null, back), body);
  live({
    place: body,
    signal,
    load: (at) => get(of(loop, "events", what), at),
    draw: (event) => draw({ body, loop, signal }, event),
  });
}

function draw({ body, loop, signal }, event) {
  body.replaceChildren(
    h("section", { class: "card" }, h("h2", {}, "What happened"), facts(event)),
    ...event.slots.flatMap((slot) => [chosen(slot), reasons({ loop, signal }, event, slot)]),
    h("section", { class: "card" }, h("h2", {}, "What was known"), known(event)),
  );
}

function reasons({ loop, signal }, event, slot) {
  const why = h("div", { class: "stack" });
  live({
    place: why,
    signal,
    load: (at) => explanation(loop, event.event, slot, at),
    draw: (told) => drawWhy(why, told),
  });
  return h("section", { class: "card" }, h("h2", {}, `Why ${slot.action}`), why);
}

function facts(event) {
  const joined = event.joined === null ? `waits until ${moment(event.due)}` : `learned as entry ${event.joined}`;
  const all = [
    ["Decided", moment(event.time)],
    ["By", event.arm],
    ["Model", `version ${event.model}`],
    ["Settings", `version ${event.settings}`],
    ["Unit", event.unit ?? "the event itself"],
    ["State", event.activated === false && event.deferred ? "deferred, not activated" : joined],
  ];
  return h(
    "dl",
    { class: "facts" },
    all.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function chosen(slot) {
  const all = Object.entries(slot.probabilities).sort(([, a], [, b]) => b - a);
  const rows = all
    .slice(0, MOST_SHOWN)
    .map(([name, p]) => ({ name, value: p, told: percent(p), marked: name === slot.action ? "chosen" : null }));
  const columns = [
    { name: "Came", cell: (one) => moment(one.time) },
    { name: "In time", cell: (one) => (one.late ? badge("look", "too late, not learned") : "yes") },
    { name: "Reward", cell: (one) => number(one.value), isNumber: true },
  ];
  const worth =
    slot.reward === null ? null : `Learned as ${number(slot.reward)}${slot.filled ? ", the default" : ""}.`;
  return h(
    "section",
    { class: "card" },
    h("h2", {}, slot.id ? `Slot ${slot.id}: ${slot.action}` : `Chosen: ${slot.action}`),
    h("h3", {}, "Probabilities"),
    bars({ label: "Probabilities", rows, most: 1 }),
    all.length > rows.length ? h("p", { class: "about" }, `and ${all.length - rows.length} more`) : null,
    h("h3", {}, "Rewards"),
    table({ label: "Rewards", columns, rows: slot.rewards, empty: "No reward has come." }),
    worth ? h("p", {}, worth) : null,
  );
}

const known = (event) => [
  h("h3", {}, "Context"),
  h("pre", { tabindex: 0 }, JSON.stringify(event.context, null, 2)),
  h(
    "details",
    {},
    h("summary", {}, `The ${event.actions.length} actions on offer`),
    h("pre", { tabindex: 0 }, JSON.stringify(event.actions, null, 2)),
  ),
];

// The explanation by the current model, or one sentence that says why there is none.
async function explanation(loop, event, slot, signal) {
  try {
    return await post(of(loop, "explain"), { event, ...(slot.id ? { slot: slot.id } : {}) }, signal);
  } catch (error) {
    if (error.status && error.status !== 401) return { refused: error.message };
    throw error;
  }
}

function drawWhy(place, told) {
  if (told.refused) return place.replaceChildren(notice("info", told.refused));
  const rows = told.contributions.map((one) => ({
    name: one.name,
    note: one.value,
    value: one.contribution,
    told: signed(one.contribution),
  }));
  return place.replaceChildren(
    h(
      "p",
      {},
      "The published model expects ",
      h("strong", {}, `${number(told.expected.action)} from ${told.action}`),
      ` and ${number(told.expected.runner_up)} from the runner-up, ${told.runner_up}.`,
      ` Bars to the right speak for ${told.action}.`,
    ),
    bars({ label: `What speaks for ${told.action}, in reward`, rows }),
  );
}
