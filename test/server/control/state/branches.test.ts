// Snapshots and branches of a server, in process and over its routes.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SNAPSHOTS_MAX } from "../../../../src/features/state/named-states.ts";
import { stateRoutes } from "../../../../src/features/state/routes.ts";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../../support/memory-server.ts";
import { askerOf } from "../../../unit/features/control-surface/ask.ts";

let server: Server;
let ask: ReturnType<typeof askerOf>;
beforeEach(async () => {
  server = await createServer(MEMORY_SERVER);
  ask = askerOf(stateRoutes(server.control));
});
afterEach(() => server.close());

const configMaps = { group: "", version: "v1", resource: "configmaps" };
const put = (name: string) => {
  const metadata = { name, namespace: "default" };
  return server.clientFor("test").create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata });
};
const names = async () =>
  (await server.clientFor("test").list(configMaps, { namespace: "default" })).items.map(
    ({ metadata }) => metadata.name,
  );

describe("snapshots", () => {
  test("are saved, listed, restored and deleted", async () => {
    await put("a");
    expect(await ask("POST", "/snapshots", { name: "one" })).toMatchObject({ name: "one" });
    await put("b");
    await expect(ask("POST", "/snapshots", { name: "one" })).rejects.toMatchObject({ code: 409 });
    await ask("PUT", "/snapshots/two");
    expect(await ask("GET", "/snapshots")).toMatchObject({ items: [{ name: "one" }, { name: "two" }] });
    const restored = { created: 0, updated: 0, deleted: 1 };
    expect(await ask("POST", "/snapshots/one/restore")).toMatchObject(restored);
    expect(await names()).toEqual(["a"]);
    expect(await ask("POST", "/reset", { to: { snapshot: "two" } })).toMatchObject({ created: 1 });
    expect(await names()).toEqual(["a", "b"]);
    await ask("DELETE", "/snapshots/two");
    await expect(ask("GET", "/snapshots/two")).rejects.toMatchObject({ code: 404 });
  });

  test.each([
    ["POST", "/snapshots", { name: "a b" }, 400],
    ["PUT", "/snapshots/-", undefined, 400],
    ["POST", "/snapshots/none/restore", undefined, 404],
    ["DELETE", "/snapshots/none", undefined, 404],
    ["POST", "/reset", { to: "nowhere" }, 400],
    ["POST", "/reset", { to: { snapshot: "none" } }, 404],
    ["POST", "/reset", { watches: "maybe" }, 400],
  ])("%s %s with %j is refused", async (method, path, body, code) => {
    await expect(ask(method, path, body)).rejects.toMatchObject({ code });
  });

  test("are bounded", () => {
    for (let index = 0; index < SNAPSHOTS_MAX; index++) server.control.snapshots.save(`s${index}`);
    expect(() => server.control.snapshots.save("more")).toThrow("delete some first");
    server.control.snapshots.save("s0", { replace: true });
  });
});

describe("reset", () => {
  test("goes back to the start, and again", async () => {
    for (const name of ["a", "b"]) {
      await put(name);
      expect(await ask("POST", "/reset")).toMatchObject({ deleted: 1 });
      expect(await names()).toEqual([]);
    }
    expect(await ask("POST", "/reset")).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("start holds what was loaded, empty does not", async () => {
    await put("loaded");
    server.control.state.markStart();
    await put("a");
    await ask("POST", "/reset", { to: "start" });
    expect(await names()).toEqual(["loaded"]);
    await ask("POST", "/reset", { to: "empty" });
    expect(await names()).toEqual([]);
    await ask("POST", "/reset", { to: "start" });
    expect(await names()).toEqual(["loaded"]);
  });
});

describe("branches", () => {
  test("each is found as it was left", async () => {
    await put("a");
    await ask("POST", "/branches", { name: "other" });
    expect(await ask("GET", "/branches")).toMatchObject({
      items: [
        { name: "main", current: true },
        { name: "other", current: false },
      ],
    });
    await put("on-main");
    await ask("POST", "/branches/other/checkout");
    expect(await names()).toEqual(["a"]);
    await put("on-other");
    await ask("POST", "/branches/main/checkout", { watches: "expire" });
    expect(await names()).toEqual(["a", "on-main"]);
    await ask("POST", "/branches/main/checkout");
    await ask("POST", "/branches/other/checkout");
    expect(await names()).toEqual(["a", "on-other"]);
  });

  test("begin with a snapshot or another branch", async () => {
    await ask("POST", "/snapshots", { name: "nothing" });
    await put("a");
    await ask("POST", "/branches", { name: "empty", from: "nothing" });
    await ask("POST", "/branches", { name: "copy", from: "main" });
    await ask("POST", "/branches/empty/checkout");
    expect(await names()).toEqual([]);
    await ask("POST", "/branches/copy/checkout");
    expect(await names()).toEqual(["a"]);
  });

  test("whoever goes over to several at once ends with the last", async () => {
    for (const name of ["one", "two"]) await ask("POST", "/branches", { name });
    await put("on-main");
    await Promise.all(["one", "two", "main"].map((name) => ask("POST", `/branches/${name}/checkout`)));
    expect(await names()).toEqual(["on-main"]);
    expect(server.control.branches.current).toBe("main");
  });

  test.each([
    ["POST", "/branches", { name: "main" }, 409],
    ["POST", "/branches", { name: "b", from: "none" }, 404],
    ["POST", "/branches/none/checkout", undefined, 404],
    ["DELETE", "/branches/main", undefined, 409],
    ["DELETE", "/branches/none", undefined, 404],
  ])("%s %s with %j is refused", async (method, path, body, code) => {
    await expect(ask(method, path, body)).rejects.toMatchObject({ code });
  });
});
