// Ports of one pod that stand in each other's way, by number or by name.
import { type JsonObject, numberAt, objectsAt, textAt } from "../../../../meta/json.ts";

interface Port {
  readonly field: string;
  readonly name: string;
  readonly hostIp: string;
  readonly hostPort: number;
  /** "80/TCP" */
  readonly key: string;
}

export function portWarnings(field: string, spec: JsonObject): string[] {
  const ports = ["initContainers", "containers"].flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) =>
      objectsAt(container, "ports").map((port, at) =>
        portOf(`${field}.${list}[${index}].ports[${at}]`, port),
      ),
    ),
  );
  return [...numberWarnings(ports), ...nameWarnings(ports)];
}

function portOf(field: string, port: JsonObject): Port {
  return {
    field,
    name: textAt(port, "name"),
    hostIp: textAt(port, "hostIP"),
    hostPort: numberAt(port, "hostPort") ?? 0,
    key: `${numberAt(port, "containerPort") ?? 0}/${textAt(port, "protocol")}`,
  };
}

function numberWarnings(ports: readonly Port[]): string[] {
  const known = new Map<string, Port[]>();
  return ports.flatMap((port) => {
    const others = known.get(port.key) ?? [];
    known.set(port.key, [...others, port]);
    return others.flatMap((other) => {
      const problem = overlap(port, other);
      return problem === undefined ? [] : [`${port.field}: ${problem} port definition with ${other.field}`];
    });
  });
}

function overlap(port: Port, other: Port): string | undefined {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const oneIsOpen = (port.hostIp === "") !== (other.hostIp === "");
  return port.hostPort === other.hostPort && oneIsOpen ? "dangerously ambiguous" : undefined;
}

function nameWarnings(ports: readonly Port[]): string[] {
  const known = new Map<string, string>();
  return ports.flatMap(({ field, name }) => {
    if (name === "") return [];
    const other = known.get(name);
    known.set(name, other ?? `${field}.name`);
    if (other === undefined) return [];
    return [
      `${field}.name: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}
