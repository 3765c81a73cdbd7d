// The API without sockets, for controllers inside the process. Requests take the same path as remote ones below the
// HTTP layer. Unknown fields are rejected, as by fieldValidation=Strict. Returned objects are shared and frozen.

import { cloneJson, freezeJson, isObject } from "../apimachinery/json/json.ts";
import type { Clock } from "../apimachinery/meta/clock.ts";
import { compileFields, parseFieldSelector } from "../apimachinery/meta/field-selector.ts";
import type { Ids } from "../apimachinery/meta/ids.ts";
import { parseLabelSelector } from "../apimachinery/meta/label-selector.ts";
import { mapInSlices } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { notFound } from "../apimachinery/meta/status.ts";
import { atRevision } from "../apiserver/registry/codec/object-codec.ts";
import { decodeGiven } from "../apiserver/registry/codec/object-decoder.ts";
import { OwnershipView, ownershipOf } from "../apiserver/registry/codec/ownership.ts";
import {
  decodeInVersion,
  decodeLean,
  type ObjectResult,
  prepareVersions,
  resultInVersion,
} from "../apiserver/registry/codec/versions.ts";
import type {
  RequestContext,
  ResourceAttributes,
  TokenIssuer,
  UserInfo,
} from "../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../apiserver/registry/definition/resource-definition.ts";
import { postAction, postedTo } from "../apiserver/registry/post-action.ts";
import { type ListResult, PRESENT } from "../apiserver/registry/read/list.ts";
import type { Selection } from "../apiserver/registry/read/selection.ts";
import type { ObjectEvent } from "../apiserver/registry/read/watch.ts";
import type { FencingToken, ResourceStore } from "../apiserver/registry/resource-store.ts";
import { scaleAfter } from "../apiserver/registry/scale.ts";
import type { Write } from "../apiserver/registry/write/change.ts";
import { endpointOf } from "../apiserver/registry/write/managed-fields.ts";
import { readPatchValue } from "../apiserver/registry/write/patch.ts";
import {
  type Client,
  type ClientDeleteOptions,
  type ClientFactory,
  type ClientListOptions,
  type ClientWatch,
  type ClientWatchEvent,
  isManyEvents,
  type ObjectKey,
  type ObjectList,
  type PatchOptions,
  type ResourceName,
} from "./client.ts";
import { ListCache } from "./list-cache.ts";

export interface InProcessClientDeps {
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called with Warning texts, since there is no header to carry them. */
  readonly onWarning: (text: string) => void;
  /** The precondition for writes of clients with a signal, such as controllers (fencing token); undefined: none. */
  readonly fencingToken?: () => FencingToken | undefined;
}

type Stored = ListResult["items"][number];

const USER: UserInfo = { name: "system:egret", groups: ["system:masters"] };

/** A user whose requests are authorized, unlike those of the server itself. */
export interface ClientUser {
  readonly user: UserInfo;
  /** Authorizes a request; throws a 403 if it is denied. */
  readonly demand: (attributes: ResourceAttributes) => void;
}

export function createInProcessClients(deps: InProcessClientDeps): ClientFactory {
  const lists = new ListCache<Stored>();
  return (fieldManager, signal) => {
    const resources = signal ? deps.resources.until(signal, deps.fencingToken) : deps.resources;
    return new InProcessClient({ ...deps, resources, lists }, fieldManager);
  };
}

/** Clients that act as this user, with the user's permissions. */
export function createUserClients(deps: InProcessClientDeps, user: ClientUser): ClientFactory {
  return (fieldManager) => new InProcessClient(deps, fieldManager, user);
}

/** The target of a call, beside the kind. */
interface Target {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

class InProcessClient implements Client {
  readonly #resources: ResourceStore;
  readonly #lists: ListCache<Stored> | undefined;
  readonly #context: RequestContext;
  readonly #user: ClientUser | undefined;

