// Minutes, put together into so many steps of time that a chart can be read.

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440].map((one) => one * 60_000);
const MOST = 72;

// The shortest step that is not too many.
export const stepFor = (from, to) => STEPS.find((one) => (to - from) / one <= MOST) ?? STEPS.at(-1);

// By arm: [{t, decisions, rewarded, y, low, high}], where y is the mean reward. Minutes are independent of each other, so
// the variances of their means add up, each with the square of its weight.
export function binned(series, from, step) {
  const arms = new Map();
  for (const one of series) {
    const bins = arms.get(one.arm) ?? arms.set(one.arm, new Map()).get(one.arm);
    const t = from + Math.floor((Date.parse(one.minute) - from) / step) * step;
    const bin = bins.get(t) ?? bins.set(t, { decisions: 0, rewarded: 0, joined: 0, sum: 0, spread: 0, sure: 0 }).get(t);
    bin.decisions += one.decisions;
    bin.rewarded += one.rewarded;
    bin.joined += one.joined;
    if (one.joined > 0 && one.mean !== null) bin.sum += one.joined * one.mean;
    if (one.joined > 0 && one.low !== null) {
      bin.spread += (one.joined * (one.high - one.low)) ** 2 / 4;
      bin.sure += one.joined;
    }
  }
  return new Map([...arms].map(([arm, bins]) => [arm, [...bins].sort(([a], [b]) => a - b).map(([t, bin]) => point(t, bin))]));
}

function point(t, bin) {
  const { decisions, rewarded, joined } = bin;
  const y = joined > 0 ? bin.sum / joined : null;
  const half = bin.sure > 1 ? Math.sqrt(bin.spread) / bin.sure : null;
  return { t, decisions, rewarded, joined, y, low: half === null ? null : y - half, high: half === null ? null : y + half };
}
