// Many objects at once: listed, watched, deleted, saved and restored.
import { setTimeout as delay } from "node:timers/promises";
import { inBatches } from "../../../src/apimachinery/meta/lists.ts";
import type { ServerAccess } from "../client/server-access.ts";
import { customKind, DEFINITIONS } from "./custom-kind.ts";
import { fillKind, fillNamespace, mapsOf } from "./filled-store.ts";
import { TABLE } from "./object-stalls.ts";
import { OPENAPI_V2 } from "./server-stalls.ts";
import { inTurn, listOf, must, type Stall, type Strike, statusOf, together } from "./stall.ts";
import { versionedDefinition } from "./versioned-definition.ts";

const MANY = 10_000;
const DEFINITIONS_MANY = 100;
const VERSIONED = "versions.example.com";
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const GONE_TRIES = 300;
const GONE_STEP_MS = 100;
const PROTOBUF = "application/vnd.kubernetes.protobuf";
/** The namespaces of lists and watches, which are kept. */
const LISTED = "listed";
const MORE = "more";

export const COLLECTION_STALLS: readonly Stall[] = [
  {
    id: "server/lists",
    what: "lists of 10,000 objects as JSON, YAML and Table",
    answers: [200],
    arm: async (access) => {
      await fillNamespace(access, LISTED, MANY);
      const path = mapsOf(LISTED);
      const forms = ["application/json", "application/yaml", TABLE, `${TABLE},application/json`];
      return together(access, [
        ...forms.map((accept) => ({ method: "GET", path, accept })),
        { method: "GET", path: `${path}?labelSelector=${selector("a!=b,c notin (d,e)")}` },
        { method: "GET", path: "/egret/v1/export?full=true" },
      ]);
    },
  },
  {
    id: "server/watches",
    what: "twenty watches that begin with 10,000 objects",
    answers: [200],
    arm: async (access) => {
      await fillNamespace(access, LISTED, MANY);
      const forms = ["application/json", `${TABLE},application/json`, PROTOBUF, "application/json"];
      const path = `${mapsOf(LISTED)}?watch=true&timeoutSeconds=1`;
      const watch = (index: number) => ({
        method: "GET",
        path: index % 4 === 3 ? `${path}&labelSelector=${selector(`app!=app-${index}`)}` : path,
        accept: forms[index % 4] ?? "",
      });
      return together(access, listOf(20, watch));
    },
  },
  {
    id: "server/reconnects",
    what: "300 watches that go on 1,000 changes ago",
    answers: [200],
    arm: async (access) => {
      await fillNamespace(access, LISTED, MANY);
      const since = await revisionOf(access);
      await fillNamespace(access, `${MORE}-changes`, 1000);
      const query = `watch=true&timeoutSeconds=1&resourceVersion=${since}`;
      const watch = (index: number) => ({
        method: "GET",
        path: `${index % 2 === 0 ? mapsOf(`${MORE}-changes`) : "/api/v1/configmaps"}?${query}`,
      });
      return together(access, listOf(300, watch));
    },
  },
  {
    id: "server/state",
    what: "20,000 objects saved, away with them, and back",
    answers: [200],
    arm: async (access) => {
      await fillNamespace(access, LISTED, MANY);
      await fillNamespace(access, MORE, MANY);
      const snapshot = "/egret/v1/snapshots/stalls";
      return inTurn(access, [
        { method: "PUT", path: snapshot },
        { method: "POST", path: "/egret/v1/reset" },
        { method: "POST", path: `${snapshot}/restore` },
        { method: "POST", path: "/egret/v1/reset", body: JSON.stringify({ watches: "expire" }) },
        { method: "POST", path: `${snapshot}/restore` },
      ]);
    },
  },
  {
    id: "server/collection",
    what: "10,000 objects deleted at once",
    answers: [200, 504],
    arm: async (access) => {
      await fillNamespace(access, "collected", MANY);
      return inTurn(access, [{ method: "DELETE", path: mapsOf("collected") }]);
    },
  },
  {
    id: "server/namespace",
    what: "a namespace of 10,000 objects deleted",
    answers: [200, 404],
    arm: async (access) => {
      await fillNamespace(access, "emptied", MANY);
      return untilGone(access, "/api/v1/namespaces/emptied");
    },
  },
  {
    id: "server/kind",
    what: "a definition with 10,000 objects deleted",
    answers: [200, 404],
    arm: async (access) => {
      const kind = customKind("removed", { type: "object", properties: { text: { type: "string" } } });
      await fillKind(access, kind, MANY);
      return untilGone(access, `${DEFINITIONS}/removed.stalls.example.com`);
    },
  },
  {
    id: "server/definitions",
    what: "discovery and OpenAPI of 100 definitions with 10 versions, before and after a change of one",
    answers: [200],
    arm: async (access) => {
      const definitions = listOf(DEFINITIONS_MANY, (number) => versionedDefinition(VERSIONED, number));
      await inBatches(definitions, (definition) =>
        must(access, { method: "POST", path: DEFINITIONS, body: JSON.stringify(definition) }, [201, 409]),
      );
      const gets = [
        { method: "GET", path: "/apis", accept: AGGREGATED },
        { method: "GET", path: "/openapi/v3" },
        { method: "GET", path: "/openapi/v2" },
        { method: "GET", path: "/openapi/v2", accept: OPENAPI_V2 },
      ];
      const change = {
        method: "PATCH",
        path: `${DEFINITIONS}/benches7.${VERSIONED}`,
        type: "application/merge-patch+json",
        body: JSON.stringify({ spec: { names: { shortNames: ["seventh"] } } }),
      };
      return inTurn(access, [...gets, change, ...gets]);
    },
  },
];

const selector = encodeURIComponent;

/** Deletes it, and polls until it returns 404. */
function untilGone(access: ServerAccess, path: string): Strike {
  return async () => {
    const statuses = [await statusOf(access, { method: "DELETE", path })];
    for (let tries = 0; statuses.at(-1) !== 404 && tries < GONE_TRIES; tries++) {
      await delay(GONE_STEP_MS);
      statuses.push(await statusOf(access, { method: "GET", path }));
    }
    return statuses;
  };
}

/** Returns the current revision of the store, by a write of its own. */
async function revisionOf(access: ServerAccess): Promise<string> {
  const path = "/api/v1/namespaces/default/configmaps";
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "now-" } });
  await must(access, { method: "POST", path, body });
  const answer = await fetch(`${access.url}${path}?limit=1`, { headers: access.headers });
  const list = (await answer.json()) as { metadata: { resourceVersion: string } }; // a list has it
  return list.metadata.resourceVersion;
}
