// All built-in kinds, in the order in which discovery lists their groups and kinds. A new kind is one schema file,
// one definition file and one line here.
import type { ResourceDefinition } from "../registry/resource-definition.ts";
import { customResourceDefinitions } from "./apiextensions.k8s.io/customresourcedefinitions.ts";
import { leases } from "./coordination.k8s.io/leases.ts";
import { configMaps } from "./core/configmaps.ts";
import { endpoints } from "./core/endpoints.ts";
import { events } from "./core/events.ts";
import { namespaces } from "./core/namespaces.ts";
import { nodes } from "./core/nodes.ts";
import { pods } from "./core/pods.ts";
import { secrets } from "./core/secrets.ts";
import { serviceAccounts } from "./core/serviceaccounts.ts";
import { services } from "./core/services.ts";
import { endpointSlices } from "./discovery.k8s.io/endpointslices.ts";
import { eventsV1 } from "./events.k8s.io/events.ts";

export const BUILT_IN_RESOURCES: readonly ResourceDefinition[] = [
  configMaps,
  endpoints,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  customResourceDefinitions,
  leases,
  endpointSlices,
  eventsV1,
];
