"""The layers of the package, from the top to the bottom: a module imports from its own layer or from those below."""

LAYERS = [
    (("__main__",), "python -m warmcb"),
    (("cli",), "the command warmcb"),
    (("study", "service"), "the paper's study; the decision service"),
    (("client",), "a typed client of the service"),
    (("logs",), "logs of decisions: read, check, evaluate, replay"),
    (("theory",), "the paper's bounds, and the similarity of sources"),
    (("data", "plot"), "data files as matrices; figures of runs"),
    (("catalogue",), "all algorithms by name"),
    (("simulation",), "runs on data whose costs are known"),
    (("bandits",), "one file per algorithm: decide, learn, save"),
    (("features",), "records, JSON and data frames as rows"),
    (("learners", "selectors", "explorers", "noise"), "the parts of a bandit; label noise"),
    (("contracts",), "the interfaces of the parts"),
    (("_inputs", "_modelfile"), "checked arguments; files of saved bandits"),
    (("_frames", "_sparse"), "data frames and sparse matrices"),
    (("_own",), "algorithms and noises of users"),
    (
        ("_core", "_atomic", "_code", "_costs", "_messages", "_states", "_streams", "_svg", "errors"),
        "the compiled core; small helpers; all errors",
    ),
]
