// Elements from plain values. Text stays text: nothing that a caller sent can become markup.

const SVG = "http://www.w3.org/2000/svg";

export const h = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

export const s = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, tag), attributes, children);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

let count = 0;
// A new id, to connect a label or a description with its element.
export const newId = (name) => `${name}-${(count += 1)}`;
