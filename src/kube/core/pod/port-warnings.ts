// Warnings about ports of one pod that conflict by number or by name, and about unused host addresses.
import { type JsonObject, numberAt, textAt } from "../../../apimachinery/json/json.ts";
import { eachAt } from "../../../apiserver/registry/strategy/fields.ts";

interface Port {
  readonly field: string;
  readonly name: string;
  readonly hostIp: string;
  readonly hostPort: number;
  /** The struct in upstream's format. */
  readonly shown: string;
  /** "80/TCP" */
  readonly key: string;
}

/** Of the containers in these lists of a pod's spec. */
export function portWarnings(field: string, spec: JsonObject, lists: readonly string[]): string[] {
  const portsOf = (place: string, container: JsonObject) => eachAt(place, container, "ports", portOf);
  const ports = lists.flatMap((list) => eachAt(field, spec, list, portsOf));
  return [...numberWarnings(ports), ...sameNameWarnings(ports)];
}

function portOf(field: string, port: JsonObject): Port[] {
  const [name, hostIp, protocol] = ["name", "hostIP", "protocol"].map((member) => textAt(port, member));
  const [hostPort, number] = ["hostPort", "containerPort"].map((member) => numberAt(port, member) ?? 0);
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${number} Protocol:${protocol} HostIP:${hostIp}}`;
  return [
    {
      field,
      name: name ?? "",
      hostIp: hostIp ?? "",
      hostPort: hostPort ?? 0,
      shown,
      key: `${number}/${protocol}`,
    },
  ];
}

function numberWarnings(ports: readonly Port[]): string[] {
  const known = new Map<string, Port[]>();
  return ports.flatMap((port) => {
    const others = known.get(port.key) ?? [];
    known.set(port.key, [...others, port]);
    const isUnused = port.hostIp !== "" && port.hostPort === 0;
    return [
      ...(isUnused ? [`${port.field}: hostIP set without hostPort: ${port.shown}`] : []),
      ...others.flatMap((other) => {
        const problem = overlap(port, other);
        return problem === undefined ? [] : [`${port.field}: ${problem} port definition with ${other.field}`];
      }),
    ];
  });
}

function overlap(port: Port, other: Port): string | undefined {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const oneIsOpen = (port.hostIp === "") !== (other.hostIp === "");
  return port.hostPort === other.hostPort && oneIsOpen ? "dangerously ambiguous" : undefined;
}

function sameNameWarnings(ports: readonly Port[]): string[] {
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
