import { expect, test } from "vitest";
import { crdOf, TestApi, THINGS, thing, versionWith } from "./support.ts";

test("smoke", async () => {
  await using api = await TestApi.open();
  console.log(
    (await api.serve(crdOf([versionWith({ type: "object", properties: { a: { type: "string" } } })]))).text,
  );
  const w = await api.watch(`${THINGS}?watch=true`);
  const made = await api.post(THINGS, thing("x", { spec: { a: "1", b: 2 } }));
  console.log(made, await w.names(), api.internalErrors);
  await w.close();
  expect(made.status).toBe(201);
});
