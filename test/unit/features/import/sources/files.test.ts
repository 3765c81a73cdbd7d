// Files, folders and archives, created by the system's tar and gzip.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFiles } from "../../../../../src/features/import/sources/files.ts";
import { NewestObjects } from "../../../../../src/features/import/sources/newest-objects.ts";
import { layOut as layOutBelow } from "../../../../support/lay-out.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-files-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const object = (kind: string, name: string, resourceVersion = "1") =>
  `---\napiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  resourceVersion: "${resourceVersion}"\n`;
const LONG = `quay-io-openshift-release-dev-${"ocp-v4-0-art-dev-sha256-9f3c".repeat(2)}`;

/** As it is laid out, with a second image and much that is none of our business. */
const GATHERED: Readonly<Record<string, string>> = {
  timestamp: "2026-01-01",
  [`${LONG}/version`]: "openshift/must-gather\n",
  [`${LONG}/aggregated-discovery-api.yaml`]: "apiVersion: v1\nkind: APIGroupDiscoveryList\nitems: []\n",
  [`${LONG}/etcd_info/endpoint_status.json`]: '[{"Endpoint":"https://10.0.0.1:2379"}]',
  [`${LONG}/cluster-scoped-resources/core/nodes/worker-0.yaml`]: object("Node", "worker-0"),
  [`${LONG}/namespaces/default/default.yaml`]: object("Namespace", "default"),
  [`${LONG}/namespaces/default/core/pods.yaml`]: `---\napiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: web-0, namespace: default, resourceVersion: "7"}\n`,
  [`${LONG}/namespaces/default/core/secrets.yaml`]: "---\napiVersion: v1\nkind: SecretList\nitems: []\n",
  [`${LONG}/namespaces/default/pods/web-0/web-0.yaml`]: `apiVersion: v1\nkind: Pod\nmetadata: {name: web-0, namespace: default, resourceVersion: "10"}\n`,
  [`${LONG}/namespaces/default/pods/web-0/web/web/logs/current.log`]: "{}",
  [`${LONG}/namespaces/shop/core/configmaps.yaml`]: "",
  [`${LONG}/namespaces/shop/core/events.yaml`]:
    'apiVersion: v1\nkind: EventList\nitems:\n- metadata: {name: "',
  "second-image/cluster-scoped-resources/core/nodes/worker-0.yaml": object("Node", "worker-0", "0"),
};
const EXPECTED = ["Namespace default 1", "Node worker-0 1", "Pod web-0 10"];

const layOut = (name: string, files: Readonly<Record<string, string>>): Promise<string> =>
  layOutBelow(join(folder, name), files);

async function read(path: string) {
  const newest = new NewestObjects();
  const skipped: string[] = [];
  for await (const item of readFiles(path)) {
    if (item.type === "object") newest.add(item.object);
    else if (item.type === "skipped") skipped.push(`${item.origin.slice(path.length)} ${item.reason}`);
  }
  const found = [...newest.values()].map(
    ({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`,
  );
  return { found, skipped };
}

const tar = (...words: string[]) => execFileSync("tar", words, { cwd: folder });

describe("what must-gather has collected", () => {
  let root: string;
  beforeAll(async () => {
    root = await layOut("must-gather.local.1", GATHERED);
  });
  const empty = expect.stringMatching(/namespaces\/shop\/core\/configmaps\.yaml is empty$/);
  const broken = expect.stringMatching(/namespaces\/shop\/core\/events\.yaml yaml: line /);

  test("is read in its folder", async () => {
    const { found, skipped } = await read(root);
    expect({ found: found.sort(), skipped }).toEqual({ found: EXPECTED, skipped: [empty, broken] });
  });

  test.each(["gnu", "pax", "ustar"])("is read in an archive (%s)", async (format) => {
    const path = join(folder, `${format}.tar`);
    tar("-c", `--format=${format}`, "--sort=name", "-f", path, "must-gather.local.1");
    const { found, skipped } = await read(path);
    expect(found.sort()).toEqual(EXPECTED);
    expect(skipped.sort()).toEqual([empty, broken]);
  });

  test("is read in an archive that is compressed, whatever its name", async () => {
    const path = join(folder, "packed");
    tar("-czf", path, "must-gather.local.1");
    expect((await read(path)).found.sort()).toEqual(EXPECTED);
  });

  test.each([0.3, 0.7, 0.97])(
    "an archive of which only a part is there (%s) ends with that",
    async (part) => {
      tar("-cf", join(folder, "whole.tar"), "--sort=name", "must-gather.local.1");
      const whole = await readFile(join(folder, "whole.tar"));
      const contents = whole.subarray(0, whole.lastIndexOf("worker-0"));
      for (const bytes of [contents, gzipSync(contents)]) {
        const path = join(folder, "part");
        await writeFile(path, bytes.subarray(0, Math.floor(bytes.length * part)));
        const { skipped } = await read(path).catch((error: Error) => ({ skipped: [error.message] }));
        expect(skipped.at(-1)).toMatch(
          /cannot be read: (the archive ends in the middle|unexpected end of file)/,
        );
      }
    },
  );
});

describe("files of people", () => {
  test("in a folder, by name, those that can hold objects", async () => {
    const root = await layOut("manifests", {
      "b.yaml": object("Pod", "b"),
      "a/a.json": '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
      "lines.ndjson": '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}}\n',
      "notes.txt": object("Pod", "x"),
      "values.yaml": "replicas: 3\n",
    });
    expect(await read(root)).toEqual({
      found: ["Pod a undefined", "Pod b 1", "Pod c undefined"],
      skipped: ["/values.yaml names no kind"],
    });
    expect((await read(await layOut("empty", { "a.txt": "" }))).skipped).toEqual([
      " holds no files of objects",
    ]);
  });

  test.each([
    [
      "UTF-16, as PowerShell writes it",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(object("Pod", "ü"), "utf16le")]),
    ],
    [
      "UTF-16 the other way round",
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(object("Pod", "ü"), "utf16le").swap16()]),
    ],
    ["UTF-8 with a mark", Buffer.from(`\uFEFF${object("Pod", "ü")}`)],
    ["compressed", gzipSync(object("Pod", "ü"))],
  ])("%s", async (_form, bytes) => {
    const path = join(folder, "dump.yaml");
    await writeFile(path, bytes);
    expect(await read(path)).toEqual({ found: ["Pod ü 1"], skipped: [] });
  });

  test.each([
    ["half a zip archive", Buffer.from("504b0304", "hex"), /the archive ends in the middle|is damaged/],
    ["xz", Buffer.from("fd377a585a0000", "hex"), /compressed by xz: unpack it with xz -d/],
    [
      "a database of etcd",
      Buffer.concat([Buffer.alloc(16), Buffer.from("edda0ced02000000", "hex")]),
      /the copy of etcd is damaged/,
    ],
    [
      "a copy of etcd in gzip",
      gzipSync(Buffer.concat([Buffer.alloc(16), Buffer.from("edda0ced02", "hex")])),
      /unpack/,
    ],
    ["bzip2", Buffer.from("BZh91AY"), /compressed by bzip2: unpack it with bzip2 -d/],
    ["no YAML", Buffer.from('a: "b'), /found unexpected end of stream/],
  ])("%s is refused with what it is", async (_what, bytes, why) => {
    const path = join(folder, "other");
    await writeFile(path, bytes);
    await expect(read(path)).rejects.toThrow(why);
    await expect(read(path)).rejects.toThrow(path);
  });

  test("one that is not there is refused", async () => {
    await expect(read(join(folder, "nobody"))).rejects.toThrow(/nobody cannot be read/);
  });
});
