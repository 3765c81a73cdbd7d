// The API below the HTTP layer on a store in memory, composed as in the server: requests are passed as values, and answers
// are decoded. The clock is manual, and ids are generated in a fixed order.

import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeJson } from "../../../../src/apimachinery/json/json-decode.ts";
import { encodeJson } from "../../../../src/apimachinery/json/json-encode.ts";
import { createIds } from "../../../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { yieldToEventLoop } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { CrdServer } from "../../../../src/apiserver/apiextensions/crd-server.ts";
import { alwaysAllow } from "../../../../src/apiserver/authorization/access-check.ts";
import type { ApiRequest, ApiResponse } from "../../../../src/apiserver/endpoints/api-request.ts";
import { ApiServer } from "../../../../src/apiserver/endpoints/api-server.ts";
import { versionInfo } from "../../../../src/apiserver/endpoints/discovery/discovery.ts";
import { NonResourcePaths } from "../../../../src/apiserver/endpoints/non-resource.ts";
import { createWebhookClient } from "../../../../src/apiserver/http/webhook-client.ts";
import type { AdmissionPlugin } from "../../../../src/apiserver/registry/admission.ts";
import {
  type Authorizer,
  DEFAULT_ISSUER,
} from "../../../../src/apiserver/registry/definition/request-context.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { ResourceStore } from "../../../../src/apiserver/registry/resource-store.ts";
import { createNamespaceLifecycle } from "../../../../src/kube/admission/namespace-lifecycle.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { createMemoryEngine, type Engine } from "../../../../src/storage/engine.ts";
import { openMvccStore, type StoreOptions } from "../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../src/storage/store.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

export const MERGE_PATCH = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** So many turns of the event loop must be enough for a definition to be served. */
const SERVE_TURNS_MAX = 1000;

export interface Answer {
  readonly status: number;
  readonly headers: ApiResponse["headers"];
  readonly text: string;
  /** Of JSON; an empty object for anything else. */
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is when it is text or bytes, else as JSON. */
  readonly body?: unknown;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject & JsonObject;
}

export type ApiOptions = Omit<StoreOptions, "clock"> & {
  readonly engine?: Engine;
  readonly authorizer?: Authorizer;
};

export class TestApi implements AsyncDisposable {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly registry = new ResourceRegistry();
  /** What every write must pass; a test may add to it. */
  readonly admission: AdmissionPlugin[];
  readonly resources: ResourceStore;
  readonly api: ApiServer;
  /** What was our own mistake. */
  readonly internalErrors: unknown[] = [];
  readonly #crds: CrdServer;

  private constructor(store: Store, clock: ManualClock, authorizer: Authorizer) {
    this.store = store;
    this.clock = clock;
    this.registry.set(...BUILT_IN_RESOURCES);
    this.admission = [createNamespaceLifecycle({ store })];
    const { registry, internalErrors } = this;
    this.resources = new ResourceStore({
      store,
      resources: registry,
      admission: this.admission,
    });
    const ids = countedIds();
    const onError = (error: unknown) => void internalErrors.push(error);
    this.#crds = new CrdServer({
      store,
      resources: this.resources,
      clock,
      ids,
      post: createWebhookClient(clock),
      onError,
    });
    this.api = new ApiServer({
      resources: this.resources,
      clock,
      ids,
      onInternalError: onError,
      access: {
        authorizer,
        reviewToken: () => ({ error: "there are no tokens" }),
        tokenIssuer: { audiences: [DEFAULT_ISSUER], issue: (claims) => JSON.stringify(claims) },
      },
      ownPaths: { handle: () => undefined, isOpen: () => false },
      nonResource: new NonResourcePaths({
        registry,
        version: versionInfo({ egretVersion: "0.0.0", buildDate: "", platform: "test" }),
        healthChecks: [{ name: "ping", check: () => undefined }],
        beforeHealth: () => undefined,
        serverUrl: () => "https://127.0.0.1:1",
        issuer: { url: DEFAULT_ISSUER, publicKeys: () => [{ use: "sig", kty: "EC", alg: "ES256" }] },
      }),
    });
  }

  /** The namespace "default" is there. */
  static async open(options: ApiOptions = {}): Promise<TestApi> {
    const { engine = createMemoryEngine(), authorizer = alwaysAllow, ...more } = options;
    const clock = new ManualClock();
    const api = new TestApi(await openMvccStore(engine, { ...more, clock }), clock, authorizer);
    await api.#crds.start([]);
    await api.send("POST", "/api/v1/namespaces", { body: namespace("default") });
    return api;
  }

  /** Resolves once the kinds of all definitions are served. */
  settled(): Promise<void> {
    return this.#crds.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#crds.close();
    await this.store[Symbol.asyncDispose]();
  }

  async send(method: string, url: string, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.api.handle(request(method, url, options));
    const bytes = await readWhole(response);
    const text = bytes.toString("utf8");
    const isJson = response.headers["content-type"] === "application/json" && text !== "";
    const body = isJson ? (decodeJson(text).value as JsonObject) : {}; // every answer in JSON is an object
    return {
      status: response.status,
      headers: response.headers,
      text,
      body,
      warnings: warningsOf(response),
    };
  }

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send("GET", url, { headers });
  }

  post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send("POST", url, { body, headers });
  }

  put(url: string, body: unknown): Promise<Answer> {
    return this.send("PUT", url, { body });
  }

  patch(type: string, url: string, body: unknown): Promise<Answer> {
    return this.send("PATCH", url, { body, headers: { "content-type": type } });
  }

  /** Server-side apply; JSON is YAML too. */
  apply(manager: string, url: string, body: unknown, more = ""): Promise<Answer> {
    return this.patch(APPLY_PATCH, `${url}?fieldManager=${manager}${more}`, body);
  }

  /** Opens a watch; its events are kept until they are taken. */
  async watch(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestWatch> {
    const controller = new AbortController();
    const response = await this.api.handle(request("GET", url, { headers }));
    return new TestWatch(response, controller);
  }

  /** Makes a definition through the API and waits until its kind is served, or as long as that may take. */
  async serve(crd: JsonObject): Promise<Answer> {
    const answer = await this.post(CRDS, crd);
    if (answer.status !== 201) return answer;
    const { group, names, versions } = crd["spec"] as {
      group: string;
      names: { plural: string };
      versions: readonly { name: string; served: boolean }[];
    }; // the server has just taken it
    const version = versions.find(({ served }) => served)?.name ?? "";
    for (let turn = 0; turn < SERVE_TURNS_MAX; turn++) {
      if (this.registry.find(group, version, names.plural)) return answer;
      await yieldToEventLoop();
    }
    throw new Error(`${names.plural}.${group} is not served: ${JSON.stringify(this.internalErrors)}`);
  }
}

