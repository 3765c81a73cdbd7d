// A local package registry with only the packages installed for the tests: npm can install without the network, and
// selects versions as usual.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";

const REPOSITORY = join(import.meta.dirname, "../../..");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

export class LocalRegistry implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  /** Folders of installed packages by name, from the repository's lock file. */
  readonly #installed: ReadonlyMap<string, readonly string[]>;
  /** Releases with metadata only: npm must not select them. */
  readonly #announced: readonly Manifest[];
  readonly #packed = new Map<string, Promise<Buffer>>();

  private constructor(
    server: Server,
    installed: ReadonlyMap<string, string[]>,
    announced: readonly Manifest[],
  ) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    this.#installed = installed;
    this.#announced = announced;
    server.on("request", ({ url = "" }, answer) => void this.#answer(decodeURIComponent(url), answer));
  }

  static async start(announced: readonly Manifest[] = []): Promise<LocalRegistry> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new LocalRegistry(server, await installedPackages(), announced);
  }

  async #answer(path: string, answer: ServerResponse): Promise<void> {
    try {
      const folder = /^\/-\/(.*)\.tgz$/.exec(path)?.[1];
      if (folder !== undefined) answer.end(await this.#pack(folder));
      else answer.setHeader("content-type", "application/json").end(await this.#document(path.slice(1)));
    } catch (error) {
      answer.writeHead(404).end(JSON.stringify({ error: String(error) }));
    }
  }

  /** The packument that npm requests first: all versions of a package with their addresses. */
  async #document(name: string): Promise<string> {
    const folders = this.#installed.get(name) ?? [];
    const installed = await Promise.all(folders.map((folder) => this.#manifest(folder)));
    const announced = this.#announced.filter((manifest) => manifest.name === name);
    const all = [...installed, ...announced];
    if (all.length === 0) throw new Error(`${name} is not installed here`);
    const versions = Object.fromEntries(all.map((manifest) => [manifest.version, manifest]));
    return JSON.stringify({ name, "dist-tags": { latest: all.at(-1)?.version }, versions });
  }

  async #manifest(folder: string): Promise<Manifest> {
    const manifest = await manifestIn(folder);
    const integrity = `sha512-${createHash("sha512")
      .update(await this.#pack(folder))
      .digest("base64")}`;
    return { ...manifest, dist: { tarball: `${this.url}-/${folder}.tgz`, integrity } };
  }

  #pack(folder: string): Promise<Buffer> {
    const packed = this.#packed.get(folder) ?? packFolder(join(REPOSITORY, folder));
    this.#packed.set(folder, packed);
    return packed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function manifestIn(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(REPOSITORY, folder, "package.json"), "utf8"));
}

async function installedPackages(): Promise<Map<string, string[]>> {
  const lock = JSON.parse(await readFile(join(REPOSITORY, "package-lock.json"), "utf8"));
  const found = new Map<string, string[]>();
  for (const folder of Object.keys(lock.packages)) {
    const manifest = folder === "" ? undefined : await manifestIn(folder).catch(() => undefined);
    if (manifest === undefined) continue; // for another platform
    found.set(manifest.name, [...(found.get(manifest.name) ?? []), folder]);
  }
  return found;
}

/** Packs as npm does: all files below "package". */
async function packFolder(folder: string): Promise<Buffer> {
  const scratch = await mkdtemp(join(tmpdir(), "egret-registry-"));
  try {
    await mkdir(scratch, { recursive: true });
    await symlink(folder, join(scratch, "package"));
    const args = ["-chf", "-", "--exclude=package/node_modules", "-C", scratch, "package"];
    const tar = spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] });
    const packed = await buffer(tar.stdout.pipe(createGzip({ level: 1 })));
    if (tar.exitCode === null) await once(tar, "close");
    if (tar.exitCode !== 0) throw new Error(`tar has failed for ${folder}`);
    return packed;
  } finally {
    await rm(scratch, { recursive: true });
  }
}
