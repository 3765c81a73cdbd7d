// Writes a dump in the layout of `oc adm must-gather`: single files, and lists of the objects of a namespace.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pluralOf } from "../../../src/apimachinery/meta/names.ts";
import { type KubeObject, partsOfApiVersion } from "../../../src/apimachinery/meta/object-meta.ts";

export function resourceOf({ kind = "" }: KubeObject): string {
  return kind === "Endpoints" ? "endpoints" : pluralOf(kind);
}

const IMAGE = "quay-io-example-must-gather-sha256-0";

/** Below `folder`; all objects of one kind and namespace form a list, as in an inspected namespace. */
export async function gather(folder: string, objects: readonly KubeObject[]): Promise<void> {
  const lists = new Map<string, KubeObject[]>();
  const write = async (path: string, content: object) => {
    const file = join(folder, IMAGE, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `---\n${JSON.stringify(content)}\n`);
  };
  for (const object of objects) {
    const { apiVersion = "", kind = "", metadata } = object;
    const { name = "", namespace } = metadata;
    const group = partsOfApiVersion(apiVersion)[0] || "core";
    const resource = resourceOf(object);
    if (kind === "Namespace") await write(`namespaces/${name}/${name}.yaml`, object);
    else if (namespace === undefined)
      await write(`cluster-scoped-resources/${group}/${resource}/${name}.yaml`, object);
    else {
      const path = `namespaces/${namespace}/${group}/${resource}.yaml`;
      lists.set(path, [...(lists.get(path) ?? []), object]);
    }
  }
  for (const [path, items] of lists) {
    const { apiVersion, kind } = items[0] ?? {};
    await write(path, { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: "99000" }, items });
  }
  await writeFile(join(folder, IMAGE, "version"), "must-gather\n4.18.0\n");
  await writeFile(join(folder, IMAGE, "gather.logs"), "kind: Pod\nmetadata: {name: no object}\n");
}
