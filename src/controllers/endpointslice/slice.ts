// One EndpointSlice of a Service: its labels, its owner, its name.
import type { IpFamily } from "../../meta/ip.ts";
import type { JsonObject } from "../../meta/json.ts";
import { isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { HEADLESS, type Service } from "../endpoints/service.ts";
import { MANAGED_BY, SERVICE_NAME } from "./slice-cache.ts";

export const CONTROLLER = "endpointslice-controller.k8s.io";
const RESERVED = [SERVICE_NAME, MANAGED_BY, HEADLESS];

export const addressTypeOf = (family: IpFamily): string => `IPv${family}`;

export function newSlice(service: Service, ports: readonly JsonObject[], family: IpFamily): KubeObject {
  const { namespace, name, uid } = service;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: namePrefix(name),
      namespace,
      labels: labelsOf(service),
      ownerReferences: [
        { apiVersion: "v1", kind: "Service", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    addressType: addressTypeOf(family),
    endpoints: [],
    ports: [...ports],
  };
}

/** The Service's labels, but for those that say what a slice is. */
export function labelsOf(service: Service): Record<string, string> {
  const own = Object.entries(service.labels).filter(([key]) => !RESERVED.includes(key));
  return {
    ...Object.fromEntries(own),
    ...(service.withoutAddress ? { [HEADLESS]: "" } : {}),
    [SERVICE_NAME]: service.name,
    [MANAGED_BY]: CONTROLLER,
  };
}

export const isOwnedBy = ({ metadata }: KubeObject, { uid }: Service): boolean =>
  (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.kind === "Service");

/** The start of a generated name: with a dash, where the API allows a name that ends so before it is completed. */
export function namePrefix(name: string): string {
  const prefix = `${name}-`;
  return isDns1123Subdomain(`${prefix}a`).length === 0 ? prefix : name;
}