/** One watch: what it has said so far, and how it began and ended. */
export class TestWatch {
  readonly status: number;
  readonly headers: ApiResponse["headers"];
  /** The text of an answer that is no stream. */
  readonly text: string = "";
  readonly ended: Promise<void>;
  isOpen = true;
  readonly #controller: AbortController;
  #chunks = "";
  #events: WatchEvent[] = [];

  constructor(response: ApiResponse, controller: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#controller = controller;
    const { body } = response;
    if (typeof body !== "function") {
      this.text = Buffer.from(body ?? []).toString("utf8");
      this.isOpen = false;
      this.ended = Promise.resolve();
      return;
    }
    const write = (chunk: Uint8Array): undefined => {
      this.#chunks += Buffer.from(chunk).toString("utf8");
    };
    this.ended = body({ write }, controller.signal).finally(() => {
      this.isOpen = false;
    });
  }

  /** All events since the last call. */
  take(): WatchEvent[] {
    const lines = this.#chunks.split("\n");
    this.#chunks = lines.pop() ?? "";
    this.#events.push(...lines.map((line) => decodeJson(line).value as WatchEvent)); // what a watch writes
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** What came while nothing was left to do. */
  async settled(): Promise<WatchEvent[]> {
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
    return this.take();
  }

  /** As settled, but only the type and the name. */
  async names(): Promise<string[]> {
    return (await this.settled()).map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());
  }

  async close(): Promise<void> {
    this.#controller.abort();
    await this.ended;
  }
}

export function namespace(name: string): JsonObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

export function configMap(name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...more };
}

/** A definition of things.example.com in one or several versions. */
export function crdOf(
  versions: readonly JsonObject[],
  { kind = "Thing", scope = "Namespaced", group = "example.com" } = {},
): JsonObject {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { kind, plural, singular: kind.toLowerCase() }, versions },
  };
}

/** A version v1 with this schema below spec. */
export function versionWith(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    name: "v1",
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec, status: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    },
    ...more,
  };
}

export const THINGS = "/apis/example.com/v1/namespaces/default/things";

export function thing(name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "example.com/v1", kind: "Thing", metadata: { name, ...metadata }, ...more };
}

export function request(method: string, url: string, { headers = {}, body }: RequestOptions): ApiRequest {
  const cut = url.indexOf("?");
  return {
    ...askedFor(method, cut < 0 ? url : url.slice(0, cut), cut < 0 ? "" : url.slice(cut + 1)),
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    body: body === undefined ? undefined : bytesOf(body),
    user: { name: "test", groups: [] },
  };
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return Buffer.from(body);
  return Buffer.from(encodeJson(body));
}

async function readWhole({ body }: ApiResponse): Promise<Buffer> {
  if (typeof body !== "function") return Buffer.from(body ?? []);
  const chunks: Uint8Array[] = [];
  const write = (chunk: Uint8Array): undefined => {
    chunks.push(Uint8Array.from(chunk));
  };
  await body({ write }, new AbortController().signal);
  return Buffer.concat(chunks);
}

function warningsOf({ headers }: ApiResponse): string[] {
  const given = headers["warning"] ?? [];
  return (typeof given === "string" ? [given] : given).map((value) =>
    value.replace(/^299 - "|"$/g, "").replace(/\\(.)/g, "$1"),
  );
}

function countedIds() {
  let state = 1;
  return createIds((bytes) => {
    for (let at = 0; at < bytes.length; at++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      bytes[at] = state >>> 16;
    }
  });
}
