// Ask for the key. It is tried before anything is shown.

import { get, of, RefusedError } from "./api.js";
import { h } from "./dom.js";
import { field, input } from "./field.js";
import { notice } from "./notice.js";
import { begin, end } from "./session.js";

// Ask for a key, and call `then` with the loops that it may administer.
export function signIn(frame, message, then) {
  const told = h("div", {}, message ? notice("bad", message) : null);
  const key = field({
    label: "Key",
    about: "An administration key. It is kept until you close this tab.",
    make: input({ type: "password", name: "key", required: true, autocomplete: "off", spellcheck: "false" }),
  });
  const loop = field({
    label: "Loop (optional)",
    about: "Needed only if the key is for one loop.",
    make: input({ type: "text", name: "loop", autocomplete: "off", spellcheck: "false", autocapitalize: "off" }),
  });
  const form = h(
    "form",
    { class: "card sign-in" },
    h("h1", {}, "warmcb"),
    h("p", { class: "about" }, "Watch your loops learn."),
    key,
    loop,
    told,
    h("button", { class: "primary", type: "submit" }, "Open"),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = new FormData(form);
    begin(given.get("key").trim(), given.get("loop").trim());
    try {
      const loops = await reachable(given.get("loop").trim());
      then(loops);
    } catch (error) {
      end();
      told.replaceChildren(notice("bad", sentence(error)));
      form.querySelector(error.status === 403 ? "[name=loop]" : "[name=key]").focus();
    }
  });
  document.title = "warmcb";
  frame.replaceChildren(h("main", { id: "main", class: "alone", tabindex: -1 }, form));
  form.querySelector("[name=key]").focus();
}

// The loops that a key may administer: all, or the given one.
export async function reachable(loop, signal) {
  if (!loop) return (await get("/v1/loops", signal)).loops;
  const { version } = await get(of(loop, "settings"), signal);
  return [{ loop, version }];
}

function sentence(error) {
  if (error instanceof RefusedError && error.status === 403)
    return `${error.message} A key for one loop needs its name.`;
  return error.message;
}
