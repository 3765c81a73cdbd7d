import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("builtin", { part: 1, of: 1 }, "etcd");
