import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("security");
