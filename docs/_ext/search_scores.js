// Sphinx's scores, and what comes first among pages that have the same words.
const FOLDERS = {
  start: 3, guides: 3, service: 2, commands: 1, lessons: 1, theory: 0, study: 0, internals: -1,
  changelog: -2, contributing: -2, reference: -4,
};
var Scorer = {
  score: (result) => {
    const [docname, title, , , score, , kind] = result;
    // A page is listed once, whether its title, its words or an index entry of it are found.
    if (kind === "index" || (kind === "title" && !title.includes(" > "))) result[2] = "";
    if (kind === "object") return docname.startsWith("commands/") ? score / 10 : score;
    return score + (FOLDERS[docname.split("/")[0]] ?? 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
