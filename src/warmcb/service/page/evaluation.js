// The view of evaluations: what other policies would have earned.

import { doing } from "./action.js";
import { get, of, postSlowly } from "./api.js";
import { h } from "./dom.js";
import { evaluated } from "./evaluated.js";
import { field, input, select } from "./field.js";
import { moment } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";

const SIMPLE = [
  ["logged", "What was played", "The policies that decided. The others are compared with it."],
  ["uniform", "Uniform", "Any action, all equally likely."],
  ["default", "The first action", "The first one on offer."],
];

export function evaluation({ main, loop, signal }) {
  const body = h("div", { class: "stack" });
  main.append(
    heading("Evaluate", "Estimate from the log what other policies would have earned. Nothing is changed."),
    body,
  );
  live({
    place: body,
    signal,
    load: (at) => get(of(loop, "models"), at),
    draw: ({ models }) => draw({ body, loop, signal }, models),
  });
}

function draw({ body, loop, signal }, models) {
  const told = h("div"),
    result = h("div", { class: "stack" });
  const whole = models.filter((one) => !one.broken);
  const start = h("button", { type: "submit", class: "primary" }, "Evaluate");
  const named = [["", "none"], ...whole.map((one) => [one.version, `${one.version}, of ${moment(one.time)}`])];
  const form = h(
    "form",
    { class: "card" },
    h(
      "fieldset",
      { class: "plain" },
      h("legend", {}, "Policies"),
      h("div", { class: "choices" }, SIMPLE.map(choice)),
    ),
    h(
      "div",
      { class: "fields" },
      field({
        label: "A version, with exploration",
        make: select(named, whole[0]?.version ?? "", { name: "version" }),
      }),
      field({ label: "A version, without exploration", make: select(named, "", { name: "greedy" }) }),
      field({
        label: "Always the action",
        about: "The id of an action; may be empty.",
        make: input({ type: "text", name: "always", autocomplete: "off" }),
      }),
      field({
        label: "From",
        about: "Your local time. Empty means from the beginning.",
        make: input({ type: "datetime-local", name: "since", value: localTime(Date.now() - 86_400_000) }),
      }),
      field({
        label: "Until",
        about: "Empty means until now.",
        make: input({ type: "datetime-local", name: "until" }),
      }),
      field({
        label: "Confidence",
        make: select(
          [
            [0.9, "90 %"],
            [0.95, "95 %"],
            [0.99, "99 %"],
          ],
          0.95,
          { name: "level" },
        ),
      }),
    ),
    told,
    h("div", { class: "buttons" }, start),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const request = requestOf(new FormData(form));
    let found;
    if (
      await doing(
        told,
        start,
        async () => (found = await postSlowly(of(loop, "evaluate"), request, signal)),
        null,
        "Working … A long log takes a while.",
      )
    ) {
      result.replaceChildren(...evaluated(found, request));
    }
  });
  body.replaceChildren(form, result);
}

function choice([value, title, about], i) {
  const id = `policy-${value}`;
  return h(
    "div",
    { class: "check" },
    h("input", { type: "checkbox", name: "policy", value, id, checked: i < 2, "aria-describedby": `${id}-about` }),
    h("div", {}, h("label", { for: id }, title), h("p", { class: "about", id: `${id}-about` }, about)),
  );
}

// In the form that inputs of local times use.
function localTime(time) {
  const shift = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - shift).toISOString().slice(0, 16);
}

function requestOf(given) {
  const policies = given.getAll("policy");
  for (const kind of ["version", "greedy", "always"]) {
    const value = given.get(kind).trim();
    if (value) policies.push(`${kind}:${value}`);
  }
  const time = (name) => (given.get(name) ? { [name]: new Date(given.get(name)).toISOString() } : {});
  return { policies, level: Number(given.get("level")), ...time("since"), ...time("until") };
}
