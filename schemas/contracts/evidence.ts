import type { SharedFields } from "./finding.ts";

/** The part of a JSON body around one place, pretty-printed, without keys. */
export interface Excerpt {
  /** JSON Pointer to the place. */
  path: string;
  lines: {
    /** With its indentation. */
    text: string;
    /**
     * `place`: a line of the place itself, or a note that nothing is there; `left-out`: how much is omitted.
     */
    mark?: "place" | "left-out" | undefined;
  }[];
}

/** One exchange, redacted. */
export interface Evidence {
  request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: string | undefined;
  };
  response: {
    /** 0 if none arrived. */
    status: number;
    headers: Record<string, string>;
    /** At most 4,000 characters of it. */
    body: string;
    /** How many characters of a longer body are in `body`, out of how many. Omitted for a complete one. */
    cut?: { shown: number; of: number } | undefined;
    /** The parts of the complete body around the places that findings name. */
    excerpts?: Excerpt[] | undefined;
    milliseconds: number;
    from?: SharedFields["from"];
  };
  /** Sent by the check that exceeds the rate limit. */
  burst?: true | undefined;
  /** When the request was sent. */
  startedAt?: string | undefined;
  /** The request as a command line; the key comes from the environment. */
  curl: string;
}
