// Settings that a server adopts from the cluster that it imports at its start, and its hints for a later import.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { hintsOf, settingsOf, withSettings } from "../../../src/server/cluster-settings.ts";
import {
  DEFAULT_OPTIONS,
  readOptions,
  type ServerOptions,
  saidIn,
} from "../../../src/server/options/options.ts";

const nodeOf = (subnets: readonly string[], providerID?: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: subnets.join(),
    annotations: { "k8s.ovn.org/node-subnets": JSON.stringify({ default: subnets }) },
  },
  spec: { ...(providerID === undefined ? {} : { providerID }) },
});
const CLOUD = [
  nodeOf(["10.128.0.0/23"]),
  {
    ...{ apiVersion: "config.openshift.io/v1", kind: "Infrastructure", metadata: { name: "cluster" } },
    status: { platformStatus: { type: "AWS" } },
  },
];

test("what a flag says stays, also where it says the default", () => {
  const settings = settingsOf(CLOUD, {}, DEFAULT_OPTIONS);
  expect(settings).toMatchObject({ platform: "aws" });
  const platformOf = (options: ServerOptions) => withSettings(options, settings, saidIn(options)).platform;
  expect(platformOf(readOptions(new Map()))).toBe("aws");
  expect(platformOf(readOptions(new Map([["platform", "none"]])))).toBe("none");
  expect([...saidIn({ platform: "none" })]).toEqual(["platform"]);
});

test("nodes within the server's own networks are no reason to set it up in another way", () => {
  const ofPods = (...nodes: object[]) =>
    hintsOf(nodes as KubeObject[], DEFAULT_OPTIONS).filter((hint) => hint.includes("pods"));
  expect(
    ofPods(nodeOf(["10.130.0.0/23", "fd01:0:0:3::/64"]), nodeOf(["10.131.0.0/23", "fd01:0:0:4::/64"])),
  ).toEqual([]);
  expect(ofPods(nodeOf(["10.64.0.0/23"]), nodeOf(["10.65.0.0/23"]))).toEqual([
    expect.stringContaining("say --cluster-subnets=10.64.0.0/15"),
  ]);
});
