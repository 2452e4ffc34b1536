import { faults } from "../faults/index.ts";
import { createSteps, type Sources, type Steps } from "../steps.ts";
import { variants } from "../variants/index.ts";
import type { ChangeEntry, Plug } from "./change.ts";

export type { ChangeEntry } from "./change.ts";

/** A variant or fault was asked for that does not exist. */
export class UnknownChangeError extends Error {
  readonly kind: ChangeEntry["kind"];
  /** What was asked for. */
  override readonly name: string;
  readonly known: readonly string[];

  constructor(kind: ChangeEntry["kind"], name: string, known: readonly string[]) {
    super(`there is no ${kind} "${name}": \`serve --list\` shows all of them`);
    this.kind = kind;
    this.name = name;
    this.known = known;
  }
}

/** All variants and faults, with the sentence that each concerns. */
export function listChanges(): readonly ChangeEntry[] {
  return [...variants, ...faults].map(({ name, kind, sentence, section, topic }) => ({
    name,
    kind,
    sentence,
    section,
    topic,
  }));
}

/**
 * The steps of the service with variants and faults plugged in: faults nearest to the honest path, variants around
 * them. Faults come in the order given; variants in that of their table, where what changes a product comes before
 * what wraps it.
 * @throws UnknownChangeError
 */
export function createChangedSteps(
  honest: Sources,
  { variants: variantNames = [], faults: faultNames = [] }: ChangeNames,
): Steps {
  const wanted = new Set(find("variant", variants, variantNames));
  const plugs = [...find("fault", faults, faultNames), ...variants.filter((variant) => wanted.has(variant))];
  const sources = plugs.reduce((inner, plug) => plug.sources?.(inner) ?? inner, honest);
  const steps = createSteps(sources);
  if (plugs.length === 0) return steps;
  return withPlainText(
    plugs.reduce((inner, plug) => plug.steps?.(inner, sources) ?? inner, withoutBytes(steps)),
  );
}

export interface ChangeNames {
  readonly variants?: readonly string[] | undefined;
  readonly faults?: readonly string[] | undefined;
}

function find(kind: ChangeEntry["kind"], plugs: readonly Plug[], names: readonly string[]): Plug[] {
  const known = plugs.map(({ name }) => name);
  return names.map((name) => {
    const plug = plugs.find((its) => its.name === name);
    if (plug === undefined) throw new UnknownChangeError(kind, name, known);
    return plug;
  });
}

/** Variants look into bodies and change them: they see text where the honest path sends bytes. */
function withoutBytes(steps: Steps): Steps {
  return {
    ...steps,
    async respond(call) {
      const answer = await steps.respond(call);
      return Buffer.isBuffer(answer.body) ? { ...answer, body: answer.body.toString() } : answer;
    },
  };
}

/** The schemas of the honest answers would mend what a variant has done to a body; text passes as it is. */
function withPlainText(steps: Steps): Steps {
  return {
    ...steps,
    async finish(call, answer) {
      const finished = await steps.finish(call, answer);
      const { body } = finished;
      return typeof body === "string" || Buffer.isBuffer(body)
        ? finished
        : { ...finished, body: JSON.stringify(body) };
    },
  };
}
