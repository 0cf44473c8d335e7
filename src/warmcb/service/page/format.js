// Numbers and times for people.

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (n) => whole.format(n);
export const short = (n) => (Math.abs(n) < 1e6 ? whole.format(n) : compact.format(n));

// Three significant digits.
export function number(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return scientific(x);
  return new Intl.NumberFormat("en", { maximumSignificantDigits: size >= 1000 ? 6 : 3 }).format(x).replace("-", "−");
}

function scientific(x) {
  const [digits, power] = x.toExponential(1).split("e");
  const raised = [...power.replace("+", "")].map((one) => (one === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[one])).join("");
  return `${digits.replace("-", "−")}·10${raised}`;
}

export const signed = (x) => (x > 0 ? `+${number(x)}` : number(x));

export function percent(x) {
  if (x === null || x === undefined) return "–";
  if (x > 0 && x < 0.0005) return "< 0.1 %";
  if (x < 1 && x > 0.9995) return "> 99.9 %";
  return `${number(Math.round(x * 1000) / 10)} %`;
}

export const interval = (low, high) => (low === null || low === undefined ? "" : `${number(low)} to ${number(high)}`);

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  const units = [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
    ["s", 1],
  ];
  const [unit, size] = units.find(([, one]) => seconds >= 2 * one) ?? ["s", 1];
  return `${number(Math.round((seconds / size) * 10) / 10)} ${unit}`;
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(n, 1)) / 3), units.length - 1);
  return `${number(n / 1000 ** power)} ${units[power]}`;
}

const DAY = { month: "short", day: "numeric" };
const MINUTE = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

// In the reader's time zone, with the day unless it is today.
export function moment(iso, seconds = true) {
  if (!iso) return "–";
  const time = new Date(iso);
  const isToday = time.toDateString() === new Date().toDateString();
  const clock = seconds ? { ...MINUTE, second: "2-digit" } : MINUTE;
  return time.toLocaleString("en-GB", isToday ? clock : { ...DAY, ...clock });
}
