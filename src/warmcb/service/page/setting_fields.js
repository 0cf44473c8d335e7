// The label, the meaning and the input of each setting.

const share = (most = 1) => ({ kind: "number", min: 0, max: most, step: "any" });
const above = (min, max) => ({ kind: "number", min, max, step: "any" });
const choice = (...options) => ({ kind: "choice", options });

export const GROUPS = [
  {
    title: "Who decides",
    fields: [
      {
        name: "mode",
        label: "Mode",
        about:
          "Online: the model. Apprentice, shadow and paused: the baseline, which is the first action on offer if a " +
          "request names none. In apprentice and paused, the model also learns to imitate it. In shadow, it learns " +
          "only from its rewards.",
        ...choice("online", "apprentice", "shadow", "paused"),
      },
      {
        name: "explore",
        label: "Share of the apprentice",
        about: "In the mode apprentice, the share that the model decides. From 0.02 on λ and the gain can be known.",
        ...share(),
      },
      {
        name: "control",
        label: "Control share",
        about: "Units that always get the baseline, at most 0.5. The gain is measured against them.",
        ...share(0.5),
      },
      {
        name: "rollout",
        label: "Roll-out",
        about: "In the mode online: the share of the other units for which the model decides.",
        ...share(),
      },
      {
        name: "auto_pause",
        label: "Pause automatically",
        about: "When the loop is significantly worse than its control group. Needs a reward range and a control share.",
        kind: "switch",
      },
      {
        name: "webhook",
        label: "Webhook",
        about: "The address that gets a message after an automatic pause.",
        kind: "text",
      },
    ],
  },
  {
    title: "Rewards",
    fields: [
      {
        name: "wait",
        label: "Wait for rewards (seconds)",
        about: "From 1 second to 90 days. An event is learned when its wait is over.",
        ...above(1, 7_776_000),
      },
      {
        name: "default_reward",
        label: "Default reward",
        about: "The reward of an event that got none.",
        ...above(-1e12, 1e12),
      },
      {
        name: "aggregation",
        label: "Several rewards",
        about: "How several rewards of a decision become one.",
        ...choice("earliest", "sum", "mean", "median", "least", "largest"),
      },
      {
        name: "join",
        label: "Learn an event",
        about: "At its deadline; or with its first reward, which is biased: successes are learned before failures.",
        ...choice("deadline", "first_reward"),
      },
      {
        name: "reward_range",
        label: "Reward range",
        about: "The lowest and the highest possible reward, such as 0, 1. Empty if they are not known.",
        kind: "range",
      },
    ],
  },
  {
    title: "Learning and exploring",
    fields: [
      {
        name: "epsilon",
        label: "Exploration (ε)",
        about: "The largest share of decisions that explore.",
        ...share(),
      },
      {
        name: "explorer",
        label: "Explorer",
        about: "Inverse gap explores less where the best action is clear, epsilon-greedy always a minimum.",
        ...choice("inverse-gap", "epsilon-greedy"),
      },
      {
        name: "features",
        label: "Features",
        about: "What the learner sees of each value.",
        ...choice("bends", "squares", "linear"),
      },
    ],
  },
  {
    title: "Operation",
    fields: [
      {
        name: "decide_timeout",
        label: "Wait for a model (seconds)",
        about: "If no model is available by then, the baseline is played.",
        ...above(0.001, 10),
      },
      {
        name: "publish_seconds",
        label: "Publish after (seconds)",
        about: "A new model is published after this time at the latest.",
        ...above(0.1, 3600),
      },
      {
        name: "publish_events",
        label: "Publish after (events)",
        about: "Or earlier, after this many events.",
        kind: "number",
        min: 1,
        max: 1_000_000,
        step: 1,
      },
      { name: "keep_days", label: "Keep events (days)", about: "Older ones are deleted.", ...above(0.01, 3650) },
    ],
  },
];

// All settings in groups. Those that this page does not know are entered as JSON.
export function groupsFor(settings) {
  const known = GROUPS.map((group) => ({ ...group, fields: group.fields.filter((one) => one.name in settings) }));
  const names = new Set(known.flatMap((group) => group.fields.map((one) => one.name)));
  const others = Object.keys(settings).filter((name) => !names.has(name));
  const strange = {
    title: "Others",
    fields: others.map((name) => ({ name, label: name, about: "As JSON.", kind: "json" })),
  };
  return [...known, strange].filter((group) => group.fields.length > 0);
}

export const titleOf = (name) =>
  GROUPS.flatMap((group) => group.fields).find((one) => one.name === name)?.label ?? name;
