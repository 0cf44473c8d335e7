// The view of versions of the model, where one can be restored and released again.

import { doing } from "./action.js";
import { get, of, post } from "./api.js";
import { confirmed } from "./confirm.js";
import { h } from "./dom.js";
import { bytes, moment } from "./format.js";
import { heading } from "./heading.js";
import { live } from "./live.js";
import { badge, notice } from "./notice.js";
import { keepingFocus, table } from "./table.js";

export function versions({ main, loop, signal }) {
  const body = h("div", { class: "stack" });
  const told = h("div", { class: "told" });
  main.append(
    heading(
      "Versions",
      "Saved models, by the last journal entry that they learned. Older ones are kept by the hour, then by the day.",
    ),
    told,
    body,
  );
  const context = { loop, told, body };
  const load = (at) => get(of(loop, "models"), at);
  live({
    place: body,
    signal,
    seconds: 3,
    load,
    draw: ({ models }) => keepingFocus(body, () => draw(context, models)),
  });
}

function draw(context, models) {
  const { loop, told, body } = context;
  const pinned = models.find((one) => one.pinned);
  const release = (event) =>
    doing(
      told,
      event.target,
      () => post(of(loop, "models", "release")),
      () => "The newest version decides within seconds.",
    );
  const state = pinned
    ? notice(
        "look",
        h("strong", {}, `Version ${pinned.version} is pinned.`),
        " Decisions are made by it until it is released. Learning goes on from it, so a release does not bring back " +
          "what was learned before it was restored. Retraining does.",
        h(
          "div",
          { class: "buttons", "data-key": "release" },
          h("button", { type: "button", onclick: release }, "Release it"),
        ),
      )
    : notice("info", "The newest version is published every few seconds, and decides.");
  const columns = [
    { name: "Version", cell: (one) => String(one.version) },
    { name: "Made", cell: (one) => moment(one.time) },
    { name: "State", cell: stateOf },
    { name: "Size", cell: (one) => bytes(one.bytes), isNumber: true },
    { name: "", cell: (one) => goBack(context, one), isNumber: true },
  ];
  body.replaceChildren(
    state,
    h(
      "section",
      { class: "card" },
      table({
        label: "Versions",
        columns,
        rows: models,
        key: (one) => one.version,
        empty: "No version has been saved yet. One is saved when the loop has learned something.",
      }),
    ),
  );
}

function stateOf(one) {
  if (one.broken) return badge("bad", "damaged");
  if (one.pinned) return badge("look", "pinned, decides");
  return one.published ? badge("good", "decides") : "kept";
}

function goBack({ loop, told }, one) {
  if (one.broken || one.pinned) return "";
  const ask = async (event) => {
    const yes = await confirmed({
      title: `Go back to version ${one.version}?`,
      text:
        `The model of ${moment(one.time)} will decide until you release it. Learning goes on from it: what was ` +
        "learned since then is set aside. Only retraining learns that again.",
      yes: "Go back",
    });
    if (yes)
      await doing(
        told,
        event.target,
        () => post(of(loop, "models", one.version, "restore")),
        () => `Version ${one.version} decides within seconds.`,
      );
  };
  return h("button", { type: "button", onclick: ask, "aria-label": `Go back to version ${one.version}` }, "Go back");
}
