// Attacks that once crashed a server with a small heap, or blocked its other clients. Counts and sizes are those with
// which they succeeded.
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { BuiltServer, Token } from "../built-server.ts";
import { type Attack, blow, blows, idleSockets, unread } from "./attack.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LOGIN = "/egret/v1/ui/login";
const HOLD_MS = 2000;
const BLOB = "x".repeat(700_000);

const configMap = (name: string, data: Readonly<Record<string, string>>, labels = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data });

const longUrls: Attack = {
  name: "400 URLs of 980 kB",
  strike: (server, token) =>
    blows(400, 8, (index) =>
      blow(server, token, { path: `/api/v1/pods?${index}=${"q".repeat(980_000)}` }),
    ).then(() => {}),
};

const longHeaders: Attack = {
  name: "400 requests with user agents and groups of 200 kB",
  async strike(server, token) {
    await blows(400, 8, () =>
      server
        .send("GET", "/version", undefined, {
          token,
          headers: { "user-agent": "u".repeat(200_000), "impersonate-user": "i".repeat(200_000) },
        })
        .catch(() => undefined),
    );
  },
};

const idleConnections: Attack = {
  name: "1,500 idle connections, then logins",
  async strike(server, token) {
    const sockets = await idleSockets(server, 1500);
    await blows(20, 4, () =>
      blow(server, token, { method: "POST", path: LOGIN, body: '{"token":"nonsense"}' }),
    );
    for (const socket of sockets) socket.destroy();
  },
};

const yamlLogins: Attack = {
  name: "30 logins of 2.6 MB of YAML",
  async strike(server, token) {
    const body = `a:\n${"- {b: [1, 2, 3]}\n".repeat(150_000)}`;
    await blows(30, 30, () =>
      blow(server, token, { method: "POST", path: LOGIN, type: "application/yaml", body }),
    );
  },
};

const yamlBodies: Attack = {
  name: "20 objects of 2.6 MB of YAML",
  rights: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create"] }],
  async strike(server, token) {
    const body = `a:\n${"- {b: [1, 2, 3]}\n".repeat(150_000)}`;
    const sent = { method: "POST", path: CONFIG_MAPS, type: "application/yaml", body };
    await blows(20, 20, () => blow(server, token, { ...sent, ms: 15_000 }));
  },
};

const importedLines: Attack = {
  name: "3 imported lines of 60 MB of lists",
  async strike(server, token) {
    const body = `{"kind":"List","items":[${"[],".repeat(20_000_000)}[]]}\n`;
    const sent = { method: "POST", path: "/egret/v1/import", type: "application/x-ndjson", body };
    await blows(3, 3, () => blow(server, token, { ...sent, ms: 15_000 }));
  },
};

const selectorWatches: Attack = {
  name: "120 watches with selectors of 120,000 terms",
  rights: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["watch", "list"] }],
  async strike(server, token) {
    const terms = Array.from({ length: 120_000 }, (_, index) => `k${index}`).join(",");
    await blows(120, 8, (index) =>
      blow(server, token, {
        path: `${CONFIG_MAPS}?watch=1&labelSelector=a${index},${terms}`,
        ms: HOLD_MS,
      }),
    );
  },
};

const fanOut: Attack = {
  name: "500 watchers that read nothing, and events of 0.7 MB",
  rights: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["watch", "list", "create", "delete"] }],
  async strike(server, token) {
    const watches = Array.from({ length: 500 }, () =>
      unread(server, token, { path: `${CONFIG_MAPS}?watch=1`, ms: 20_000 }),
    );
    await delay(HOLD_MS);
    for (const round of ["one", "two", "three"]) {
      const body = configMap(`large-${round}-${randomBytes(4).toString("hex")}`, { blob: BLOB });
      await blow(server, token, { method: "POST", path: CONFIG_MAPS, body });
    }
    await delay(HOLD_MS);
    for (const watch of watches) watch.destroy();
  },
};

