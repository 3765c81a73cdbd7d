// Changed fields of a write at the versions of other managers (structured-merge-diff/merge/update.go). A conversion
// webhook is called as often as upstream does.
import type { KubeObject, ManagedFieldsEntry } from "../../../apimachinery/meta/object-meta.ts";
import { plainError, StatusError } from "../../../apimachinery/meta/status.ts";
import { withManagedFields } from "../../../apimachinery/patch/apply/managed-entries.ts";
import { describeTypeFaults } from "../../../apimachinery/patch/apply/typed/check.ts";
import { typeOfKind } from "../../../apimachinery/patch/apply/typed/type-node.ts";
import type { ConvertedWrite } from "../../../apimachinery/patch/apply/writer.ts";
import { inOtherView } from "../codec/versions.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf, versionNamed } from "../definition/view.ts";

interface ComparedWrite {
  readonly view: ResourceView;
  /** undefined: the write creates the object. */
  readonly live: Readonly<KubeObject> | undefined;
  readonly managers: readonly ManagedFieldsEntry[] | undefined;
  /** The new object; called only where a conversion is needed. */
  readonly next: () => Promise<Readonly<KubeObject>> | Readonly<KubeObject>;
}

export type ConvertedWrites = ReadonlyMap<string, ConvertedWrite>;

/** Converted writes by apiVersion; undefined where nothing needs conversion, as for most writes. Rejects with a 500. */
export function inOtherVersions(write: ComparedWrite): Promise<ConvertedWrites> | undefined {
  const others = otherVersions(write);
  return others.length === 0 ? undefined : convertWrite(fittingConverter(write.view), write, others);
}

/**
 * Returns a converter that rejects with a 500 where the conversion fails, or the result does not fit the version's
 * schema.
 */
export function fittingConverter(view: ResourceView): Convert {
  const toVersion = converterOf(view);
  return async (object, apiVersion) => {
    const converted = object.apiVersion === apiVersion ? object : await toVersion(object, apiVersion);
    checkFits(view, converted);
    return converted;
  };
}

type Convert = (object: Readonly<KubeObject>, apiVersion: string) => Promise<Readonly<KubeObject>>;

/** Without a conversion webhook, versions of a custom kind differ in apiVersion only. */
function converterOf(view: ResourceView): Convert {
  const { definition } = view;
  return async (object, apiVersion) => {
    const version = versionNamed(definition, apiVersion);
    if (version === undefined)
      throw plainError(`request to convert CR to an invalid group/version: ${apiVersion}`);
    if (!definition.custom) return inOtherView(view, { ...view, version }, object);
    return definition.converter?.convert(object, apiVersion) ?? { ...object, apiVersion };
  };
}

/**
 * One version for each manager, in the order of managedFields. Entries of built-in kinds at removed versions are dropped
 * later. An object of a custom kind cannot be converted to such a version.
 */
function otherVersions({ view, managers = [] }: ComparedWrite): string[] {
  const own = apiVersionOf(view);
  const { definition } = view;
  return managers
    .map(({ apiVersion = "" }) => apiVersion)
    .filter(
      (apiVersion) =>
        apiVersion !== own && (definition.custom || versionNamed(definition, apiVersion) !== undefined),
    );
}

async function convertWrite(
  convert: Convert,
  { live, next }: ComparedWrite,
  versions: readonly string[],
): Promise<ConvertedWrites> {
  // Each manager's field set is first reconciled with the schema of its version.
  if (live) for (const apiVersion of versions) await convert(live, apiVersion);
  const after = withManagedFields(await next(), undefined);
  const seen = new Map<string, ConvertedWrite>();
  for (const apiVersion of new Set(versions)) {
    const before = live && (await convert(live, apiVersion).catch(failedFor("old")));
    seen.set(apiVersion, {
      live: before,
      next: await convert(after, apiVersion).catch(failedFor("new")),
    });
  }
  return seen;
}

const failedFor =
  (which: "old" | "new") =>
  (error: unknown): never => {
    if (!(error instanceof StatusError)) throw error;
    throw plainError(`failed to convert ${which} object: ${error.message}`);
  };

function checkFits({ definition }: ResourceView, converted: Readonly<KubeObject>): void {
  const version = versionNamed(definition, converted.apiVersion);
  const faults = version && describeTypeFaults(typeOfKind(version.node), converted);
  if (faults !== undefined) throw plainError(faults);
}
