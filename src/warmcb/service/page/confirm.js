// A question before a serious step. The browser's own dialog traps the focus and handles Escape.

import { h, newId } from "./dom.js";

// Ask, and return whether the answer is yes.
export function confirmed({ title, text, yes }) {
  return new Promise((resolve) => {
    const name = newId("dialog");
    const dialog = h(
      "dialog",
      { "aria-labelledby": name },
      h("h2", { id: name }, title),
      h("p", {}, text),
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", onclick: () => dialog.close("yes"), class: "primary" }, yes),
        h("button", { type: "button", onclick: () => dialog.close("no") }, "Cancel"),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
