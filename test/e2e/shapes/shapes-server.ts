// A server with a kind that accepts objects of any shape, and a measurement of each request's cost.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const ODDS = "/apis/example.com/v1/odds";
export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
export const PODS = "/api/v1/namespaces/default/pods";
const TRIES_MAX = 200;

const TEXT = { type: "string" };
const spec = {
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  any: { "x-kubernetes-preserve-unknown-fields": true },
  strings: { type: "array", items: TEXT },
  integers: { type: "array", items: { type: "integer" } },
  set: { type: "array", "x-kubernetes-list-type": "set", items: TEXT },
  map: { type: "object", additionalProperties: TEXT },
  lists: { type: "object", additionalProperties: { type: "array", items: { type: "integer" } } },
  objects: { type: "object", additionalProperties: { type: "object", properties: { a: TEXT } } },
  items: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: { type: "object", required: ["name"], properties: { name: TEXT, value: TEXT } },
  },
};

const columns = [".spec.strings", ".spec.items[*].name", ".spec.free", ".spec..name"].map(
  (jsonPath, index) => ({ name: `c${index}`, type: "string", jsonPath }),
);

/** Its names may be changed, to make another kind. */
export const oddDefinition = (plural = "odds", more: object = {}): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural, kind: plural === "odds" ? "Odd" : "Other" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: columns,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { ...spec, ...more } } },
          },
        },
      },
    ],
  },
});

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** What this process, with the server in it, computed meanwhile; what it took to read the answer as a text is not in it. */
  readonly cpuMs: number;
}

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  readonly accept?: string;
}

export class ShapesServer implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ShapesServer> {
    const server = new ShapesServer(await createServer(MEMORY_SERVER));
    await server.ask({ method: "POST", path: CRDS, body: JSON.stringify(oddDefinition()) });
    let status = 0;
    for (let tries = 0; status !== 200 && tries < TRIES_MAX; tries++) {
      ({ status } = await server.ask({ method: "GET", path: ODDS }));
    }
    if (status !== 200) throw new Error(`the kind is not served: ${status}`);
    return server;
  }

  async ask({ method, path, body, type, accept }: Question): Promise<Answer> {
    const before = cpuMs();
    const headers = { "content-type": type ?? "application/json", accept: accept ?? "application/json" };
    const asked = request(this.#server.url + path, { method, headers }).end(body);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const chunks: Buffer[] = await response.toArray();
    const spent = cpuMs() - before;
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), cpuMs: spent };
  }

  /** Fails when it computes for longer, or recursion ends it. */
  async askWithin(cpuMsMax: number, question: Question): Promise<Answer> {
    const answer = await this.ask(question);
    expect(answer.cpuMs, JSON.stringify(question).slice(0, 200)).toBeLessThan(cpuMsMax);
    expect(answer.text).not.toContain("Maximum call stack");
    return answer;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.close();
  }
}

/** Objects as text: some shapes cannot be written otherwise. */
export const oddText = (name: string, of: string, metadata = ""): string =>
  `{"apiVersion":"example.com/v1","kind":"Odd","metadata":{"name":"${name}"${metadata}},"spec":${of}}`;

export const configMapText = (name: string, data: string, more = "", metadata = ""): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"${metadata}},"data":${data}${more}}`;

export const listText = (count: number, item: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(",")}]`;

export const mapText = (count: number, member: (index: number) => string): string =>
  `{${Array.from({ length: count }, (_, index) => member(index)).join(",")}}`;

export const PATCH_TYPES = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const as = (kind: string): string => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
const TEXT_FORMS = ["application/json", "application/yaml", as("Table")];
/** The media types in which an object, or a list, can be requested. */
export const FORMS = [...TEXT_FORMS, as("PartialObjectMetadata")];
export const LIST_FORMS = [...TEXT_FORMS, as("PartialObjectMetadataList")];
