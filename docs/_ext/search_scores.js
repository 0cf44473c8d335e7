// Sphinx's scores. Text that is found in a guide comes before the same words in the pages of single classes.
var Scorer = {
  score: ([docname, , , , score, , kind]) => (kind === "text" && docname.startsWith("reference/") ? score / 10 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
