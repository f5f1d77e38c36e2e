/** What the server tells about a family. */
export interface Family {
  name: string;
  aliases: string[];
  summary: string;
  group: string;
  example: string;
  parameters: Parameter[];
}

export interface Parameter {
  name: string;
  kind: "int" | "network" | "text" | "flag" | "ints";
  /** What it is, with its range. */
  help: string;
  /** As a spec writes it; null where it must be given. */
  default: string | null;
  variadic: boolean;
}

export interface Start {
  version: string;
  /** Networks that one page may hold. */
  most: number;
  families: Family[];
}

/** A sentence about a spec, and where in it the trouble is. */
export interface Trouble {
  error: string;
  spec?: string;
  position?: number;
  calm?: boolean; // no fault of the request
}
