import { responder } from "./finding-fields.ts";
import {
  array,
  choice,
  count,
  integer,
  mapOf,
  moment,
  named,
  number,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";

export const excerpt = named(
  "Excerpt",
  object(
    {
      path: string("JSON Pointer to the place."),
      lines: array(
        object({
          text: string("With its indentation."),
          mark: optional(
            choice(
              ["place", "left-out"],
              "`place`: a line of the place itself, or a note that nothing is there; `left-out`: how much is omitted.",
            ),
          ),
        }),
      ),
    },
    "The part of a JSON body around one place, pretty-printed, without keys.",
  ),
);
export type Excerpt = Static<typeof excerpt>;

export const evidence = named(
  "Evidence",
  object(
    {
      request: object({
        method: string(),
        url: string(),
        headers: mapOf(string()),
        body: optional(string()),
        excerpts: optional(array(excerpt, "The items of a batch that findings refer to.")),
      }),
      response: object({
        status: integer("0 if none arrived."),
        headers: mapOf(string()),
        body: string("At most 4,000 characters of it."),
        cut: optional(
          object(
            {
              shown: count(),
              of: count(),
              file: optional(string()),
            },
            "For a longer body: how many of its characters are in `body`, out of how many, and the file in the run's folder that has all of it. Omitted for a complete body.",
          ),
        ),
        excerpts: optional(
          array(excerpt, "The parts of the complete body around the places that findings name."),
        ),
        milliseconds: number(),
        waited: optional(number("The part of `milliseconds` until the head of the response arrived.")),
        connecting: optional(
          number(
            "The part of `waited` for reaching the server; omitted if its connection was open. Through a proxy, with its tunnel and TLS.",
          ),
        ),
        securing: optional(number("The part of `waited` for the TLS handshake.")),
        from: optional(responder),
      }),
      startedAt: optional(moment("When the request was sent.")),
      curl: string("The request as a command line; the key comes from the environment."),
      turns: optional(
        object(
          { same: count(), other: count() },
          "How often the same request got this response, and how often another one; omitted if it always got this one.",
        ),
      ),
      beside: optional(array(string(), "Other requests that were under way, as command lines.")),
    },
    "One exchange, redacted.",
  ),
);
export type Evidence = Static<typeof evidence>;
