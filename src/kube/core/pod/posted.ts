// Binding: a scheduler assigns a pod to a node, by a POST below the pod or to the namespace's bindings.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { conditionOf, setCondition } from "../../../apimachinery/meta/conditions.ts";
import {
  describeFieldError,
  type FieldError,
  notSupported,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest, conflict, plainError, type Status, success } from "../../../apimachinery/meta/status.ts";
import type {
  ActionContext,
  ObjectAddress,
  ResourceView,
  SubresourceAction,
} from "../../../apiserver/registry/definition/resource-definition.ts";
import { builtIn } from "../../../apiserver/registry/strategy/define.ts";
import { ensureObject } from "../../../apiserver/registry/strategy/fields.ts";

export const bindings = builtIn("v1", "Binding", {
  verbs: ["create"],
  action: { check: checkBinding, run: bindNamed, keepsSystemFields: true },
});

export const podBinding: SubresourceAction = {
  posted: bindings,
  /** uid and resourceVersion are preconditions on the pod. */
  keepsSystemFields: true,
  check(binding, target) {
    if (binding.metadata.name !== target.name) {
      throw badRequest("name in URL does not match name in Binding object");
    }
    checkBinding(binding);
  },
  run: bind,
};

function checkBinding(binding: KubeObject): void {
  const errors = bindingErrors(objectAt(binding, "target"));
  if (errors.length > 0) throw plainError(shownTogether(errors));
}

function bindNamed(
  binding: KubeObject,
  { namespace }: ObjectAddress,
  context: ActionContext,
): Promise<Status> {
  const view = coreView(context, "pods");
  return bind(binding, { view, namespace, name: binding.metadata.name ?? "" }, context);
}

async function bind(binding: KubeObject, target: ObjectAddress, context: ActionContext): Promise<Status> {
  const { uid, resourceVersion } = binding.metadata;
  const wanted = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  await context.resources.modify(target, context, wanted, (pod) => {
    const why = whyNotBound(pod);
    if (why !== undefined) throw conflict({ group: "", resource: "pods/binding" }, target.name, why);
    assign(pod, binding, formatTime(context.clock.now()));
  });
  return success(201);
}

function coreView({ resources }: ActionContext, resource: string): ResourceView {
  const view = resources.viewOf("", "v1", resource);
  if (view === undefined) throw new Error(`${resource} are served`);
  return view;
}

function bindingErrors(target: JsonObject | undefined): FieldError[] {
  const kind = textAt(target, "kind");
  return [
    ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(textAt(target, "name") === "" ? [required("target.name")] : []),
  ];
}

function shownTogether(errors: readonly FieldError[]): string {
  const texts = errors.map(describeFieldError);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function whyNotBound(pod: KubeObject): string | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  const spec = objectAt(pod, "spec");
  const node = textAt(spec, "nodeName");
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (node !== "") return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  if (objectsAt(spec, "schedulingGates").length > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

/** Labels and annotations of the binding are copied to the pod. */
function assign(pod: KubeObject, binding: KubeObject, nowText: string): void {
  const { metadata } = pod;
  const { labels, annotations } = binding.metadata;
  if (labels) metadata.labels = { ...metadata.labels, ...labels };
  if (annotations) metadata.annotations = { ...metadata.annotations, ...annotations };
  ensureObject(pod, "spec")["nodeName"] = textAt(objectAt(binding, "target"), "name");
  const status = ensureObject(pod, "status");
  delete status["nominatedNodeName"];
  if (conditionOf(status, "PodScheduled")?.["status"] === "True") return;
  setCondition(status, { type: "PodScheduled", status: "True", lastProbeTime: null }, nowText);
}
