import type { Sources, Steps } from "../steps.ts";

/** A way in which the service can be made to differ from its honest self. */
export interface ChangeEntry {
  readonly name: string;
  /** A variant is allowed by the spec but unusual; a fault breaks exactly one sentence of it. */
  readonly kind: "variant" | "fault";
  /** The sentence of the spec that it concerns. */
  readonly sentence: string;
  /** Heading of that sentence in the spec. */
  readonly section: string;
  /** Short stable name of the requirement, such as `product.omitted-not-null`. */
  readonly topic: string;
}

/** A variant with what it changes: the sources, the steps, or both. */
export interface Plug extends ChangeEntry {
  readonly sources?: (sources: Sources) => Sources;
  readonly steps?: (steps: Steps, sources: Sources) => Steps;
}
