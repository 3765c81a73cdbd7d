// The labels that mark a node as the host of services. All labels with the prefix belong to the controller: those of
// services that are not on the node are taken off, whoever put them there.
import { isQualifiedName } from "../../meta/names.ts";

const PREFIX = "egress-service.k8s.ovn.org";

/** Undefined where namespace and name are too long for a label key: such a service has its host, but no label. */
export function serviceLabel(serviceKey: string): string | undefined {
  const label = `${PREFIX}/${serviceKey.replace("/", "-")}`;
  return isQualifiedName(label).length === 0 ? label : undefined;
}

/** The labels to set ("") and to take off (null); undefined if they are right as they are. */
export function labelChanges(
  labels: Readonly<Record<string, string>>,
  services: Iterable<string>,
): Record<string, "" | null> | undefined {
  const wanted = new Set<string>();
  for (const service of services) {
    const label = serviceLabel(service);
    if (label !== undefined) wanted.add(label);
  }
  const changes: Record<string, "" | null> = {};
  for (const label of wanted) if (labels[label] !== "") changes[label] = "";
  for (const label of Object.keys(labels)) {
    if (label.startsWith(PREFIX) && !wanted.has(label)) changes[label] = null;
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}
