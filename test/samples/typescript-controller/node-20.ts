// The HTTP library of @kubernetes/client-node asks for functions that Node has had since 22. Newer Nodes need none of this.
import workerThreads from "node:worker_threads";
import zlib from "node:zlib";

const missing = (target: object, name: string, value: unknown): void => {
  if (!(name in target)) Object.assign(target, { [name]: value });
};

missing(zlib, "createZstdDecompress", () => {
  throw new Error("this Node has no zstd");
});
missing(workerThreads, "markAsUncloneable", () => {});
missing(Promise, "withResolvers", () => {
  const parts: { resolve?: unknown; reject?: unknown } = {};
  const promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return { promise, ...parts };
});
