// Allocation of cluster IPs and node ports for a Service, and their release. As upstream it precedes validation.
// Allocations are committed in the same transaction as the Service, or dropped.

import { type JsonObject, numberAt, objectsAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, invalid } from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { internalServerError, invalidObject, plainError } from "../../../apimachinery/meta/status.ts";
import type { Allocations } from "../../../apiserver/registry/definition/resource-definition.ts";
import { ensureObject, specOf } from "../../../apiserver/registry/strategy/fields.ts";
import { endpoints } from "../endpoints.ts";
import { Refusal, ServiceAllocator } from "./allocator.ts";
import {
  dropWhatTypeLacks,
  followClusterIp,
  isHeadless,
  keepAllocated,
  listClusterIp,
  mayHaveNodePorts,
  needsHealthCheckPort,
  nodePorts,
  wantsNodePorts,
} from "./defaults.ts";
import { keepsPreferred, settleFamilies } from "./families.ts";
import type { FamilyName, ServiceNetwork } from "./network.ts";

/** Allocates for a new or changed Service, and releases unused allocations. Throws 422 and 500. */
export function claimForService(
  network: ServiceNetwork,
  object: KubeObject,
  old: Readonly<KubeObject> | undefined,
  claims: Allocations,
): void {
  const spec = ensureObject(object, "spec");
  const allocator = new ServiceAllocator(network, claims, object);
  if (old === undefined) {
    listClusterIp(spec);
    settleFamilies(network, allocator.name, spec, undefined);
    takeAddresses(allocator, spec);
    takeNewNodePorts(allocator, spec);
    if (needsHealthCheckPort(spec)) takeHealthCheckPort(allocator, spec);
    return;
  }
  const oldSpec = specOf(old);
  keepAllocated(spec, oldSpec);
  followClusterIp(spec, oldSpec);
  settleFamilies(network, allocator.name, spec, oldSpec);
  takeMoreAddresses(allocator, spec, oldSpec);
  takeMoreNodePorts(allocator, spec, oldSpec);
  if (needsHealthCheckPort(spec) && !needsHealthCheckPort(oldSpec)) takeHealthCheckPort(allocator, spec);
  dropWhatTypeLacks(spec, oldSpec);
  giveBackRest(allocator, spec, oldSpec);
}

/** Reserves the addresses and ports of an imported Service, also those outside of this server's ranges. */
export function holdForService(
  network: ServiceNetwork,
  object: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  claims: Allocations,
): void {
  const allocator = new ServiceAllocator(network, claims, object);
  if (old !== undefined) giveBackRest(allocator, specOf(object), specOf(old));
  for (const text of heldAddresses(specOf(object))) allocator.holdAddress(text);
  for (const port of heldPorts(specOf(object))) allocator.holdPort(port);
}

/** Releases all allocations of a deleted Service, and deletes its Endpoints. */
export function releaseService(
  network: ServiceNetwork,
  object: Readonly<KubeObject>,
  claims: Allocations,
): void {
  giveBackRest(new ServiceAllocator(network, claims, object), {}, specOf(object));
  claims.removeObject(endpoints, object.metadata.namespace ?? "", object.metadata.name ?? "");
}

const heldAddresses = (spec: JsonObject): string[] =>
  textAt(spec, "type") === "ExternalName" || isHeadless(spec) ? [] : textsAt(spec, "clusterIPs");

/** Allocated ports of a Service's spec. */
export function heldPorts(spec: JsonObject): number[] {
  const port = needsHealthCheckPort(spec) ? numberAt(spec, "healthCheckNodePort") : undefined;
  return [...nodePorts(spec), ...(port ? [port] : [])];
}

function giveBackRest(allocator: ServiceAllocator, spec: JsonObject, old: JsonObject): void {
  const addresses = new Set(heldAddresses(spec));
  for (const text of heldAddresses(old)) if (!addresses.has(text)) allocator.giveBackAddress(text);
  const kept = new Set(heldPorts(spec));
  for (const port of heldPorts(old)) if (!kept.has(port)) allocator.giveBackPort(port);
}

/** One address for each family: the requested one, or any. */
function takeAddresses(allocator: ServiceAllocator, spec: JsonObject, from = 0): void {
  if (textAt(spec, "type") === "ExternalName" || isHeadless(spec)) return;
  const ips = textsAt(spec, "clusterIPs");
  for (const [index, family] of textsAt(spec, "ipFamilies").entries()) {
    if (index >= from) ips[index] = takeOne(allocator, ips, index, family as FamilyName); // validated by settleFamilies
  }
  spec["clusterIPs"] = ips;
  spec["clusterIP"] = ips[0] ?? "";
}

