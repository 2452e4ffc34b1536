import type { OpenFront, Software } from "../../support/gateway-programs.ts";
import type { Expectation } from "../row.ts";
import type { IndependentOptions } from "./independent-service.ts";

/** The commands that a configuration is tried with. */
export type GatewayCommand = "conformance" | "doctor" | "load" | "batch" | "rate-limit" | "gate";

/** Gateways in front of the service, and what commands must say of them. */
export interface Configuration {
  readonly name: string;
  readonly needs: readonly Software[];
  /** The gateways, the one next to the service first. */
  readonly fronts: readonly OpenFront[];
  /** The instances of the service. Default: one without headers of its own */
  readonly services?: readonly Omit<IndependentOptions, "keys">[];
  /** Nothing listens where the service should be. Default: false */
  readonly isDown?: boolean;
  /** Default: not run */
  readonly expect: Partial<Readonly<Record<GatewayCommand, Expectation>>>;
  /** Whether `.ci/run` runs its conformance. Default: false */
  readonly inCi?: boolean;
}
