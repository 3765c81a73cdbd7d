// Two servers in one process do not share what their options say.
import { afterEach, expect, test } from "vitest";
import type { ServerOptions } from "../../../src/server/options/options.ts";
import { createServer, type Server } from "../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(options: Partial<ServerOptions>): Promise<Server> {
  const server = await createServer({ ...MEMORY_SERVER, ...options });
  servers.push(server);
  return server;
}

async function create(
  server: Server,
  path: string,
  object: object,
): Promise<{ status: number; text: string }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(object) });
  return { status: answer.status, text: await answer.text() };
}

const container = { name: "c", image: "i", securityContext: { privileged: true } };
const windows = {
  hostNetwork: true,
  securityContext: { windowsOptions: { hostProcess: true } },
  os: { name: "windows" },
};
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };

const PRIVILEGED: readonly (readonly [name: string, path: string, object: object])[] = [
  ["a pod", "/api/v1/namespaces/default/pods", { metadata: { name: "a" }, spec: template.spec }],
  [
    "a deployment",
    "/apis/apps/v1/namespaces/default/deployments",
    { metadata: { name: "a" }, spec: { selector: { matchLabels: { app: "a" } }, template } },
  ],
  [
    "a pod of host processes",
    "/api/v1/namespaces/default/pods",
    { metadata: { name: "b" }, spec: { ...windows, containers: [{ name: "c", image: "i" }] } },
  ],
];

test.each(PRIVILEGED)(
  "%s may be privileged where the server's own option allows it",
  async (_, path, object) => {
    const allows = await serve({ allowPrivileged: true });
    const forbids = await serve({ allowPrivileged: false });
    const refused = await create(forbids, path, object);
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining("disallowed by cluster policy"),
    ]);
    expect(await create(allows, path, object)).toEqual({ status: 201, text: expect.anything() });
  },
);

test("findings beside one that is allowed are told", async () => {
  const allows = await serve({ allowPrivileged: true });
  const securityContext = { privileged: true, allowPrivilegeEscalation: false };
  const { status, text } = await create(allows, "/api/v1/namespaces/default/pods", {
    metadata: { name: "a" },
    spec: { containers: [{ ...container, securityContext }] },
  });
  expect(status).toBe(422);
  expect(JSON.parse(text).details.causes).toHaveLength(1);
  expect(text).not.toContain("disallowed by cluster policy");
});
