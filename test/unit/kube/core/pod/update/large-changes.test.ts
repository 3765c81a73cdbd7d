// A worker thread renders the diff of a rejected change of a large Pod, with the same text.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../../src/apimachinery/meta/object-meta.ts";
import type { Workers } from "../../../../../../src/apimachinery/workers/job.ts";
import { validatePodElsewhere, validatePodUpdate } from "../../../../../../src/kube/core/pod/validation.ts";
import { countTurns } from "../../../../../support/count-turns.ts";
import { inThisThread } from "../../../../../support/in-this-thread.ts";

const podWith = (variables: number, value: string, more: JsonObject = {}): KubeObject => {
  const env = Array.from({ length: variables }, (_, index) => ({ name: `V${index}`, value }));
  const containers = [{ name: "c", image: "i", imagePullPolicy: "Always", env, ...more }];
  return { metadata: { name: "p" }, spec: { containers, restartPolicy: "Always", dnsPolicy: "Default" } };
};

/** Does each job at once, and notes its name. */
function notingWorkers(): Workers & { readonly jobs: string[] } {
  const jobs: string[] = [];
  return {
    ...inThisThread,
    jobs,
    run(job, input) {
      jobs.push(job.name);
      return inThisThread.run(job, input);
    },
  };
}

test("of many variables", async () => {
  const workers = notingWorkers();
  const [before, after] = [podWith(3000, "a"), podWith(3000, "b", { workingDir: "<9007199254740993>" })];
  const { turns, done: found } = await countTurns(async () => validatePodElsewhere(after, before, workers));
  expect(found).toEqual(validatePodUpdate(after, before));
  expect(JSON.stringify(found)).toMatch(/\\n- +\\*"Value\\*": \\*"a\\*"/);
  expect(workers.jobs).toEqual(["showPodChange"]);
  expect(turns).toBeGreaterThanOrEqual(2);
});

test("what may change needs no comparison", async () => {
  const workers = notingWorkers();
  const changed = podWith(3000, "a", { image: "j", name: "_" });
  const found = await validatePodElsewhere(changed, podWith(3000, "a", { name: "_" }), workers);
  expect(found).toEqual(validatePodUpdate(changed, podWith(3000, "a", { name: "_" })));
  expect(found).toContainEqual(expect.objectContaining({ field: "spec.containers[0].name" }));
  expect(workers.jobs).toEqual([]);
});

test("small changes and new Pods are checked at once", () => {
  expect(validatePodElsewhere(podWith(3, "b"), podWith(3, "a"), inThisThread)).toBeUndefined();
  expect(validatePodElsewhere(podWith(3000, "b"), undefined, inThisThread)).toBeUndefined();
});
