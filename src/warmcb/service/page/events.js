// The view of events, newest first.

import { address } from "./address.js";
import { get, of } from "./api.js";
import { h } from "./dom.js";
import { oneEvent } from "./event.js";
import { field, input } from "./field.js";
import { moment, number, percent } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { keepingFocus, table } from "./table.js";

const PAGE = 50;
const SECONDS = 3;

export function events(view) {
  if (view.what) return oneEvent(view);
  return listed(view);
}

function listed({ main, loop, signal }) {
  let unit = "";
  let before = null; // null: show the newest events, and follow them
  let stop = new AbortController();
  const body = h("section", { class: "card" });
  const isLive = h("input", { type: "checkbox", id: "live", checked: true });
  const newest = h("button", { type: "button", disabled: true, onclick: () => page(null) }, "Newest");
  const older = h("button", { type: "button", disabled: true }, "Older");
  const filter = field({
    label: "Unit",
    make: input({ type: "search", autocomplete: "off", spellcheck: "false", placeholder: "all units" }),
  });

  const restart = () => {
    stop.abort();
    stop = new AbortController();
    const load = (at) => {
      const query = new URLSearchParams({ limit: PAGE, ...(before ? { before } : {}), ...(unit ? { unit } : {}) });
      return get(`${of(loop, "events")}?${query}`, at);
    };
    const seconds = isLive.checked && before === null ? SECONDS : null;
    live({ place: body, signal: AbortSignal.any([signal, stop.signal]), seconds, load, draw });
  };
  const page = (to) => {
    before = to;
    restart();
  };
  function draw(found) {
    keepingFocus(body, () => body.replaceChildren(listing(loop, found.events, unit)));
    newest.disabled = before === null;
    older.disabled = found.next === null;
    older.onclick = () => page(found.next);
  }
  isLive.addEventListener("change", restart);
  filter.querySelector("input").addEventListener("change", (event) => {
    unit = event.target.value.trim();
    page(null);
  });
  main.append(
    heading("Events", "Decisions and their rewards, newest first."),
    h(
      "div",
      { class: "toolbar" },
      filter,
      h("div", { class: "check" }, isLive, h("label", { for: "live" }, `Live: look again every ${SECONDS} seconds`)),
    ),
    body,
    h("div", { class: "buttons" }, newest, older),
  );
  restart();
}

function listing(loop, found, unit) {
  const columns = [
    { name: "Event", cell: (one) => h("a", { href: address(loop, "events", one.event), class: "id" }, one.event) },
    { name: "Time", cell: (one) => moment(one.time) },
    { name: "Decided by", cell: (one) => one.arm },
    { name: "Action", cell: (one) => one.slots.map((slot) => slot.action).join(", ") },
    {
      name: "Probability",
      cell: (one) => one.slots.map((slot) => percent(slot.probability)).join(", "),
      isNumber: true,
    },
    { name: "Reward", cell: rewardOf, isNumber: true },
    { name: "Model", cell: (one) => String(one.model), isNumber: true },
  ];
  const empty = unit ? "This unit has no events." : "There are no events yet. The playground can make one.";
  return table({ label: "Events", columns, rows: found, key: (one) => one.event, empty });
}

// The reward of an event: the final one after the deadline, before that what has come so far.
function rewardOf(one) {
  if (one.joined !== null) {
    if (one.activated === false) return "not activated";
    return one.slots.map((slot) => number(slot.reward) + (slot.filled ? " (default)" : "")).join(", ");
  }
  const came = one.slots.flatMap((slot) => slot.rewards.map((reward) => number(reward.value)));
  return came.length > 0 ? `${came.join(", ")} so far` : "waiting";
}
