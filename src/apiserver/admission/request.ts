// A write as policies and webhooks see it: its kind and resource, its namespace, and its object in the version that
// a rule matches.

import { cloneJson, equalJson, type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Ids } from "../../apimachinery/meta/ids.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { forbidden, notFound, type StatusCause, type StatusError } from "../../apimachinery/meta/status.ts";
import type { Store } from "../../storage/store.ts";
import type { AdmissionAttributes } from "../registry/admission.ts";
import type { AdmissionObserver } from "../registry/admission-observer.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import { inOtherView } from "../registry/codec/versions.ts";
import type { Authorizer } from "../registry/definition/request-context.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { resourcePrefix } from "../registry/definition/view.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import type { PostWebhook } from "../registry/webhook.ts";
import type { ExpressionInput } from "./expressions/activation.ts";

const META_VERSION = "meta.k8s.io/v1";

export interface ObjectsInView {
  readonly object: KubeObject | undefined;
  readonly oldObject: Readonly<KubeObject> | undefined;
}

/** The inputs of expressions besides the request. */
export interface SeenRequest {
  readonly view: ResourceView;
  readonly objects: ObjectsInView;
  readonly params: Readonly<KubeObject> | undefined;
}

export class WriteRequest {
  readonly attributes: AdmissionAttributes;
  /** A Namespace counts as its own namespace. */
  readonly namespace: string;
  readonly isNamespace: boolean;
  readonly deps: AdmissionDeps;
  #hasExactTimes = true;

  constructor(attributes: AdmissionAttributes, deps: AdmissionDeps) {
    this.attributes = attributes;
    this.deps = deps;
    const { group, resource } = attributes.view.definition;
    this.isNamespace = group === "" && resource === "namespaces";
    this.namespace = this.isNamespace ? attributes.name : attributes.namespace;
  }

