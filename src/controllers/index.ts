// The controllers that exist: data for the manager and for --controllers.
import { createEgressIpController } from "./egressip/controller.ts";
import type { ControllerDescriptor } from "./runtime/controller.ts";

export const controllerDescriptors: readonly ControllerDescriptor[] = [
  { name: "egressip", fieldManager: "ovnkube-cluster-manager", create: createEgressIpController },
];
