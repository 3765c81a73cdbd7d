// The names of what the build makes of all code.
export const BUNDLED_CODE = "egret.cjs";
export const cacheFile = (name: string): string => `${name}.cache`;
