// Scale (autoscaling/v1) as a kind: what /scale shows of an object, and takes. One view of it for each version of a kind
// that can be scaled, since its table shows what lies at that version's paths.
import { compileSchema } from "../../schema/compile-schema.ts";
import { schemaLibrary, schemaRef } from "../../schema/go/schema-library.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import type {
  Column,
  ResourceVersionDefinition,
  ResourceView,
  RowPrinter,
  ScaleSubresource,
} from "../definition/resource-definition.ts";
import { toCell } from "../table/cells.ts";
import { findByPath } from "../table/json-path.ts";
import { parseJsonPath } from "../table/json-path-parse.ts";

const TYPE = "io.k8s.api.autoscaling.v1.Scale";

let compiled: SchemaNode | undefined;

function scaleNode(): SchemaNode {
  compiled ??= compileSchema(schemaRef(TYPE), schemaLibrary().resolve);
  return compiled;
}

const views = new WeakMap<ResourceVersionDefinition, ResourceView>();

/** The Scale behind a view, or undefined when objects of this version have none. */
export function scaleViewOf(view: ResourceView): ResourceView | undefined {
  const { version } = view;
  if (version.scale === undefined) return undefined;
  let scale = views.get(version);
  if (scale === undefined) {
    scale = makeView(view, version.scale);
    views.set(version, scale);
  }
  return scale;
}

function makeView({ definition }: ResourceView, paths: ScaleSubresource): ResourceView {
  const columns = columnsFor(paths);
  const version: ResourceVersionDefinition = {
    name: "v1",
    served: true,
    storage: true,
    schema: { $ref: TYPE },
    get node() {
      return scaleNode();
    },
    columns,
    selectableFields: [],
  };
  const { resource, namespaceScoped } = definition;
  return {
    version,
    definition: {
      group: "autoscaling",
      resource,
      singular: "",
      kind: "Scale",
      listKind: "ScaleList",
      shortNames: [],
      categories: [],
      namespaceScoped,
      custom: false,
      verbs: [],
      strategy: {},
      versions: [version],
      printRow: printerOf(columns),
    },
  };
}

/** The paths are those of the object, and are looked up in the Scale nevertheless, as in a real server. */
function columnsFor({ specReplicasPath, statusReplicasPath }: ScaleSubresource): Column[] {
  return [
    {
      name: "Name",
      type: "string",
      format: "name",
      jsonPath: ".metadata.name",
      description: "Name of the object.",
    },
    { name: "Desired", type: "integer", jsonPath: specReplicasPath, description: "Copies that are wanted." },
    {
      name: "Available",
      type: "integer",
      jsonPath: statusReplicasPath,
      description: "Copies that there are.",
    },
    {
      name: "Age",
      type: "date",
      jsonPath: ".metadata.creationTimestamp",
      description: "Time since the object was created.",
    },
  ];
}

function printerOf(columns: readonly Column[]): RowPrinter {
  const paths = columns.map(({ jsonPath = "" }) => parseJsonPath(jsonPath));
  return (object, nowMs) => ({
    cells: columns.map(({ type }, index) => {
      const path = paths[index];
      const found = path && findByPath(object, path);
      return found?.length ? toCell(type, found[0], nowMs) : null;
    }),
  });
}
