// The key, and its loop if it is for a single one. Both are forgotten with the browser session.

const NAME = "warmcb";

export function session() {
  const kept = sessionStorage.getItem(NAME);
  return kept ? JSON.parse(kept) : null;
}

export const begin = (key, loop) => sessionStorage.setItem(NAME, JSON.stringify({ key, loop }));

export const end = () => sessionStorage.removeItem(NAME);
