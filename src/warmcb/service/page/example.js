// An example request for a loop: that of the newest event, or a made-up one.

import { get, of } from "./api.js";

const MADE_UP = {
  context: { hour: 20, device: "phone" },
  actions: [
    { id: "article-1", topic: "sport", length: 400 },
    { id: "article-2", topic: "science", length: 1200 },
  ],
};

export async function example(loop, signal) {
  const { events } = await get(`${of(loop, "events")}?limit=1`, signal);
  if (events.length > 0) {
    const event = await get(of(loop, "events", events[0].event), signal);
    const isNamed = event.actions.every((one) => typeof one === "string");
    return isNamed ? { context: event.context } : { context: event.context, actions: event.actions };
  }
  const { actions } = await get(of(loop), signal);
  return actions ? { context: MADE_UP.context } : MADE_UP;
}
