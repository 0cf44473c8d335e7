// From values to positions on an axis, and which values to label.

export function linear([from, to], [start, end]) {
  const width = to - from || 1;
  return (x) => start + ((x - from) / width) * (end - start);
}

// About `n` round values between two values.
export function ticks(from, to, n) {
  const rough = (to - from || 1) / Math.max(n, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.7);
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i += 1) found.push(i * step);
  return found;
}

const MINUTE = 60_000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map((one) => one * MINUTE);

// About `n` round times, in the reader's time zone.
export function timeTicks(from, to, n) {
  const step = STEPS.find((one) => one >= (to - from) / Math.max(n, 1)) ?? STEPS.at(-1);
  const shift = new Date(from).getTimezoneOffset() * MINUTE;
  const found = [];
  for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to; t += step) found.push(t);
  return found;
}

// Some room around values, so that no line touches the border.
export function padded(values, floor = null) {
  const known = values.filter((one) => Number.isFinite(one));
  if (known.length === 0) return [0, 1];
  const low = Math.min(...known),
    high = Math.max(...known);
  const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  return [floor !== null && low >= floor ? floor : low - room, high + room];
}
