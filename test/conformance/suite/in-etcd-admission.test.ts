import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("admission", { part: 1, of: 1 }, "etcd");
