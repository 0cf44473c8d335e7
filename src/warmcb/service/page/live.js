// Load what a view shows, draw it, and load it again. If the server is lost, say so and try again.

import { LostError } from "./api.js";
import { h } from "./dom.js";
import { notice } from "./notice.js";

const PAUSES = [1, 2, 4, 8]; // seconds between tries while the server is lost

// Load and draw until the view is left; without `seconds`, only once. Unchanged data is not drawn again, since
// screen readers would read it again.
export async function live({ place, signal, seconds = null, load, draw }) {
  let failures = 0;
  let drawn = null;
  place.setAttribute("aria-busy", "true");
  while (!signal.aborted) {
    let pause = seconds;
    try {
      const loaded = await load(signal);
      if (signal.aborted) return;
      failures = 0;
      sayConnected();
      const told = JSON.stringify(loaded);
      if (told !== drawn) draw(loaded);
      drawn = told;
      place.removeAttribute("aria-busy");
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LostError) {
        pause = PAUSES[Math.min(failures, PAUSES.length - 1)];
        failures += 1;
        sayLost(error, pause);
      } else if (error.status === 401) {
        dispatchEvent(new CustomEvent("wrong-key", { detail: error.message }));
        return;
      } else {
        place.removeAttribute("aria-busy");
        place.replaceChildren(notice("bad", error.message));
        if (!error.status) throw error;
        return;
      }
    }
    if (pause === null) return;
    await passed(pause, signal);
  }
}

function sayLost(error, pause) {
  const place = document.getElementById("connection");
  place.replaceChildren(
    notice(error.isBusy ? "look" : "bad", h("strong", {}, error.message), ` Trying again in ${pause} s.`),
  );
}

const sayConnected = () => document.getElementById("connection").replaceChildren();

// Wait some seconds, and longer while the page is hidden; or until the view is left.
function passed(seconds, signal) {
  return new Promise((resolve) => {
    const look = () =>
      document.hidden ? document.addEventListener("visibilitychange", look, { once: true }) : resolve();
    const timer = setTimeout(look, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
