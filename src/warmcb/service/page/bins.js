// Stretches of time, put together so that a chart has few enough points.

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440].map((one) => one * 60_000);
const MOST = 72;

// The shortest step that does not give too many points.
const stepFor = (from, to) => STEPS.find((one) => (to - from) / one <= MOST) ?? STEPS.at(-1);

// The period to show: the chosen one, or less if the loop is younger.
export function span(report, hours) {
  const to = Date.now();
  const wanted = to - hours * 3_600_000;
  const first = Math.min(...report.series.map((one) => Date.parse(one.minute)), to);
  const step = Math.max(stepFor(Math.max(first, wanted), to), report.every * 1000);
  const from = first > wanted ? Math.floor(first / step) * step : Math.ceil(wanted / step) * step;
  return { from, to, step };
}

// By arm: [{t, decisions, rewarded, y, low, high}]; y is the mean reward. Stretches of time are independent, so the
// variances of their means add up, each with the square of its weight.
export function binned(series, from, step) {
  const arms = new Map();
  for (const one of series.filter((stretch) => Date.parse(stretch.minute) >= from)) {
    const bins = arms.get(one.arm) ?? arms.set(one.arm, new Map()).get(one.arm);
    const t = from + Math.floor((Date.parse(one.minute) - from) / step) * step;
    const bin =
      bins.get(t) ?? bins.set(t, { decisions: 0, rewarded: 0, joined: 0, sum: 0, spread: 0, sure: 0 }).get(t);
    bin.decisions += one.decisions;
    bin.rewarded += one.rewarded;
    bin.joined += one.joined;
    if (one.joined > 0 && one.mean !== null) bin.sum += one.joined * one.mean;
    if (one.joined > 0 && one.low !== null) {
      bin.spread += (one.joined * (one.high - one.low)) ** 2 / 4;
      bin.sure += one.joined;
    }
  }
  return new Map(
    [...arms].map(([arm, bins]) => [arm, [...bins].sort(([a], [b]) => a - b).map(([t, bin]) => point(t, bin))]),
  );
}

function point(t, bin) {
  const { decisions, rewarded, joined } = bin;
  const y = joined > 0 ? bin.sum / joined : null;
  const half = bin.sure > 1 ? Math.sqrt(bin.spread) / bin.sure : null;
  return {
    t,
    decisions,
    rewarded,
    joined,
    y,
    low: half === null ? null : y - half,
    high: half === null ? null : y + half,
  };
}

// Decisions and rewarded events per minute, of all arms together. The last step may not be over yet.
export function traffic(arms, to, step) {
  const bins = new Map();
  for (const p of [...arms.values()].flat()) {
    const bin = bins.get(p.t) ?? bins.set(p.t, { decisions: 0, rewarded: 0 }).get(p.t);
    bin.decisions += p.decisions;
    bin.rewarded += p.rewarded;
  }
  const minutes = (t) => Math.max(Math.min(step, to - t) / 60_000, 1);
  const times = [...bins.keys()].sort((a, b) => a - b);
  const points = (name) => times.map((t) => ({ t, y: bins.get(t)[name] / minutes(t) }));
  return [
    { name: "decisions", look: 0, points: points("decisions") },
    { name: "rewarded events", look: 1, points: points("rewarded") },
  ];
}
