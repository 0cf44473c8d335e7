// A button that does something on the server and reports the result.

import { h } from "./dom.js";
import { notice } from "./notice.js";

// Do something, report in `place` that it is done or why not, and return whether it was done.
export async function doing(place, button, work, done = null, working = "Working …") {
  if (button.disabled) return false;
  const hadFocus = document.activeElement === button;
  button.disabled = true;
  place.replaceChildren(h("p", { class: "working", role: "status" }, working));
  try {
    const result = await work();
    place.replaceChildren(...(done ? [notice("good", done(result))] : []));
    return true;
  } catch (error) {
    if (error.status === 401) dispatchEvent(new CustomEvent("wrong-key", { detail: error.message }));
    place.replaceChildren(notice("bad", error.message));
    return false;
  } finally {
    button.disabled = false;
    if (hadFocus) button.focus();
  }
}
