// The recipe of src/controller/README.md, followed exactly: its file is extracted from the text and run.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ControllerDescriptor } from "../../../src/controller/definition.ts";
import { ApiWorld, CONFIG_MAPS, NAMESPACES } from "../../support/api-world.ts";

const SRC = fileURLToPath(new URL("../../../src/", import.meta.url));
const PACKAGE = `${SRC}controller/`;
const KEY = { namespace: "shop", name: "team" };

let folder: string;
let world: ApiWorld;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-recipe-"));
  const readme = await readFile(join(PACKAGE, "README.md"), "utf8");
  const [, code = ""] = /^ {3}```ts\n(.*?)^ {3}```$/ms.exec(readme) ?? [];
  const file = join(folder, "controller.ts");
  // Beside the source its imports would be right as they are; but other tests read every file there.
  await writeFile(file, code.replaceAll(/^ {3}/gm, "").replaceAll('"../../../', `"${SRC}`));
  const { teamConfig } = (await import(file)) as { teamConfig: ControllerDescriptor }; // what the recipe exports
  world = await ApiWorld.open([teamConfig]);
});
afterEach(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});

const data = async (): Promise<unknown> => (await world.get(CONFIG_MAPS, KEY))?.["data"];

test("its controller makes, mends and follows what it is for", async () => {
  await world.create(NAMESPACES, { name: "shop", labels: { team: "red" } });
  await world.settled();
  expect(await data()).toEqual({ team: "red" });
  await world.client.patch(CONFIG_MAPS, KEY, { type: "merge", body: { data: { team: "none" } } });
  await world.settled();
  expect(await data()).toEqual({ team: "red" });
  await world.change(NAMESPACES, { namespace: "", name: "shop" }, { labels: { team: "blue" } });
  await world.settled();
  expect(await data()).toEqual({ team: "blue" });
  expect(await world.names(CONFIG_MAPS)).toEqual(["team"]);
});