function takeOne(
  allocator: ServiceAllocator,
  ips: readonly string[],
  index: number,
  family: FamilyName,
): string {
  const ip = ips[index] ?? "";
  return orRefused(
    allocator,
    () => allocator.takeAddress(family, ip),
    (why) =>
      ip === ""
        ? internalServerError(`failed to allocate a serviceIP: ${why.message}`, why)
        : invalid("spec.clusterIPs", ips, `failed to allocate IP ${ip}: ${why.message}`),
  );
}

function takeMoreAddresses(allocator: ServiceAllocator, spec: JsonObject, old: JsonObject): void {
  if (keepsPreferred(spec, old)) return;
  if (textAt(old, "type") === "ExternalName") takeAddresses(allocator, spec);
  else if (!isHeadless(old) && textAt(spec, "type") !== "ExternalName") {
    const upgraded = textsAt(old, "ipFamilies").length === 1 && textsAt(spec, "ipFamilies").length === 2;
    if (upgraded) takeAddresses(allocator, spec, 1);
  }
}

/** A failed allocation is an internal error, or an invalid field of the Service. */
function orRefused<T>(
  { name }: ServiceAllocator,
  take: () => T,
  refusedAs: (why: Refusal) => Error | FieldError,
): T {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refused = refusedAs(error);
    throw refused instanceof Error ? refused : invalidObject({ group: "", kind: "Service" }, name, [refused]);
  }
}

/** Ports with the same number (TCP and UDP, for example) share a node port unless they request different ones. */
function takeNewNodePorts(allocator: ServiceAllocator, spec: JsonObject): void {
  if (!mayHaveNodePorts(spec)) return;
  const list = objectsAt(spec, "ports");
  const byNumber = new Map<number, number>();
  const asking = new Map<unknown, number>();
  for (const { port, nodePort } of list) {
    if (typeof nodePort === "number" && nodePort !== 0 && !asking.has(port)) asking.set(port, nodePort);
  }
  for (const [index, port] of list.entries()) {
    const asked = numberAt(port, "nodePort") ?? 0;
    if (asked === 0 && !wantsNodePorts(spec)) continue;
    const number = numberAt(port, "port") ?? 0;
    const shared = byNumber.get(number);
    if (shared === undefined) {
      const taken = takePort(allocator, index, asking.get(port["port"]) ?? 0);
      port["nodePort"] = taken;
      byNumber.set(number, taken);
    } else if (asked === 0) port["nodePort"] = shared;
    else if (asked !== shared) takePort(allocator, index, asked);
  }
}

function takeMoreNodePorts(allocator: ServiceAllocator, spec: JsonObject, old: JsonObject): void {
  if (!mayHaveNodePorts(spec)) return;
  const known = new Set(nodePorts(old));
  const seen = new Set<string>();
  for (const [index, port] of objectsAt(spec, "ports").entries()) {
    const asked = numberAt(port, "nodePort") ?? 0;
    if (asked === 0 && !wantsNodePorts(spec)) continue;
    if (!known.has(asked)) {
      const taken = takePort(allocator, index, asked);
      port["nodePort"] = taken;
      known.add(taken);
    }
    const pair = `{${textAt(port, "protocol")} ${numberAt(port, "nodePort")}}`;
    if (seen.has(pair)) throw plainError(`duplicate nodePort: ${pair}`);
    seen.add(pair);
  }
}

/** The requested port, or any for 0. */
const takePort = (allocator: ServiceAllocator, index: number, asked: number): number =>
  orRefused(
    allocator,
    () => allocator.takePort(asked),
    (why) =>
      asked === 0
        ? internalServerError(`failed to allocate a nodePort: ${why.message}`, why)
        : invalid(`spec.ports[${index}].nodePort`, asked, why.message),
  );

function takeHealthCheckPort(allocator: ServiceAllocator, spec: JsonObject): void {
  const asked = numberAt(spec, "healthCheckNodePort") ?? 0;
  const what = asked === 0 ? "a HealthCheck NodePort 0" : `requested HealthCheck NodePort ${asked}`;
  spec["healthCheckNodePort"] = orRefused(
    allocator,
    () => allocator.takePort(asked),
    (why) => internalServerError(`failed to allocate ${what}: ${why.message}`, why),
  );
}
