// The state of a server as a case: the case passes, contains no unnecessary objects, and fails after a change.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { DEFAULT_FACTS } from "../../../src/ovn/snapshot.ts";
import { createServer } from "../../../src/server/server.ts";
import { parseCase } from "../../../src/testing/cases/read-case.ts";
import { playCase } from "../../../src/testing/cases/run-case.ts";
import { caseTextOf, type SaveOptions } from "../../../src/testing/cases/save-case.ts";

const MANIFESTS = join(import.meta.dirname, "../../e2e/manifests");

test("the state of a server, whole and in part", async () => {
  await using server = await createServer({ inMemory: true, listen: "127.0.0.1:0", kubeconfig: undefined });
  const text = await Promise.all(
    ["nodes.yaml", "shop.yaml", "verdicts.yaml"].map((name) => readFile(join(MANIFESTS, name), "utf8")),
  );
  const { transfer, clock } = server.control;
  await transfer.import(text.join("\n---\n"), { status: true });
  await clock.settle();
  const objects = await transfer.export({ full: true });
  const saved = (options: Partial<SaveOptions> = {}): string =>
    caseTextOf(objects, {
      name: "now",
      facts: DEFAULT_FACTS,
      server: {},
      namespaces: [],
      selector: "",
      ...options,
    });

  const whole = saved();
  expect(whole).not.toMatch(/managedFields|resourceVersion|creationTimestamp|ownerReferences/);
  const kinds = new Set(parse(whole).state.objects.map((object: { kind: string }) => object.kind));
  expect([...kinds]).toEqual(
    expect.arrayContaining(["Node", "Pod", "EgressIP", "EgressService", "Namespace"]),
  );
  // the network definitions that create it are saved instead
  expect([...kinds]).not.toContain("NetworkAttachmentDefinition");
  expect(await playCase(parseCase("now.yaml", whole))).toMatchObject({ passed: true });

  const without = parse(saved({ namespaces: ["tenant"] })).state.objects as {
    metadata: { namespace?: string };
  }[];
  expect(new Set(without.map(({ metadata }) => metadata.namespace))).toEqual(new Set([undefined, "tenant"]));
  const labelled = parse(saved({ selector: "none=such" })).state.objects as {
    metadata: { namespace?: string };
  }[];
  expect(labelled.every(({ metadata }) => metadata.namespace === undefined)).toBe(true);

  const otherwise = whole.replace("192.168.126.101: node-a", "192.168.126.101: node-b");
  expect(await playCase(parseCase("now.yaml", otherwise))).toMatchObject({ passed: false });
});
