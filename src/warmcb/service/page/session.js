// The key, and the loop that it is for if it is for one only. Both end with the browser session.

const NAME = "warmcb";

export function session() {
  const kept = sessionStorage.getItem(NAME);
  return kept ? JSON.parse(kept) : null;
}

export const begin = (key, loop) => sessionStorage.setItem(NAME, JSON.stringify({ key, loop }));

export const end = () => sessionStorage.removeItem(NAME);
