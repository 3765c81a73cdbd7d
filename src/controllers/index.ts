// The controllers that exist: data for the manager and for --controllers.
import { createEgressIpController } from "./egressip/controller.ts";
import { createGarbageCollector } from "./garbage-collector/controller.ts";
import { createNamespaceController } from "./namespace/controller.ts";
import type { ControllerDescriptor } from "./runtime/controller.ts";

export const controllerDescriptors: readonly ControllerDescriptor[] = [
  { name: "garbage-collector", fieldManager: "kube-controller-manager", create: createGarbageCollector },
  { name: "namespace", fieldManager: "kube-controller-manager", create: createNamespaceController },
  { name: "egressip", fieldManager: "ovnkube-cluster-manager", create: createEgressIpController },
];
