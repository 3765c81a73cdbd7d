// OpenAPI descriptions of connect subresources: /attach, /exec, /log, /portforward and /proxy. They have parameters
// of their own, and a text response.
import { lookupTable } from "../../../apimachinery/json/json.ts";
import type { SubresourceDefinition } from "../../registry/definition/resource-definition.ts";
import {
  ALL_MEDIA,
  ANY_MEDIA,
  capitalizeWord,
  type Method,
  type Operation,
  operation,
  type Parameter,
  type PathItem,
  PRETTY,
  queryParameter,
  type Scope,
  TEXT_SCHEMA,
  withName,
} from "./operation.ts";

/** By the kind of the options, or by the subresource without options; in the form of operation.ts. */
const PARAMETERS = lookupTable<readonly (readonly [head: string, description: string])[]>({
  PodAttachOptions: [
    ["container string _Q-EJ3nR", "Which container; may be left out where there is one."],
    ["stderr boolean 26jJhFUR", "Whether to get what the container writes to stderr."],
    ["stdin boolean sEFnN3IS", "Whether to send what the container reads from stdin."],
    ["stdout boolean 005YMKE6", "Whether to get what the container writes to stdout."],
    ["tty boolean g7MlET_l", "Whether the attached streams are those of a terminal."],
  ],
  PodExecOptions: [
    [
      "command string Py3eQybp",
      "The program and its arguments, one for each time it is given; no shell reads them.",
    ],
    ["container string i5dOmRiM", "In which container; may be left out where there is one."],
    ["stderr boolean W_1TNlWc", "Whether to get what the program writes to stderr."],
    ["stdin boolean PSzNhyUC", "Whether to send what the program reads from stdin."],
    ["stdout boolean -EZLRwV1", "Whether to get what the program writes to stdout."],
    ["tty boolean s0flW37O", "Whether the program gets a terminal."],
  ],
  PodPortForwardOptions: [["ports integer 91KROJmm", "The ports, which a WebSocket must name."]],
  PodProxyOptions: [["path string oPbzgLUj", "The path that is asked of the pod."]],
  ServiceProxyOptions: [["path string QCf0eosM", "The path, with its query, that is asked of the service."]],
  NodeProxyOptions: [["path string rFDtV0x9", "The path that is asked of the node."]],
  log: [
    ["container string 1GeXxFDC", "Whose log; may be left out where there is one container."],
    ["follow boolean 9OIXh_2R", "Whether to go on with what is logged from now on."],
    [
      "insecureSkipTLSVerifyBackend boolean gM00jVbe",
      "Whether to trust the node without looking at its certificate.",
    ],
    ["limitBytes integer zwd1RXuc", "How many bytes there are to be at most, nearly."],
    ["previous boolean 1jxDPu3y", "Whether the log is that of the container before it was started again."],
    ["sinceSeconds integer vE2NLdnP", "How old the lines may be. Not together with sinceTime."],
    [
      "stream string l-48cgXv",
      "Which stream: All, Stdout or Stderr. Not together with tailLines, unless it is All.",
    ],
    ["tailLines integer 9xQLWHMV", "How many lines there are to be at most, the last ones."],
    ["timestamps boolean c17fW1w_", "Whether the time stands before each line."],
  ],
});

const REST_OF_PATH: Parameter = {
  name: "path",
  in: "path",
  type: "string",
  description: "What stands behind the proxy in the path.",
  sharedName: "path-z6Ciiujn",
};

const METHOD_OF_VERB = lookupTable<Method>({
  get: "get",
  update: "put",
  create: "post",
  delete: "delete",
  patch: "patch",
});

/** The paths of a connect subresource; a proxy has a second one, for all paths below it. */
export function connectionPaths(scope: Scope, item: string, subresource: SubresourceDefinition): PathItem[] {
  const path = `${item}/${subresource.name}`;
  if (subresource.gives !== undefined) return [{ path, operations: [readOperation(scope, subresource)] }];
  const items = [{ path, operations: connectOperations(scope, subresource, "") }];
  if (subresource.name !== "proxy") return items;
  return [
    ...items,
    { path: `${path}/{path}`, operations: connectOperations(scope, subresource, "WithPath", [REST_OF_PATH]) },
  ];
}

/** A log is read like an object. */
function readOperation(scope: Scope, subresource: SubresourceDefinition): Operation {
  const { kind } = scope.view.definition;
  return operation(withName(scope), {
    method: "get",
    action: "get",
    id: ["read", scope.scopeWord + kind + capitalizeWord(subresource.name)],
    description: `Read the ${subresource.name} of one object of kind ${kind}.`,
    parameters: parametersOf(subresource.name),
    produces: [subresource.gives ?? "", ...ALL_MEDIA],
    responses: { 200: TEXT_SCHEMA },
  });
}

/** A proxy accepts all methods. */
function connectOperations(
  scope: Scope,
  { name, verbs, kind = "" }: SubresourceDefinition,
  suffix: string,
  further: readonly Parameter[] = [],
): Operation[] {
  const { group, version } = scope.kind;
  const { kind: owner } = scope.view.definition;
  const { pathParameters } = withName(scope, kind);
  const named = { ...scope, pathParameters: pathParameters.filter((item) => !PRETTY.includes(item)) };
  const methods: Method[] = verbs.flatMap((verb) => METHOD_OF_VERB[verb] ?? []);
  if (name === "proxy") methods.push("head", "options");
  return methods.map((method) => ({
    ...operation(named, {
      method,
      action: "connect",
      id: ["connect", capitalizeWord(method) + scope.scopeWord + owner + capitalizeWord(name) + suffix],
      description: `Connect with ${method.toUpperCase()} to the ${name} of one object of kind ${owner}.`,
      parameters: [...further, ...parametersOf(kind)],
      produces: ANY_MEDIA,
      responses: { 200: TEXT_SCHEMA },
    }),
    kind: { group, version, kind },
  }));
}

const made = new Map<string, readonly Parameter[]>();

/** The same object each time, so that parameters common to all operations are recognized and described once per path. */
function parametersOf(options: string): readonly Parameter[] {
  const parameters =
    made.get(options) ??
    (PARAMETERS[options] ?? []).map(([head, description]) => queryParameter(head, description));
  made.set(options, parameters);
  return parameters;
}
