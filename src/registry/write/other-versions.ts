// What a write changes, seen at the versions of other managers (structured-merge-diff/merge/update.go). Where a webhook converts,
// it is called for that as often as on a real server.
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { plainError } from "../../meta/status.ts";
import { withManagedFields } from "../../patch/apply/managed-entries.ts";
import { describeTypeFaults } from "../../patch/apply/typed/check.ts";
import { typeOfKind } from "../../patch/apply/typed/type-node.ts";
import type { ConvertedWrite } from "../../patch/apply/writer.ts";
import { inOtherView } from "../codec/versions.ts";
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

/** Whether versions of the kind differ in their fields; those of a custom kind do only where a webhook converts. */
const hasOtherForms = ({ definition }: ResourceView): boolean =>
  definition.versions.length > 1 && (definition.converter !== undefined || !definition.custom);

/** By apiVersion; undefined where nothing has to be converted, as for most writes. Rejects with a 500. */
export function inOtherVersions(write: ComparedWrite): Promise<ConvertedWrites> | undefined {
  if (!hasOtherForms(write.view)) return undefined;
  const { converter } = write.view.definition;
  const others = otherVersions(write);
  if (others.length === 0) return undefined;
  return convertWrite(converter ?? builtInConverter(write.view), write, others);
}

const builtInConverter = (view: ResourceView): Pick<ObjectConverter, "convert"> => ({
  convert: async (object, apiVersion) => {
    const version = versionNamed(view.definition, apiVersion);
    return version ? await inOtherView(view, { ...view, version }, object) : object;
  },
});

/** One for each manager, in the order of managedFields. Entries at a version that is gone are dropped later. */
function otherVersions({ view, managers = [] }: ComparedWrite): string[] {
  const own = apiVersionOf(view);
  return managers
    .map(({ apiVersion = "" }) => apiVersion)
    .filter((apiVersion) => apiVersion !== own && versionNamed(view.definition, apiVersion) !== undefined);
}

async function convertWrite(
  converter: Pick<ObjectConverter, "convert">,
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
