// What a write changes, seen at the versions of other managers: where a webhook converts, it is called for that as often as
// on a real server (structured-merge-diff/merge/update.go).
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { plainError } from "../../meta/status.ts";
import { withManagedFields } from "../../patch/apply/managed-entries.ts";
import { describeTypeFaults } from "../../patch/apply/typed/check.ts";
import { typeOfKind } from "../../patch/apply/typed/type-node.ts";
import type { ConvertedWrite } from "../../patch/apply/writer.ts";
import type { ObjectConverter, ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf, versionNamed } from "../definition/view.ts";

interface ComparedWrite {
  readonly view: ResourceView;
  /** undefined: the write creates the object. */
  readonly live: Readonly<KubeObject> | undefined;
  readonly managers: readonly ManagedFieldsEntry[] | undefined;
  /** What the object is to become; asked for only where it is converted. */
  readonly next: () => Promise<Readonly<KubeObject>> | Readonly<KubeObject>;
}

export type ConvertedWrites = ReadonlyMap<string, ConvertedWrite>;

/** By apiVersion; undefined where nothing has to be converted, as for most writes. Rejects with a 500. */
export function inOtherVersions(write: ComparedWrite): Promise<ConvertedWrites> | undefined {
  const { converter } = write.view.definition;
  if (converter === undefined) return undefined;
  const others = otherVersions(write);
  return others.length === 0 ? undefined : convertWrite(converter, write, others);
}

/** One for each manager, in the order of managedFields. Entries at a version that is gone are dropped later. */
function otherVersions({ view, managers = [] }: ComparedWrite): string[] {
  const own = apiVersionOf(view);
  return managers
    .map(({ apiVersion = "" }) => apiVersion)
    .filter((apiVersion) => apiVersion !== own && versionNamed(view.definition, apiVersion) !== undefined);
}

async function convertWrite(
  converter: ObjectConverter,
  { view, live, next }: ComparedWrite,
  versions: readonly string[],
): Promise<ConvertedWrites> {
  const convert = async (object: Readonly<KubeObject>, apiVersion: string) => {
    const converted = await converter.convert(object, apiVersion);
    checkFits(view, converted);
    return converted;
  };
  // What each manager owns is first reconciled with the schema of its version.
  if (live) for (const apiVersion of versions) await convert(live, apiVersion);
  const after = withManagedFields(await next(), undefined);
  const seen = new Map<string, ConvertedWrite>();
  for (const apiVersion of new Set(versions)) {
    const before = live && (await convert(live, apiVersion));
    seen.set(apiVersion, { live: before, next: await convert(after, apiVersion) });
  }
  return seen;
}

function checkFits({ definition }: ResourceView, converted: Readonly<KubeObject>): void {
  const version = versionNamed(definition, converted.apiVersion);
  const faults = version && describeTypeFaults(typeOfKind(version.node), converted);
  if (faults !== undefined) throw plainError(faults);
}
