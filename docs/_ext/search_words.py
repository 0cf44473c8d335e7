"""Words that newcomers search for, and the pages that answer them in other words. They become entries of the index."""

import re

from sphinx.application import Sphinx

WORDS = {
    "start/index": "quickstart, getting started, tutorial, introduction, contextual bandit, multi-armed bandit",
    "start/installation": "install, pip, wheel, windows, macos, requirements",
    "start/labels": "warm start, cold start",
    "guides/guide": "parameters, hyperparameters, epsilon, exploration, exploration rate, lambda",
    "guides/costs": "delayed reward, delayed feedback, reward, cost range",
    "guides/labels": "several label sources, label sources, noisy labels, weak labels",
    "guides/features": "categorical features, missing values, one-hot encoding, scaling, sparse features",
    "guides/frames": "pandas, polars, dataframe",
    "guides/actions": "described actions, action features",
    "guides/available-actions": "add action, new action, remove action",
    "guides/past-decisions": "offline learning",
    "guides/diagnostics": "explain decision, explanation, monitoring, lambda",
    "guides/drift": "drift, concept drift, non-stationary, forgetting",
    "guides/saving": "save model, load model, pickle, serialization",
    "guides/deployment": "production, thread safe, multiprocessing",
    "guides/logs": "propensity, log format, dsjson",
    "guides/glossary": "glossary, terms, vocabulary, arm, propensity, lambda, lane",
    "guides/evaluation": "off-policy, off-policy evaluation, counterfactual, propensity, doubly robust, a/b test",
    "guides/parts": "custom explorer, custom learner",
    "service/index": "http, rest api, server",
    "service/modes": "a/b test, control group",
    "service/running": "production, docker, container, systemd",
    "service/postgresql": "postgres, database",
    "service/personalizer": "personalizer, azure personalizer",
    "internals/algorithms": "exploration, lambda",
    "internals/benchmarks": "vowpal wabbit, speed",
    "study/comparisons": "vowpal wabbit, thompson sampling, linucb",
}
_TITLE = re.compile(r"^# .*\n", re.MULTILINE)


def add_words(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put them below the title. The exclamation mark makes them count in a search."""
    if words := WORDS.get(docname):
        entries = ", ".join(f"! {word}" for word in words.split(", "))
        source[0] = _TITLE.sub(lambda title: f"{title[0]}\n```{{index}} {entries}\n```\n", source[0], count=1)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