  /**
   * In a kube-apiserver, managedFields times of this write have fractions of a second until the object is encoded as
   * JSON. Returns true on the first call for such a write: then a mutation without any other effect counts as a
   * change.
   */
  loseExactTimes(): boolean {
    if (!this.#hasExactTimes) return false;
    this.#hasExactTimes = false;
    const { object, oldObject } = this.attributes;
    const before = oldObject?.metadata?.managedFields ?? [];
    const now = object?.metadata?.managedFields ?? [];
    return now.some((entry) => !before.some((other) => equalJson(entry, other)));
  }

  /** The served views of the same objects. */
  equivalents(): ResourceView[] {
    const { view, posted, subresource } = this.attributes;
    if (posted && subresource !== "scale") return []; // a Scale is the same in all versions
    const prefix = resourcePrefix(view.definition);
    return this.deps.resources.definitions
      .filter((definition) => definition === view.definition || resourcePrefix(definition) === prefix)
      .flatMap((definition) => definition.versions.map((version) => ({ definition, version })))
      .filter(({ version }) => version.served && version !== view.version);
  }

  /** Copies, except where the view is that of the request itself. */
  async objectsIn(view: ResourceView): Promise<ObjectsInView> {
    const { object, oldObject, view: own, posted } = this.attributes;
    if (posted) return { object, oldObject };
    const shown = async (from: Readonly<KubeObject> | undefined): Promise<KubeObject | undefined> => {
      if (from === undefined) return undefined;
      return view.version === own.version ? (from as KubeObject) : inOtherView(own, view, from); // not changed by readers
    };
    return { object: await shown(object), oldObject: await shown(oldObject) };
  }

  /** The kind of the object in that view of the resource. */
  kindIn(view: ResourceView): ResourceView {
    return this.attributes.posted ?? view;
  }

  /** The stored Namespace of the object; undefined for cluster-scoped objects. Throws 404. */
  namespaceObject(): Readonly<KubeObject> | undefined {
    if (this.namespace === "" || this.isNamespace) return undefined;
    const found = this.storedNamespace(this.namespace);
    if (found === undefined) throw this.noNamespace();
    return found;
  }

  storedNamespace(name: string): Readonly<KubeObject> | undefined {
    const kv = this.deps.store.get(`/registry/namespaces/${name}`);
    return kv && decodeStored(kv);
  }

  noNamespace(): StatusError {
    return notFound({ group: "", resource: "namespaces" }, this.namespace);
  }

  /** The input of expressions of a policy or webhook. Throws 404 when the namespace of the object does not exist. */
  inputFor({ view, objects, params }: SeenRequest): ExpressionInput {
    const { context, view: own, subresource, name } = this.attributes;
    const { group, resource } = own.definition;
    return {
      ...objects,
      request: this.describe(view),
      namespaceObject: this.namespaceObject(),
      params,
      by: { authorizer: this.deps.authorizer, user: context.user },
      asked: { group, resource, subresource, namespace: this.namespace, name },
    };
  }

  /** The request in reviews and expressions, in a view, without the objects. */
  describe(view: ResourceView): JsonObject {
    const { operation, subresource, name, context, view: own } = this.attributes;
    const { user } = context;
    const { uid, groups, extra = {} } = user;
    return {
      kind: kindOf(this.kindIn(view)),
      resource: resourceOf(view),
      ...unlessEmpty({ subResource: subresource }),
      requestKind: kindOf(this.kindIn(own)),
      requestResource: resourceOf(own),
      ...unlessEmpty({ requestSubResource: subresource, name, namespace: this.namespace }),
      operation,
      userInfo: { username: user.name, ...unlessEmpty({ uid, groups, extra }) },
      dryRun: context.dryRun,
      options: this.#options(),
    };
  }

  /** CONNECT requests have no options. */
  #options(): JsonObject | null {
    const { operation, context, deleteOptions } = this.attributes;
    const apiVersion = META_VERSION;
    const dryRun = context.dryRun ? { dryRun: ["All"] } : {};
    if (operation === "CONNECT") return null;
    if (operation === "DELETE") {
      const { dryRun: _given, ...options } = deleteOptions ?? {};
      return { kind: "DeleteOptions", apiVersion, ...cloneJson(options), ...dryRun };
    }
    const { fieldManager, fieldValidation } = context.given ?? {};
    const kind = operation === "CREATE" ? "CreateOptions" : "UpdateOptions";
    return { kind, apiVersion, ...dryRun, ...unlessEmpty({ fieldManager, fieldValidation }) };
  }
}

/** Omits empty texts, lists and objects. */
const unlessEmpty = (members: Readonly<Record<string, string | object | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && Object.keys(value).length > 0),
  );

const kindOf = ({ definition, version }: ResourceView) => ({
  group: definition.group,
  version: version.name,
  kind: definition.kind,
});

const resourceOf = ({ definition, version }: ResourceView) => ({
  group: definition.group,
  version: version.name,
  resource: definition.resource,
});

/** The labels of an object. */
export function labelsOf(object: Readonly<KubeObject> | undefined): Readonly<Record<string, string>> {
  const labels = objectAt(object, "metadata")?.["labels"];
  return (labels ?? {}) as Readonly<Record<string, string>>; // metadata has been decoded
}

// Dependencies of policies and webhooks, and the error of a rejection.

export const ADMISSION_GROUP = "admissionregistration.k8s.io";

export interface AdmissionDeps {
  readonly store: Store;
  readonly resources: ResourceRegistry;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Sends an HTTP request to a webhook. */
  readonly post: PostWebhook;
  /** Absent: nothing is reported. */
  readonly observer?: AdmissionObserver | undefined;
  /** Disabled ones of the four plugins: see DYNAMIC_PLUGINS. */
  readonly off?: readonly string[];
  /** Called when a watch had to be restarted. */
  readonly onError: (error: unknown) => void;
}

/** A 403 that names the object, by its generateName where it has no name yet. */
export function refuse(attributes: AdmissionAttributes, why: string, causes?: StatusCause[]): StatusError {
  const { view, name, object } = attributes;
  const { metadata } = (object ?? {}) as Partial<KubeObject>; // options of CONNECT requests have none
  const shown = name || metadata?.name || metadata?.generateName || "Unknown";
  return forbidden(view.definition, shown, why, causes);
}
