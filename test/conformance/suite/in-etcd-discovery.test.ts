import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("discovery", { part: 1, of: 1 }, "etcd");
