// Requests to the service. Every failure is an error whose message is one sentence.

import { session } from "./session.js";

const PATIENCE = 30_000; // milliseconds for an answer
const LATER = [429, 502, 503, 504]; // the service, or a proxy before it, cannot answer at the moment

// The service has refused the request.
export class RefusedError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The service is unreachable or busy. The request may be tried again.
export class LostError extends Error {
  constructor(message, isBusy = false) {
    super(message);
    this.isBusy = isBusy;
  }
}

export const get = (path, signal) => call("GET", path, undefined, signal);
export const post = (path, body, signal) => call("POST", path, body, signal);
export const patch = (path, body, signal) => call("PATCH", path, body, signal);

// The path of a loop, or of something in it. Names may have any characters.
export const of = (loop, ...parts) => ["/v1/loops", ...[loop, ...parts].map(encodeURIComponent)].join("/");

async function call(method, path, body, signal, patience = PATIENCE) {
  let answer, told;
  try {
    const signals = [AbortSignal.timeout(patience), ...(signal ? [signal] : [])];
    answer = await fetch(path, {
      method,
      headers: { Authorization: `Bearer ${session()?.key ?? ""}` },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.any(signals),
    });
    told = await answer.json().catch(() => ({}));
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new LostError("The server does not answer.");
  }
  if (answer.ok) return told;
  const sentence = sentenceOf(told?.error?.message ?? `The server answered with status ${answer.status}`);
  throw LATER.includes(answer.status)
    ? new LostError(sentence, answer.status === 429)
    : new RefusedError(answer.status, sentence);
}

// For requests that read a whole log.
export const postSlowly = (path, body, signal) => call("POST", path, body, signal, 600_000);

// A sentence: with a capital letter and a full stop.
export function sentenceOf(text) {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
