// What each mode does, and what can be known in it.

export const MODES = {
  online: {
    title: "Online",
    does: "The model decides.",
    known:
      "Its reward is measured as it is played. What it gains over the baseline is known if some units get the " +
      "baseline: a control share, or a roll-out below 100 %.",
  },
  apprentice: {
    title: "Apprentice",
    does: "The baseline decides, and the model learns from what it does.",
    known:
      "How often the model agrees with the baseline is known. λ and the gain are known only from events that the " +
      "model decides: set explore to 0.02, for example, to let it decide 2 % of them.",
  },
  shadow: {
    title: "Shadow",
    does: "The baseline decides, and the model learns the rewards of what it plays.",
    known:
      "How often the model agrees with the baseline is known. What it would gain is not, since it never decides.",
  },
  paused: {
    title: "Paused",
    does:
      "The baseline decides: the first action on offer if a request names no baseline. The model goes on learning " +
      "from it.",
    known: "The reward of the baseline is known. What the model would bring now is not.",
  },
};

export const modeOf = (mode) => MODES[mode] ?? { title: mode, does: "", known: "" };