  constructor(
    { resources, lists, clock, ids, onWarning }: InProcessClientDeps & { readonly lists?: ListCache<Stored> },
    fieldManager: string,
    asked?: ClientUser,
  ) {
    this.#resources = resources;
    this.#lists = lists;
    this.#user = asked;
    const user = asked?.user ?? USER;
    this.#context = { user, fieldManager, dryRun: false, clock, ids, warn: onWarning };
  }

  async get(resource: ResourceName, { namespace, name }: ObjectKey): Promise<KubeObject> {
    this.#demand("get", resource, { namespace, name });
    const view = this.#view(resource);
    const kv = this.#resources.get({ view, namespace, name });
    await prepareVersions(view, [kv]);
    return shared(decodeInVersion(view, kv));
  }

  async list(resource: ResourceName, options: ClientListOptions = {}) {
    this.#demand("list", resource, options);
    const view = this.#view(resource);
    const { namespace, labelSelector, fieldSelector, ...form } = options;
    if (!this.#lists || namespace || labelSelector || fieldSelector) return this.#list(view, options);
    const key = JSON.stringify(form);
    const known = this.#lists.at(view, key, this.#resources.revision);
    if (known) return known;
    const stored = await this.#stored(view, options);
    return await this.#lists.make(view, key, stored, (kv) => seen(view, kv, options));
  }

  async #list(view: ResourceView, options: ClientListOptions): Promise<ObjectList> {
    const { items, revision } = await this.#stored(view, options);
    return {
      items: await mapInSlices(items, (kv) => seen(view, kv, options)),
      resourceVersion: String(revision),
    };
  }

  #stored(view: ResourceView, options: ClientListOptions) {
    const { namespace = "" } = options;
    return this.#resources.list(view, { namespace, selection: selectionOf(options), ...PRESENT });
  }

