// Calls of @azure-rest/ai-personalizer; their statuses and bodies are printed as JSON.
// node rest.mjs FOLDER-OF-NODE_MODULES URL KEY START END
import { createRequire } from "node:module";

const [folder, url, key, startTime, endTime] = process.argv.slice(2);
const require = createRequire(folder + "/");
const createClient = require("@azure-rest/ai-personalizer").default;

const client = createClient(url, { key }, { allowInsecureConnection: true });
const actions = [
  { id: "tea", features: [{ hot: true }, { price: 2 }] },
  { id: "milk", features: [{ hot: false }, { price: 1 }] },
  { id: "beer", features: [{ hot: false }, { price: 4 }] },
];
const contextFeatures = [{ user: { age: 31 } }, { hour: 9 }];
const told = {};
const call = async (name, made) => {
  const { status, body, headers } = await made;
  told[name] = { status, body: Object.keys(body ?? {}).length ? body : null, location: headers.location };
  return told[name];
};

const event = "visit/8 é";
await call("rank", client.path("/rank").post({ body: { eventId: event, contextFeatures, actions } }));
await call("reward", client.path("/events/{eventId}/reward", event).post({ body: { value: 1 } }));
await call("activate", client.path("/events/{eventId}/activate", event).post());

const page = "page/8 é";
const slots = [
  { id: "top", baselineAction: "tea", features: [{ size: "large" }] },
  { id: "side", baselineAction: "milk", excludedActions: ["beer"] },
];
await call("slots", client.path("/multislot/rank").post({ body: { eventId: page, contextFeatures, actions, slots } }));
const reward = [{ slotId: "top", value: 1 }, { slotId: "side", value: 0 }];
await call("slot rewards", client.path("/multislot/events/{eventId}/reward", page).post({ body: { reward } }));
await call("slot activate", client.path("/multislot/events/{eventId}/activate", page).post());
const wrong = [{ id: "top", baselineAction: "tea", excludedActions: ["tea"] }];
await call("wrong slots", client.path("/multislot/rank").post({ body: { actions, slots: wrong } }));

const { body: service } = await call("service", client.path("/configurations/service").get());
const changed = { ...service, rewardWaitTime: "PT2S", explorationPercentage: 0.1 };
await call("new service", client.path("/configurations/service").put({ body: changed }));
const unusable = { ...service, rewardWaitTime: "soon" };
await call("wrong service", client.path("/configurations/service").put({ body: unusable }));
const policy = client.path("/configurations/policy");
await call("policy", policy.get());
await call("new policy", policy.put({ body: { name: "mine", arguments: "--explorer epsilon-greedy" } }));
await call("reset policy", policy.delete());

const contract = { name: "a week", startTime, endTime, policies: [{ name: "linear", arguments: "--features linear" }] };
const made = await call("evaluation", client.path("/evaluations").post({ body: contract }));
const one = client.path("/evaluations/{evaluationId}", made.body.id);
for (let i = 0; i < 600; i++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  if ((await call("evaluated", one.get())).body.status !== "pending") break;
}
await call("evaluations", client.path("/evaluations").get());
const applied = { evaluationId: made.body.id, policyName: "linear" };
await call("apply", client.path("/configurations/applyFromEvaluation").post({ body: applied }));
await call("delete evaluation", one.delete());
await call("no evaluation", one.get());

await call("model properties", client.path("/model/properties").get());
const model = await client.path("/model").get().asNodeStream();
const parts = [];
for await (const part of model.body) parts.push(part);
const octets = new Uint8Array(Buffer.concat(parts));
told["model"] = { status: model.status, bytes: octets.length };
const octet = { contentType: "application/octet-stream" };
await call("import", client.path("/model").put({ body: octets, ...octet }));
await call("wrong import", client.path("/model").put({ body: new Uint8Array([1, 2, 3]), ...octet }));
await call("reset", client.path("/model").delete());

await call("interactions", client.path("/logs/interactions").post({ body: new Uint8Array([1]), ...octet }));
await call("log properties", client.path("/logs/properties").get());
await call("delete log", client.path("/logs").delete());
await call("no log", client.path("/logs/properties").get());
console.log(JSON.stringify(told));
