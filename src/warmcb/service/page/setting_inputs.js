// From settings to inputs, and back.

import { field, input, select } from "./field.js";

const shown = (value) => (value === null || value === undefined ? "" : String(value));

const MAKERS = {
  number: (one, value) =>
    input({
      type: "number",
      min: one.min,
      max: one.max,
      step: one.step,
      value,
      required: true,
      inputmode: "decimal",
    }),
  choice: (one, value) =>
    select(
      one.options.map((option) => [option, option]),
      value,
    ),
  switch: (one, value) =>
    select(
      [
        [true, "yes"],
        [false, "no"],
      ],
      value,
    ),
  text: (one, value) => input({ type: "text", value: shown(value), autocomplete: "off" }),
  range: (one, value) =>
    input({ type: "text", value: value ? value.join(", ") : "", placeholder: "0, 1", autocomplete: "off" }),
  json: (one, value) => input({ type: "text", value: JSON.stringify(value), autocomplete: "off" }),
};

const READERS = {
  number: (text) => Number(text),
  choice: (text) => text,
  switch: (text) => text === "true",
  text: (text) => text.trim() || null,
  range: (text) =>
    text.trim()
      ? text
          .split(/[,;]\s*|\s+/)
          .filter(Boolean)
          .map(Number)
      : null,
  json: (text) => JSON.parse(text),
};

export function settingField(one, value, extra) {
  const made = field({ label: one.label, about: one.about, extra, make: MAKERS[one.kind](one, value) });
  made.querySelector("input, select").name = one.name;
  return made;
}

// The settings of a form that differ from the current ones.
export function changesIn(form, groups, settings) {
  const changes = {};
  for (const one of groups.flatMap((group) => group.fields)) {
    const value = READERS[one.kind](form.elements[one.name].value);
    if (JSON.stringify(value) !== JSON.stringify(settings[one.name])) changes[one.name] = value;
  }
  return changes;
}
