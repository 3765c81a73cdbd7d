// A mutation keeps kind and version, whatever it returns: the rule of keepType for random objects.
import fc from "fast-check";
import { expect, test } from "vitest";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import { keepType } from "../../../../src/apiserver/admission/mutated-type.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { runs } from "../../../support/fuzz-runs.ts";

const registry = new ResourceRegistry();
registry.set(...BUILT_IN_RESOURCES);

const ATTACKS = ["", "v1", "v2", "apps/v1", "a/b/c", "ConfigMap", "Secret", "__proto__", "constructor"];
const drawn = fc.option(
  fc.oneof(fc.constantFrom(...ATTACKS), fc.string(), fc.constantFrom(null, 1, {}, [])),
  { nil: undefined },
);

test("an object keeps its kind and version, or is refused with 500", () => {
  fc.assert(
    fc.property(drawn, drawn, fc.constantFrom("configmaps", "secrets"), (apiVersion, kind, resource) => {
      const view = registry.find("", "v1", resource);
      if (view === undefined) throw new Error(`${resource} are not served`);
      const made = { metadata: {}, ...(apiVersion === undefined ? {} : { apiVersion }) };
      try {
        const kept = keepType(view, kind === undefined ? made : { ...made, kind }, registry);
        expect(kept.view).toBe(view);
        expect(kept.object).toEqual({ metadata: {}, apiVersion: "v1", kind: view.definition.kind });
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        expect(error.code).toBe(500);
      }
    }),
    runs(2000),
  );
});
