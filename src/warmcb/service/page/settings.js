// The view of settings: a form that says when each change applies, and the history.

import { doing } from "./action.js";
import { get, of, patch, post } from "./api.js";
import { confirmed } from "./confirm.js";
import { h } from "./dom.js";
import { moment } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { badge, notice } from "./notice.js";
import { groupsFor, titleOf } from "./setting_fields.js";
import { changesIn, settingField } from "./setting_inputs.js";
import { table } from "./table.js";

const APPLIES = {
  "at once": "Applies at once",
  "new events": "Applies to new events",
  retraining: "Applies after retraining",
};
const inWords = (value) =>
  value === null || value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);

export function settings({ main, loop, signal }) {
  const told = h("div", { class: "told" });
  const form = h("div", { class: "stack" });
  const history = h("section", { class: "card" });
  main.append(heading("Settings", "Every change is recorded with its author."), form, told, history);
  const reload = () => {
    live({
      place: form,
      signal,
      load: (at) => get(of(loop, "settings"), at),
      draw: (found) => drawForm({ loop, form, told, reload }, found),
    });
    live({
      place: history,
      signal,
      load: (at) => get(of(loop, "settings", "history"), at),
      draw: (found) => drawHistory(history, found.history),
    });
  };
  reload();
}

function drawForm(context, { settings: inForce, applies, waiting_for_retraining: waiting }) {
  const groups = groupsFor(inForce);
  const summary = h("p", { class: "summary", role: "status" }, "Nothing is changed yet.");
  const save = h("button", { type: "submit", class: "primary", disabled: true }, "Save");
  const fieldsets = groups.map((group) =>
    h(
      "fieldset",
      { class: "card" },
      h("legend", {}, group.title),
      h(
        "div",
        { class: "fields" },
        group.fields.map((one) => settingField(one, inForce[one.name], badge("when", APPLIES[applies[one.name]]))),
      ),
    ),
  );
  const form = h(
    "form",
    { class: "stack" },
    fieldsets,
    h("div", { class: "save-bar card" }, summary, h("div", { class: "buttons" }, save)),
  );
  const look = () => {
    let changes = {};
    try {
      changes = changesIn(form, groups, inForce);
      summary.textContent = sentence(changes, inForce, applies);
    } catch {
      summary.textContent = "One of the values is not JSON.";
    }
    save.disabled = Object.keys(changes).length === 0;
  };
  form.addEventListener("input", look);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changes = changesIn(form, groups, inForce);
    const isDone = await doing(
      context.told,
      save,
      () => patch(of(context.loop, "settings"), changes),
      (now) => `Saved as version ${now.version}.`,
    );
    if (isDone) context.reload();
  });
  context.form.replaceChildren(...(waiting.length > 0 ? [retraining(context, waiting)] : []), form);
}

function sentence(changes, inForce, applies) {
  const all = Object.entries(changes).map(
    ([name, value]) =>
      `${titleOf(name)}: ${inWords(inForce[name])} → ${inWords(value)}, ${APPLIES[applies[name]].toLowerCase()}`,
  );
  return all.length === 0 ? "Nothing is changed yet." : `${all.join("; ")}.`;
}

function retraining({ loop, told, reload }, waiting) {
  const ask = async (event) => {
    const yes = await confirmed({
      title: "Retrain the model?",
      text: "The log is learned again with the current settings. Until then the present model decides.",
      yes: "Retrain",
    });
    if (
      yes &&
      (await doing(
        told,
        event.target,
        () => post(of(loop, "retrain")),
        () => "The model is being retrained.",
      ))
    )
      reload();
  };
  return notice(
    "look",
    h("strong", {}, `${waiting.map(titleOf).join(", ")}: changed, but not in use until the model is retrained.`),
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: ask }, "Retrain")),
  );
}

function drawHistory(place, history) {
  const rows = history.map((one, i) => ({ ...one, before: history[i + 1]?.settings }));
  const columns = [
    { name: "Version", cell: (one) => String(one.version) },
    { name: "When", cell: (one) => moment(one.time) },
    { name: "Who", cell: (one) => one.who },
    { name: "What", cell: difference },
  ];
  place.replaceChildren(h("h2", {}, "History"), table({ label: "History of the settings", columns, rows }));
}

function difference({ settings: after, before }) {
  if (!before) return "the loop was made";
  const names = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  return h(
    "ul",
    { class: "plain" },
    names.map((name) => h("li", {}, `${titleOf(name)}: ${inWords(before[name])} → ${inWords(after[name])}`)),
  );
}
