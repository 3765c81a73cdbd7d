// Kubeconfig files.
import { chosenEntries, RequestError, secretOf } from "../../../../src/apiserver/http/kubeconfig/files.ts";
import { type ParserTarget, texts } from "../target.ts";
import { fileWith } from "../temporary-file.ts";

export const KUBECONFIG_TARGET: ParserTarget = {
  seeds: () =>
    texts(
      "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts:\n- name: a\n  context: {cluster: c, user: u, namespace: n}\nclusters:\n- name: c\n  cluster: {server: 'https://127.0.0.1:6443', certificate-authority-data: YQ==}\nusers:\n- name: u\n  user: {token: t, client-certificate-data: YQ==, exec: {command: x, args: [a], env: [{name: a, value: b}]}}\n",
      '{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":"http://a"}}]}',
    ),
  tokens: [
    "name: a\n",
    "- ",
    "contexts",
    "clusters:",
    "users: ",
    "null",
    "current-context: ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "__proto__",
  ],
  async run(input) {
    const { cluster, user } = await chosenEntries({ paths: [fileWith(input, "kubeconfig")] });
    await secretOf(cluster, "certificate-authority-data", "no such member");
    await secretOf(user, "token", "no such member");
  },
  isExpected: (error) => error instanceof RequestError,
};