const unreadLists: Attack = {
  name: "200 unread lists in YAML, JSON and as tables",
  rights: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
  async prepare(server) {
    await blows(40, 4, (index) =>
      blow(server, "root", {
        method: "POST",
        path: CONFIG_MAPS,
        body: configMap(`blob-${index}`, { blob: BLOB }),
      }),
    );
  },
  async strike(server, token) {
    const accepts = ["application/yaml", "application/json", "application/json;as=Table;v=v1;g=meta.k8s.io"];
    const lists = Array.from({ length: 200 }, (_, index) =>
      unread(server, token, { path: CONFIG_MAPS, accept: accepts[index % 3] ?? "", ms: 30_000 }),
    );
    await delay(2 * HOLD_MS);
    for (const list of lists) list.destroy();
  },
};

const importBombs: Attack = {
  name: "imports of 390 MB in 397 kB",
  async strike(server, token) {
    const bomb = gzipSync(Buffer.alloc(390_000_000, "["));
    for (const path of ["/egret/v1/import/file", "/egret/v1/import"]) {
      await blow(server, token, { method: "POST", path, type: "application/octet-stream", body: bomb });
    }
  },
};

const wideApplies: Attack = {
  name: "applies of 200,000 keys",
  rights: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "patch"] }],
  async strike(server, token) {
    const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":""`).join(",");
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"wide"},"data":{${keys}}}`;
    const type = "application/apply-patch+yaml";
    const path = `${CONFIG_MAPS}/wide?fieldManager=m&force=true`;
    await blows(8, 4, () => blow(server, token, { method: "PATCH", path, type, body }));
  },
};

const patterns: Attack = {
  name: "a pattern of 900 alternatives",
  rights: [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["create"] },
    { apiGroups: ["slow.example.com"], resources: ["*"], verbs: ["create"] },
  ],
  async strike(server, token) {
    const pattern = `^(${Array.from({ length: 900 }, (_, index) => `(a|b${index})*`).join("|")})+$`;
    const schema = { type: "object", properties: { text: { type: "string", pattern } } };
    const body = JSON.stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "slows.slow.example.com" },
      spec: {
        group: "slow.example.com",
        scope: "Cluster",
        names: { plural: "slows", kind: "Slow" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    await blow(server, token, {
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      body,
    });
    const object = `{"apiVersion":"slow.example.com/v1","kind":"Slow","metadata":{"generateName":"s-"},"text":"${"a".repeat(100_000)}!"}`;
    await blows(4, 4, () =>
      blow(server, token, {
        method: "POST",
        path: "/apis/slow.example.com/v1/slows",
        body: object,
        ms: 15_000,
      }),
    );
  },
};

const badTokens: Attack = {
  name: "50 tokens of 900 kB and 2,000 wrong ones",
  async strike(server) {
    const send = (token: string) =>
      server
        .send("GET", "/version", undefined, { token: "", headers: { authorization: `Bearer ${token}` } })
        .catch(() => undefined);
    await blows(50, 8, () => send("a.b.c".repeat(180_000)));
    await blows(2000, 16, (index) => send(`wrong-${index}`));
  },
};

export const ATTACKS: readonly Attack[] = [
  longUrls,
  longHeaders,
  badTokens,
  idleConnections,
  yamlLogins,
  yamlBodies,
  importedLines,
  selectorWatches,
  fanOut,
  unreadLists,
  importBombs,
  wideApplies,
  patterns,
];

export type Attacker = { readonly name: string; readonly token: Token };
export const ATTACKERS: readonly Attacker[] = [
  { name: "anonymous", token: "" },
  { name: "a user with the rights that the attack needs", token: "low" },
];

/** Grants the attacker the required rights, and creates the objects that the attacks read. */
export async function prepareAttacks(server: BuiltServer): Promise<void> {
  await server.grant(ATTACKS.flatMap(({ rights = [] }) => rights));
  for (const attack of ATTACKS) await attack.prepare?.(server);
}
