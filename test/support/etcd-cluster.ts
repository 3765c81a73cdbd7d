// Members of one etcd as processes, each with ports and a folder of its own.
import { Etcd, freeUrl } from "./etcd.ts";

/** Fast leader elections, but slow enough that a busy machine does not cause one. */
const PACE = ["--heartbeat-interval", "100", "--election-timeout", "1000"];

export class EtcdCluster implements AsyncDisposable {
  readonly members: readonly Etcd[];

  private constructor(members: readonly Etcd[]) {
    this.members = members;
  }

  static async start(size: number): Promise<EtcdCluster> {
    const urls: { readonly name: string; readonly client: string; readonly peer: string }[] = [];
    for (let index = 0; index < size; index++)
      urls.push({ name: `m${index}`, client: await freeUrl(), peer: await freeUrl() });
    const cluster = urls.map(({ name, peer }) => `${name}=${peer}`).join();
    const members = urls.map((each) => Etcd.spawn({ ...each, cluster, flags: PACE }));
    const started = new EtcdCluster(await Promise.all(members));
    await started.up();
    return started;
  }

  get endpoints(): readonly string[] {
    return this.members.map(({ endpoint }) => endpoint);
  }

  /** Resolves when every member answers. */
  async up(): Promise<void> {
    for (const member of this.members) await member.up();
  }

  /** Uses the first member that answers. Rejects when none does. */
  post(path: string, body: object): Promise<Record<string, unknown>> {
    return Promise.any(this.members.map((member) => member.post(path, body)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const member of this.members) {
      member.resume();
      await member.stop();
    }
  }
}
