import { expect, test } from "vitest";
import type { Client } from "../../../src/controller/client.ts";
import type { LogFields, Logger } from "../../../src/controller/logging.ts";
import { loggedClient } from "../../../src/controller/logging.ts";

const NODES = { group: "", version: "v1", resource: "nodes" };
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "a", resourceVersion: "7" } };
const silent = { info: () => {}, warn: () => {}, error: () => {} };

const client = {
  patch: () => Promise.resolve(node),
  delete: () => Promise.reject(new Error("no")),
} as unknown as Client; // the only methods that are called here

test("is the client itself where decisions are not logged", () => {
  expect(loggedClient(client, silent, "c")).toBe(client);
});

test("tells what was written and what was refused, and gives both on", async () => {
  const told: [string, LogFields][] = [];
  const log: Logger = { ...silent, debug: (message, fields) => told.push([message, fields]) };
  const logged = loggedClient(client, log, "c");
  const key = { namespace: "", name: "a" };
  expect(await logged.patch(NODES, key, { type: "merge", body: { a: 1 }, subresource: "status" })).toBe(node);
  await expect(logged.delete(NODES, key)).rejects.toThrow("no");
  expect(told).toMatchObject([
    [
      "decided",
      { controller: "c", verb: "patch", object: "nodes/status a", what: { a: 1 }, resourceVersion: "7" },
    ],
    ["decided, and refused", { controller: "c", verb: "delete", object: "nodes a", error: "no" }],
  ]);
});
