// A CRD with many versions, like those of operators with a long history.

export const VERSIONS = 10;
const FIELDS = 20;

export function versionedDefinition(group: string, number: number): object {
  const plural = `benches${number}`;
  const kind = `Bench${number}`;
  const versions = Array.from({ length: VERSIONS }, (_, version) => ({
    name: `v${version + 1}`,
    served: true,
    storage: version === 0,
    schema: { openAPIV3Schema: schemaOf(version) },
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names: { plural, kind }, versions },
  };
}

function schemaOf(version: number): object {
  const field = (number: number) => ({
    type: "string",
    description: `What the field of number ${number} means in version ${version + 1}, in a sentence.`,
    maxLength: 63,
  });
  const fields = Object.fromEntries(Array.from({ length: FIELDS }, (_, n) => [`field${n}`, field(n)]));
  return { type: "object", properties: { spec: { type: "object", properties: fields } } };
}
