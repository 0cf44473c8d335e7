// The view that requests a decision and sends a reward for it.

import { doing } from "./action.js";
import { address } from "./address.js";
import { of, post } from "./api.js";
import { bars } from "./bars.js";
import { h } from "./dom.js";
import { example } from "./example.js";
import { field, input } from "./field.js";
import { moment, percent } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { notice } from "./notice.js";

export function playground({ main, loop, signal }) {
  const body = h("div", { class: "stack" });
  main.append(
    heading("Playground", "Ask for a decision as your application does."),
    notice(
      "look",
      h("strong", {}, "This is a real event."),
      " It is logged and counted, and it is learned when its wait for rewards is over.",
    ),
    body,
  );
  live({ place: body, signal, load: (at) => example(loop, at), draw: (request) => draw(body, loop, request) });
}

function draw(body, loop, request) {
  const told = h("div");
  const answer = h("div", { "aria-live": "polite" });
  const editor = field({
    label: "Request, as JSON",
    about:
      "context is what is known; actions are on offer, each with an id. Optional: event, unit, allowed, excluded, " +
      "explore, baseline, deferred, slots.",
    make: (shared) => h("textarea", { rows: 16, spellcheck: "false", autocomplete: "off", class: "code", ...shared }),
  });
  const text = editor.querySelector("textarea");
  text.value = JSON.stringify(request, null, 2);
  const send = h("button", { type: "submit", class: "primary" }, "Decide");
  const form = h("form", { class: "card" }, editor, told, h("div", { class: "buttons" }, send));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let wanted;
    try {
      wanted = JSON.parse(text.value);
    } catch (error) {
      told.replaceChildren(notice("bad", `The request is not JSON: ${error.message}.`));
      return;
    }
    let decided;
    const isDone = await doing(told, send, async () => (decided = await post(of(loop, "decide"), wanted)));
    if (isDone) answer.replaceChildren(decision(loop, decided));
  });
  body.replaceChildren(h("div", { class: "pair" }, form, answer));
}

function decision(loop, decided) {
  const slots = decided.slots ?? [decided];
  const parts = slots.map((slot) => {
    const rows = Object.entries(slot.probabilities)
      .sort(([, a], [, b]) => b - a)
      .map(([name, p]) => ({ name, value: p, told: percent(p), marked: name === slot.action ? "chosen" : null }));
    return [
      h("h3", {}, slot.id ? `Slot ${slot.id}: ${slot.action}` : `Probabilities`),
      bars({ label: "Probabilities", rows, most: 1 }),
    ];
  });
  return h(
    "section",
    { class: "card" },
    h("h2", {}, decided.slots ? "Decided" : `Chosen: ${decided.action}`),
    h("p", {}, `By ${decided.arm}, version ${decided.model}. Rewards count until ${moment(decided.due)}.`),
    parts,
    h("p", {}, h("a", { href: address(loop, "events", decided.event), class: "id" }, `Event ${decided.event}`)),
    rewardForm(loop, decided),
  );
}

function rewardForm(loop, decided) {
  const told = h("div");
  const amount = field({
    label: "Reward",
    make: input({ type: "number", step: "any", value: 1, required: true, name: "reward" }),
  });
  const send = h("button", { type: "submit" }, "Send the reward");
  const slot = decided.slots?.[0].id;
  const form = h("form", { class: "inline" }, amount, send, told);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = { event: decided.event, reward: Number(form.elements.reward.value), ...(slot ? { slot } : {}) };
    doing(
      told,
      send,
      () => post(of(loop, "reward"), body),
      (answer) => `The reward is ${answer.status}.`,
    );
  });
  return form;
}
