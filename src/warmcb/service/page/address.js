// The address of a view: #/LOOP/VIEW/WHAT. Names may have any characters.

export function here() {
  const [loop = "", view = "overview", what = ""] = location.hash
    .replace(/^#\/?/, "")
    .split("/")
    .map(decodeURIComponent);
  return { loop, view: view || "overview", what };
}

export const address = (loop, view = "overview", what = "") =>
  `#/${[loop, view, what]
    .filter((part) => part !== "")
    .map(encodeURIComponent)
    .join("/")}`;
