import { responder } from "./finding-fields.ts";
import * as t from "./schema.ts";

export const excerpt = t.named(
  "Excerpt",
  t.object(
    {
      path: t.string("JSON Pointer to the place."),
      lines: t.array(
        t.object({
          text: t.string("With its indentation."),
          mark: t.optional(
            t.choice(
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
export type Excerpt = t.Static<typeof excerpt>;

export const evidence = t.named(
  "Evidence",
  t.object(
    {
      request: t.object({
        method: t.string(),
        url: t.string(),
        headers: t.mapOf(t.string()),
        body: t.optional(t.string()),
        excerpts: t.optional(t.array(excerpt, "The items of a batch that findings refer to.")),
      }),
      response: t.object({
        status: t.integer("0 if none arrived."),
        headers: t.mapOf(t.string()),
        body: t.string("At most 4,000 characters of it."),
        cut: t.optional(
          t.object(
            {
              shown: t.count(),
              of: t.count(),
              file: t.optional(t.string()),
            },
            "For a longer body: how many of its characters are in `body`, out of how many, and the file in the run's folder that has all of it. Omitted for a complete body.",
          ),
        ),
        excerpts: t.optional(
          t.array(excerpt, "The parts of the complete body around the places that findings name."),
        ),
        milliseconds: t.number(),
        waited: t.optional(t.number("The part of `milliseconds` until the head of the response arrived.")),
        from: t.optional(responder),
      }),
      startedAt: t.optional(t.moment("When the request was sent.")),
      curl: t.string("The request as a command line; the key comes from the environment."),
    },
    "One exchange, redacted.",
  ),
);
export type Evidence = t.Static<typeof evidence>;
