// The controllers around networks, as data for the manager.
import type { ControllerDescriptor } from "../runtime/controller.ts";
import {
  createUserDefinedNetworkController,
  USER_DEFINED_NETWORK_FIELD_MANAGER,
} from "../userdefinednetwork/controller.ts";
import { createNetworksController, NETWORKS_FIELD_MANAGER } from "./controller.ts";

export const networkControllers: readonly ControllerDescriptor[] = [
  {
    name: "userdefinednetwork",
    fieldManager: USER_DEFINED_NETWORK_FIELD_MANAGER,
    create: createUserDefinedNetworkController,
  },
  { name: "networks", fieldManager: NETWORKS_FIELD_MANAGER, create: createNetworksController },
];
