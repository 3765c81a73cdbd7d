// Anonymizing keeps valid objects valid, so that they can be imported.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createIds } from "../../../../../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../../../../src/apimachinery/meta/object-meta.ts";
import { conformObject } from "../../../../../../src/apiserver/registry/codec/object-decoder.ts";
import type { RequestContext } from "../../../../../../src/apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { apiVersionOf, strategyOf } from "../../../../../../src/apiserver/registry/definition/view.ts";
import { validateNewMetadata } from "../../../../../../src/apiserver/registry/write/validate.ts";
import { anonymiser } from "../../../../../../src/features/import/sources/anonymise/anonymise.ts";
import { BUILT_IN_RESOURCES } from "../../../../../../src/kube/index.ts";

const facts = new URL("../../../../../fixtures/facts/etcd/registry.json", import.meta.url);
const recorded = (JSON.parse(readFileSync(facts, "utf8")) as { object: KubeObject }[]).map(
  ({ object }) => object,
);
const VIEWS: readonly ResourceView[] = BUILT_IN_RESOURCES.flatMap((definition) =>
  definition.versions.map((version) => ({ definition, version })),
);
const viewOf = ({ apiVersion, kind }: KubeObject) =>
  VIEWS.find((view) => view.definition.kind === kind && apiVersionOf(view) === apiVersion);

const clock = { nowMs: () => 0 };
const context = {
  ...{ user: { name: "a", groups: [] }, fieldManager: "a", dryRun: false, warn: () => {} },
  ...{ clock, ids: createIds() },
} as unknown as RequestContext; // only the time of the clock is read

function complaints(view: ResourceView, given: KubeObject): string[] {
  const { object } = conformObject(view, structuredClone(given));
  const errors = [
    ...validateNewMetadata(view, object),
    ...(strategyOf(view).validate?.(object, context) ?? []),
  ];
  return errors.map(({ field }) => field).sort();
}

const anonymise = anonymiser("of somebody");
const cases = recorded.flatMap((object) => {
  const [view, told] = [viewOf(object), anonymise.object(object)];
  return view === undefined || told === undefined ? [] : [{ view, object, told }];
});

test.each(cases.map((one) => [`${one.object.kind} ${one.object.metadata.name}`, one] as const))(
  "%s",
  (_name, { view, object, told }) => {
    expect(complaints(view, told)).toEqual(complaints(view, object));
  },
);

test("these are objects of many kinds", () => {
  expect(new Set(cases.map(({ object }) => object.kind)).size).toBeGreaterThan(40);
});
