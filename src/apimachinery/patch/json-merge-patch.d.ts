// The library has no types of its own.
declare module "json-merge-patch" {
  export function apply(target: unknown, patch: unknown): unknown;
}
