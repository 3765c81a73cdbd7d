// A server with authentication and users of different rights, for tests that the web UI offers only authorized actions.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { requestWith } from "../../../src/apiserver/http/kubeconfig/client.ts";
import { type EgretProcess, startEgret } from "../egret-process.ts";

const RBAC = "rbac.authorization.k8s.io";

export interface UserRights {
  /** Cluster-wide rules. */
  readonly rules?: readonly object[];
  /** The ClusterRole that is bound in each namespace. */
  readonly within?: Readonly<Record<string, string>>;
}

export class SecureServer implements AsyncDisposable {
  readonly folder: string;
  #process: EgretProcess;
  readonly #flags: readonly string[];

  private constructor(folder: string, process: EgretProcess, flags: readonly string[]) {
    this.folder = folder;
    this.#process = process;
    this.#flags = flags;
  }

  /** Starts a server with a folder of its own. The administrator imports the objects. */
  static async start(
    users: Readonly<Record<string, UserRights>>,
    objects: readonly object[] = [],
  ): Promise<SecureServer> {
    const folder = await mkdtemp(join(tmpdir(), "egret-page-"));
    const tokens = join(folder, "tokens.csv");
    const names = Object.keys(users);
    await writeFile(tokens, names.map((name) => `${tokenOf(name)},${name},\n`).join(""));
    const flags = ["--secure", "--token-auth-file", tokens, "--data-dir", join(folder, "data")];
    const all = [...flags, "--kubeconfig", join(folder, "kubeconfig")];
    const server = new SecureServer(folder, await startEgret(all), all);
    await server.put([...objects, ...Object.entries(users).flatMap(rolesOf)]);
    return server;
  }

  get url(): string {
    return this.#process.url;
  }

  get kubeconfig(): string {
    return join(this.folder, "kubeconfig");
  }

  /** The token of the administrator. */
  async adminToken(): Promise<string> {
    return /token: "?([^"\n]+)/.exec(await readFile(this.kubeconfig, "utf8"))?.[1] ?? "";
  }

  async put(items: readonly object[]): Promise<void> {
    const body = { apiVersion: "v1", kind: "List", items };
    const { status, text } = await requestWith(this.kubeconfig, {
      ...{ method: "POST", path: "/egret/v1/import?status=true", body },
    });
    if (status !== 200) throw new Error(text);
  }

  /** Restarts the server with the same data at the same address, in another process. */
  async restart(): Promise<void> {
    const { host } = new URL(this.url);
    await this.#process.stop();
    this.#process = await startEgret([...this.#flags, "--listen", host]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const tokenOf = (user: string): string => `token-of-${user}`;

export const logInAs = async (page: Page, user: string): Promise<void> => logInWith(page, tokenOf(user));

export async function logInWith(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
}

function rolesOf([user, { rules = [], within = {} }]: readonly [string, UserRights]): object[] {
  const apiVersion = `${RBAC}/v1`;
  const subjects = [{ apiGroup: RBAC, kind: "User", name: user }];
  const roleRef = (name: string) => ({ apiGroup: RBAC, kind: "ClusterRole", name });
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name: user }, rules },
    { apiVersion, kind: "ClusterRoleBinding", metadata: { name: user }, roleRef: roleRef(user), subjects },
    ...Object.entries(within).map(([namespace, role]) => ({
      ...{ apiVersion, kind: "RoleBinding", metadata: { name: user, namespace } },
      ...{ roleRef: roleRef(role), subjects },
    })),
  ];
}