  watch(resource: ResourceName, resourceVersion: string, options: ClientListOptions = {}): ClientWatch {
    this.#demand("watch", resource, options);
    const view = this.#view(resource);
    const watch = this.#resources.watch(view, {
      namespace: options.namespace ?? "",
      selection: selectionOf(options),
      resourceVersion,
      sendInitialEvents: false,
      mayExpire: true,
    });
    return {
      next: async () => {
        const events = await watch.next();
        // The caller of the write continues first: the microtasks of this tick run before nextTick.
        await new Promise<void>((resolve) => process.nextTick(resolve));
        const shown = (event: ObjectEvent) => toClientEvent(view, event, options);
        return events && isManyEvents(events) ? mapInSlices(events, shown) : events?.map(shown);
      },
      close: () => watch.close(),
    };
  }

  async create(resource: ResourceName, object: KubeObject): Promise<KubeObject> {
    const view = this.#view(resource);
    const { namespaceScoped } = view.definition;
    const { namespace: inside = "default" } = object.metadata;
    this.#demand("create", resource, namespaceScoped ? { namespace: inside } : {});
    const decoded = decodeGiven(view, cloneJson(object));
    const namespace = namespaceScoped ? inside : "";
    const result = await this.#resources.create({ view, namespace, decoded, context: this.#context });
    return shared(resultInVersion(view, result));
  }

  async post(
    resource: ResourceName,
    { namespace, name }: ObjectKey,
    subresource: string,
    object: KubeObject,
  ): Promise<void> {
    const view = this.#view(resource);
    this.#demand("create", resource, { namespace, name, subresource });
    const asked = postedTo(view, subresource);
    if (asked === undefined) throw notFound(resource, "");
    const decoded = decodeGiven(asked.posted, cloneJson(object));
    const target = { view, namespace, name };
    const [context, tokenIssuer] = [this.#context, NO_TOKENS];
    await postAction(this.#resources, asked, { target, subresource, decoded, context, tokenIssuer });
  }

  async update(resource: ResourceName, object: KubeObject, subresource = ""): Promise<KubeObject> {
    const { name = "", namespace = "" } = object.metadata;
    const write = this.#write("update", resource, { name, namespace }, subresource);
    const decoded = decodeGiven(endpointOf(write.address.view, subresource).view, cloneJson(object));
    return shown(write, await this.#resources.update({ ...write, decoded }));
  }

  async patch(resource: ResourceName, key: ObjectKey, options: PatchOptions): Promise<KubeObject> {
    const write = this.#write("patch", resource, key, options.subresource ?? "");
    if (options.type === "apply") {
      if (!isObject(options.body)) throw new Error("an applied configuration is an object");
      const what = { applied: options.body, force: options.force === true };
      return shown(write, await this.#resources.apply({ ...write, ...what }));
    }
    const { view } = endpointOf(write.address.view, write.subresource);
    const document = readPatchValue(view, options.type, options.body);
    return shown(write, await this.#resources.patch({ ...write, document }));
  }

  async delete(
    resource: ResourceName,
    { namespace, name }: ObjectKey,
    options: ClientDeleteOptions = {},
  ): Promise<void> {
    this.#demand("delete", resource, { namespace, name });
    const view = this.#view(resource);
    const { uid, propagationPolicy, gracePeriodSeconds } = options;
    const deleteOptions = {
      ...(uid ? { preconditions: { uid } } : {}),
      ...(propagationPolicy ? { propagationPolicy } : {}),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    };
    await this.#resources.delete({ view, namespace, name }, deleteOptions, this.#context);
  }

  #demand(verb: string, { group, version, resource }: ResourceName, target: Target): void {
    if (this.#user === undefined) return;
    const { user, demand } = this.#user;
    const { name = "", subresource = "" } = target;
    // For authorization a Namespace is in itself, so that its own admins may get access to it.
    const namespace = target.namespace || (group === "" && resource === "namespaces" ? name : "");
    demand({ type: "resource", user, verb, group, version, resource, subresource, namespace, name });
  }

  /** Authorizes a write of an existing object and returns its target. Throws 403 and 404. */
  #write(verb: string, resource: ResourceName, { namespace, name }: ObjectKey, subresource: string): Write {
    const view = this.#view(resource);
    const target = { namespace, name, subresource };
    this.#demand(verb, resource, target);
    // A write may create the object, which needs its own authorization.
    const authorizeCreate = () => this.#demand("create", resource, target);
    const context = this.#user === undefined ? this.#context : { ...this.#context, authorizeCreate };
    return { address: { view, namespace, name }, subresource, context };
  }

  #view({ group, version, resource }: ResourceName): ResourceView {
    const view = this.#resources.viewOf(group, version, resource);
    if (view === undefined) throw notFound({ group, resource }, "");
    return view;
  }
}

/** Tokens are not issued in process. */
const NO_TOKENS: TokenIssuer = {
  audiences: [],
  issue() {
    throw new Error("tokens are issued over HTTP only");
  },
};

/** The result of a write in the version of its endpoint. */
function shown({ address: { view }, subresource }: Write, result: ObjectResult): KubeObject {
  const object = resultInVersion(view, result);
  return shared(subresource === "scale" ? scaleAfter(view, object) : object);
}

function selectionOf({ labelSelector, fieldSelector }: ClientListOptions): Selection {
  return {
    labels: labelSelector ? parseLabelSelector(labelSelector) : undefined,
    fields: fieldSelector ? compileFields(parseFieldSelector(fieldSelector)) : undefined,
  };
}

/** A stored object as the options request it. */
function seen(view: ResourceView, kv: ObjectEvent["kv"], options: ClientListOptions): KubeObject {
  if (options.ownershipOnly) return new OwnershipView(kv, view.definition.namespaceScoped);
  return shared(options.withoutManagedFields ? decodeLean(view, kv) : decodeInVersion(view, kv));
}

function toClientEvent(view: ResourceView, event: ObjectEvent, options: ClientListOptions): ClientWatchEvent {
  const { type, kv } = event;
  if (type !== "DELETED") return { type, object: seen(view, kv, options) };
  const object = options.ownershipOnly
    ? { metadata: ownershipOf(kv, view.definition.namespaceScoped) }
    : seen(view, kv, options);
  return { type, object: shared(atRevision(object, event.revision)) };
}

function shared(object: Readonly<KubeObject>): KubeObject {
  return freezeJson(object);
}
