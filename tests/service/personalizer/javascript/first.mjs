// Calls of @azure/cognitiveservices-personalizer; what they give is printed as JSON.
// node first.mjs FOLDER-OF-NODE_MODULES URL KEY
import { createRequire } from "node:module";

const [folder, url, key] = process.argv.slice(2);
const require = createRequire(folder + "/");
const { PersonalizerClient } = require("@azure/cognitiveservices-personalizer");
const { ApiKeyCredentials } = require("@azure/ms-rest-js");

const credentials = new ApiKeyCredentials({ inHeader: { "Ocp-Apim-Subscription-Key": key } });
const client = new PersonalizerClient(credentials, url);
const request = {
  eventId: "visit/7 é",
  contextFeatures: [{ user: { age: 31 } }, { hour: 9 }],
  actions: [
    { id: "tea", features: [{ hot: true }, { price: 2 }] },
    { id: "milk", features: [{ hot: false }, { price: 1 }] },
    { id: "beer", features: [{ hot: false }, { price: 4 }] },
  ],
  excludedActions: ["milk"],
  deferActivation: true,
};

const statuses = [];
const ranked = await client.rank(request);
statuses.push(ranked._response.status);
const again = await client.rank(request);
statuses.push((await client.events.activate("visit/7 é"))._response.status);
statuses.push((await client.events.reward("visit/7 é", { value: 0.5 }))._response.status);
const unnamed = await client.rank({ actions: request.actions });

const refused = [];
for (const call of [
  () => client.rank({ actions: [] }),
  () => client.rank({ actions: [{ id: "tea", features: [] }] }),
  () => client.events.reward("visit/7 é", { value: 7 }),
]) {
  try {
    await call();
    refused.push(null);
  } catch (error) {
    refused.push({ status: error.statusCode, body: error.body ?? JSON.parse(error.message) });
  }
}
console.log(JSON.stringify({ ranked, again, unnamed, statuses, refused }));
