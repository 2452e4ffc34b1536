// Apart from `judging.ts`: the declarations of the package do without the types of Node.

/** What is omitted comes from the config file and the environment, as on the command line. */
export interface JudgeTarget {
  /** Name of a target in the config file, or `embedded`. Default: its `defaultTarget` */
  readonly target?: string | undefined;
  /** Base URL, ending in `/v1`. */
  readonly baseUrl?: string | undefined;
  readonly keys?: Readonly<Partial<Record<"primary" | "sameOrg" | "otherOrg", string>>> | undefined;
  /** Categories to browse. Without one, most requirements are not judged. */
  readonly categories?: readonly string[] | undefined;
}

export interface JudgeSettings {
  /** Requirements, checks or sections to judge. Default: all */
  readonly only?: readonly string[] | undefined;
  /** Requirements, checks or sections to leave out. Default: none */
  readonly skip?: readonly string[] | undefined;
  /** Maximum number of requests. Default: 2000, or as the config file says */
  readonly maxRequests?: number | undefined;
  /** Longest time in which requests are sent, in seconds. Default: 300, or as the config file says */
  readonly maxSeconds?: number | undefined;
  /** Path of a config file. Default: `shelfcheck.config.ts` in the folder, if it exists */
  readonly config?: string | undefined;
  /** Folder in which the config file is looked for. Default: the working directory */
  readonly cwd?: string | undefined;
  /** Folder for the reports. Default: none are written */
  readonly out?: string | undefined;
  /** Ends the run; the results so far are returned. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a line about each step. */
  readonly onProgress?: ((line: string) => void) | undefined;
}
