// Schemas of the types that only the protocol itself uses: discovery, version and scale. The types that objects are
// made of (ObjectMeta, Status, DeleteOptions …) come with the built-in schemas.
import { lookupTable } from "../../meta/tables/lookup-table.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { API_VERSION_DESCRIPTION, KIND_DESCRIPTION, METADATA_DESCRIPTION } from "./descriptions.ts";
import { refTo } from "./names.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const AUTOSCALING = "io.k8s.api.autoscaling.v1";

const text = (description: string): JsonSchema => ({ description, type: "string" });
const requiredText = (description: string): JsonSchema => ({ description, type: "string", default: "" });
const texts = (description: string): JsonSchema => ({
  description,
  type: "array",
  items: { type: "string" },
});
const atomic = (list: JsonSchema): JsonSchema => ({ ...list, "x-kubernetes-list-type": "atomic" });
const listOf = (name: string, description: string): JsonSchema =>
  atomic({ description, type: "array", items: refTo(name) });
const part = (name: string, description: string): JsonSchema => ({
  description,
  default: {},
  allOf: [refTo(name)],
});
const replicas = (description: string): JsonSchema => ({
  description,
  type: "integer",
  format: "int32",
  default: 0,
});

const TYPE_META = { apiVersion: text(API_VERSION_DESCRIPTION), kind: text(KIND_DESCRIPTION) };

const kindOf = (group: string, version: string, kind: string): JsonSchema => ({
  "x-kubernetes-group-version-kind": [{ group, kind, version }],
});

function object(
  description: string,
  required: readonly string[],
  properties: Record<string, JsonSchema>,
): JsonSchema {
  return { description, type: "object", ...(required.length > 0 ? { required } : {}), properties };
}

const ADDRESSES = listOf(
  `${META}.ServerAddressByClientCIDR`,
  "Under which address clients reach the server.",
);

const GROUP_VERSION = `${META}.GroupVersionForDiscovery`;

const DISCOVERY: Record<string, JsonSchema> = lookupTable({
  [`${META}.APIVersions`]: {
    ...object("The versions of the core group.", ["versions", "serverAddressByClientCIDRs"], {
      ...TYPE_META,
      serverAddressByClientCIDRs: ADDRESSES,
      versions: atomic(texts("Names of the versions.")),
    }),
    ...kindOf("", "v1", "APIVersions"),
  },
  [`${META}.APIGroup`]: {
    ...object("A group and its versions.", ["name", "versions"], {
      ...TYPE_META,
      name: requiredText("Name of the group."),
      preferredVersion: part(GROUP_VERSION, "The version that the server would rather have used."),
      serverAddressByClientCIDRs: ADDRESSES,
      versions: listOf(GROUP_VERSION, "All versions that are served."),
    }),
    ...kindOf("", "v1", "APIGroup"),
  },
  [`${META}.APIGroupList`]: {
    ...object("All named groups.", ["groups"], {
      ...TYPE_META,
      groups: listOf(`${META}.APIGroup`, "The groups."),
    }),
    ...kindOf("", "v1", "APIGroupList"),
  },
  [`${META}.APIResource`]: object(
    "A resource or subresource.",
    ["name", "singularName", "namespaced", "kind", "verbs"],
    {
      categories: atomic(texts("Groups of resources that clients may name together, such as all.")),
      group: text("Group of the kind, where it is not that of the list."),
      kind: requiredText("Name of the type of its objects."),
      name: requiredText("The plural word in URLs; a subresource has the resource and a slash before it."),
      namespaced: { description: "Whether its objects live in namespaces.", type: "boolean", default: false },
      shortNames: atomic(texts("Short words that clients may use instead of the name.")),
      singularName: requiredText("The word for one object."),
      storageVersionHash: text("Changes when objects are stored in another version."),
      verbs: texts("What can be done with it."),
      version: text("Version of the kind, where it is not that of the list."),
    },
  ),
  [`${META}.APIResourceList`]: {
    ...object("The resources of a group version.", ["groupVersion", "resources"], {
      ...TYPE_META,
      groupVersion: requiredText("Group and version of the resources."),
      resources: listOf(`${META}.APIResource`, "Resources and subresources."),
    }),
    ...kindOf("", "v1", "APIResourceList"),
  },
  [GROUP_VERSION]: object("One version of a group.", ["groupVersion", "version"], {
    groupVersion: requiredText("Group and version, as in apiVersion."),
    version: requiredText("The version alone."),
  }),
  [`${META}.ServerAddressByClientCIDR`]: object(
    "The address of the server as seen from one network.",
    ["clientCIDR", "serverAddress"],
    {
      clientCIDR: requiredText("Network of the client."),
      serverAddress: requiredText("Host and port of the server."),
    },
  ),
});

const SCALE: Record<string, JsonSchema> = lookupTable({
  [`${AUTOSCALING}.Scale`]: {
    ...object("How many copies of something are wanted and running.", [], {
      ...TYPE_META,
      metadata: part(`${META}.ObjectMeta`, METADATA_DESCRIPTION),
      spec: part(`${AUTOSCALING}.ScaleSpec`, "What is wanted."),
      status: part(`${AUTOSCALING}.ScaleStatus`, "What is running."),
    }),
    ...kindOf("autoscaling", "v1", "Scale"),
  },
  [`${AUTOSCALING}.ScaleSpec`]: object("The wanted number of copies.", [], {
    replicas: replicas("How many copies are wanted."),
  }),
  [`${AUTOSCALING}.ScaleStatus`]: object("The present number of copies.", ["replicas"], {
    replicas: replicas("How many copies were seen."),
    selector: text("Labels by which the copies are found, as text."),
  }),
});

export const VERSION_SCHEMA = "io.k8s.apimachinery.pkg.version.Info";

const VERSION: Record<string, JsonSchema> = lookupTable({
  [VERSION_SCHEMA]: object(
    "Which server answers, and of which version.",
    [
      "major",
      "minor",
      "gitVersion",
      "gitCommit",
      "gitTreeState",
      "buildDate",
      "goVersion",
      "compiler",
      "platform",
    ],
    {
      buildDate: requiredText("When it was built."),
      compiler: requiredText("What it was compiled with."),
      emulationMajor: text("Major version that it behaves like."),
      emulationMinor: text("Minor version that it behaves like."),
      gitCommit: requiredText("The commit it was built from."),
      gitTreeState: requiredText("Whether the commit had been changed."),
      gitVersion: requiredText("Full version of the API."),
      goVersion: requiredText("Version of Go, where Go was used."),
      major: requiredText("Major version of the API."),
      minCompatibilityMajor: text("Oldest major version that it works with."),
      minCompatibilityMinor: text("Oldest minor version that it works with."),
      minor: requiredText("Minor version of the API."),
      platform: requiredText("System and processor it runs on."),
    },
  ),
});

export const MACHINERY_DEFINITIONS: ReadonlyMap<string, JsonSchema> = new Map(
  Object.entries({ ...DISCOVERY, ...SCALE, ...VERSION }),
);
