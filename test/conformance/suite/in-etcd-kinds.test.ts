import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("kinds", { part: 1, of: 1 }, "etcd");
