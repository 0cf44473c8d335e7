// All views of a loop, in the order of the menu.

import { actions } from "./actions.js";
import { evaluation } from "./evaluation.js";
import { events } from "./events.js";
import { health } from "./health.js";
import { overview } from "./overview.js";
import { playground } from "./playground.js";
import { settings } from "./settings.js";
import { versions } from "./versions.js";

export const VIEWS = [
  { id: "overview", title: "Overview", show: overview },
  { id: "actions", title: "Actions", show: actions },
  { id: "events", title: "Events", show: events },
  { id: "health", title: "Health of the log", show: health },
  { id: "versions", title: "Versions", show: versions },
  { id: "settings", title: "Settings", show: settings },
  { id: "evaluate", title: "Evaluate", show: evaluation },
  { id: "playground", title: "Playground", show: playground },
];
