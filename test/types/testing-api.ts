// What the compiler knows of egret-apiserver/testing, as a project sees it that has installed the package. It is only
// compiled, never run.
import type { Kinds } from "egret-apiserver/kinds";
import {
  type AnyObject,
  type EgretServer,
  type List,
  type StartEgretOptions,
  StatusError,
  type Stored,
  startEgret,
  WaitTimeoutError,
  type Watch,
} from "egret-apiserver/testing";
import { expectTypeOf } from "vitest";

interface Widget {
  apiVersion: "example.com/v1";
  kind: "Widget";
  metadata: { name?: string };
  size: number;
}

interface Gadget {
  apiVersion: "example.com/v1";
  kind: "Gadget";
  metadata: { name?: string };
  spec: { colour: "red" | "blue" };
}

declare module "egret-apiserver/kinds" {
  interface Kinds {
    "example.com/v1/Gadget": Gadget;
  }
}

type EgressIp = Kinds["k8s.ovn.org/v1/EgressIP"];

expectTypeOf(startEgret).returns.resolves.toEqualTypeOf<EgretServer>();
expectTypeOf(startEgret).parameter(0).toEqualTypeOf<StartEgretOptions | undefined>();
expectTypeOf<EgretServer>().toExtend<AsyncDisposable>();

export async function objects({ client }: EgretServer): Promise<void> {
  const eip = await client.get("k8s.ovn.org/v1/EgressIP", "web");
  expectTypeOf(eip).toEqualTypeOf<Stored<EgressIp>>();
  expectTypeOf(eip.spec.egressIPs).toEqualTypeOf<string[]>();
  expectTypeOf(eip.metadata.uid).toEqualTypeOf<string>();
  expectTypeOf(eip.apiVersion).toEqualTypeOf<"k8s.ovn.org/v1">();
  expectTypeOf(client.find("v1/Pod", "a")).resolves.toEqualTypeOf<Stored<Kinds["v1/Pod"]> | undefined>();
  expectTypeOf(client.list("v1/Node")).resolves.toEqualTypeOf<List<Stored<Kinds["v1/Node"]>>>();
  expectTypeOf(client.watch("v1/Node")).toEqualTypeOf<Watch<Stored<Kinds["v1/Node"]>>>();
  for await (const { type, object } of client.watch("v1/ConfigMap")) {
    expectTypeOf(type).toEqualTypeOf<"ADDED" | "MODIFIED" | "DELETED">();
    expectTypeOf(object.data).toEqualTypeOf<{ [key: string]: string } | undefined>();
  }
  expectTypeOf(client.delete("v1/Node", "a")).resolves.toEqualTypeOf<void>();
  expectTypeOf(client.as("me")).toEqualTypeOf(client);
}

export async function writes({ client }: EgretServer): Promise<void> {
  const spec = { egressIPs: ["192.0.2.1"], namespaceSelector: {} };
  const made = await client.create({
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: { name: "web" },
    spec,
  });
  expectTypeOf(made).toEqualTypeOf<Stored<EgressIp>>();
  expectTypeOf(client.update(made)).resolves.toEqualTypeOf<Stored<EgressIp>>();
  expectTypeOf(client.apply(made, { force: false })).resolves.toEqualTypeOf<Stored<EgressIp>>();
  // @ts-expect-error: addresses are a list of texts
  await client.create({ ...made, spec: { ...spec, egressIPs: "192.0.2.1" } });
  // @ts-expect-error: an EgressIP has a spec
  await client.create({ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "web" } });
  // @ts-expect-error: the type of a patch is one of four
  await client.patch("v1/Node", "a", {}, { type: "strange" });
}

export async function otherKinds({ client }: EgretServer): Promise<void> {
  expectTypeOf(client.get("example.com/v1/Other", "x")).resolves.toEqualTypeOf<Stored<AnyObject>>();
  expectTypeOf(client.get<Widget>("example.com/v1/Widget", "x")).resolves.toEqualTypeOf<Stored<Widget>>();
  expectTypeOf(client.list<Widget>("example.com/v1/Widget")).resolves.toEqualTypeOf<List<Stored<Widget>>>();
  const gadget = await client.get("example.com/v1/Gadget", "x");
  expectTypeOf(gadget.spec.colour).toEqualTypeOf<"red" | "blue">();
  await client.create({ apiVersion: "example.com/v1", kind: "Other", metadata: { name: "x" }, anything: 1 });
}

export async function waits(server: EgretServer): Promise<void> {
  const one = server.waitFor({ kind: "k8s.ovn.org/v1/EgressIP", name: "web" }, "object != null");
  expectTypeOf(one).resolves.toEqualTypeOf<Stored<EgressIp> | null>();
  const all = server.waitFor({ kind: "v1/Node" }, "objects.size() == 1", { timeout: 100 });
  expectTypeOf(all).resolves.toEqualTypeOf<Stored<Kinds["v1/Node"]>[]>();
  const queries = {
    eip: { kind: "k8s.ovn.org/v1/EgressIP", name: "web" },
    nodes: { kind: "v1/Node" },
  } as const;
  const both = await server.waitFor(queries, "eip != null");
  expectTypeOf(both.eip).toEqualTypeOf<Stored<EgressIp> | null>();
  expectTypeOf(both.nodes).toEqualTypeOf<Stored<Kinds["v1/Node"]>[]>();
  // @ts-expect-error: a query names a kind
  await server.waitFor({ name: "web" }, "true");
}

export async function start(): Promise<void> {
  await startEgret({ controllers: ["*", "-egressip"], clock: "frozen", seed: 7, retain: "all" });
  await startEgret({ objects: ["kind: Node", { kind: "ConfigMap", data: {} }], clock: new Date(0) });
  await startEgret({
    faults: [{ match: { verb: "update" }, error: { code: 409 } }],
    server: { platform: "aws" },
  });
  // @ts-expect-error: a folder has a path
  await startEgret({ storage: {} });
  // @ts-expect-error: there is no such option
  await startEgret({ controler: [] });
  // @ts-expect-error: storage has an option of its own
  await startEgret({ server: { dataDir: "x" } });
}

export function errors(error: unknown): void {
  if (error instanceof StatusError) expectTypeOf(error.code).toEqualTypeOf<number>();
  if (error instanceof WaitTimeoutError) {
    expectTypeOf(error.timeline.entries[0]?.changes).toEqualTypeOf<readonly string[] | undefined>();
  }
}
