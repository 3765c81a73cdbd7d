// An API with admission policies, for tests of their effects.
import request from "supertest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";

export const GROUP = "/apis/admissionregistration.k8s.io/v1";
export const MAPS = "/api/v1/namespaces/default/configmaps";
export const MERGE = "application/merge-patch+json";
const KINDS = [
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
];

export const rule = (change: JsonObject = {}) => ({
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources: ["configmaps"],
  ...change,
});

/** The message with which the policy of validating() rejects. */
export const denied = (why: string) =>
  `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${why}`;

export class AdmissionApi {
  readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
  }

  static async open(options: Parameters<typeof createServer>[0] = {}): Promise<AdmissionApi> {
    const quiet = { listen: "127.0.0.1:0", inMemory: true, kubeconfig: undefined, controllers: "" };
    return new AdmissionApi(await createServer({ ...quiet, ...options }));
  }

  close(): Promise<void> {
    return this.server.close();
  }

  call(method: "get" | "post" | "put" | "patch" | "delete", path: string) {
    return request(this.server.url)[method](path);
  }

  /** Sends a ConfigMap. */
  create(name: string, more: JsonObject = {}) {
    return this.call("post", MAPS).send({ metadata: { name }, ...more });
  }

  patch(path: string, change: JsonObject) {
    return this.call("patch", path).set("content-type", MERGE).send(change);
  }

  /** Creates a validating policy "p" from parts of its spec, and of that of its binding "b". */
  async validating(spec: JsonObject, binding: JsonObject = {}): Promise<void> {
    const matchConstraints = { resourceRules: [rule()] };
    await this.#install("validating", "p", { matchConstraints, ...spec });
    await this.#bind("validating", "p", { validationActions: ["Deny"], ...binding });
  }

  /** The same with a mutating policy "m". */
  async mutating(spec: JsonObject, binding: JsonObject = {}): Promise<void> {
    const matchConstraints = { resourceRules: [rule({ operations: ["CREATE"] })] };
    await this.#install("mutating", "m", { matchConstraints, reinvocationPolicy: "Never", ...spec });
    await this.#bind("mutating", "m", binding);
  }

  /** Deletes all policies and ConfigMaps. */
  async clear(): Promise<void> {
    for (const kind of KINDS) await this.call("delete", `${GROUP}/${kind}`).expect(200);
    await this.call("delete", MAPS).expect(200);
  }

  async #install(kind: string, name: string, spec: JsonObject): Promise<void> {
    await this.call("post", `${GROUP}/${kind}admissionpolicies`)
      .send({ metadata: { name }, spec })
      .expect(201);
  }

  async #bind(kind: string, policyName: string, spec: JsonObject): Promise<void> {
    await this.call("post", `${GROUP}/${kind}admissionpolicybindings`)
      .send({ metadata: { name: "b" }, spec: { policyName, ...spec } })
      .expect(201);
  }
}
