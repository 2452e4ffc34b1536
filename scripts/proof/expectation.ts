/** What the suite must say of a fault, wherever the fault is: in the reference service, or in the proxy. */
export interface Expectation {
  /** Name of the fault. */
  readonly fault: string;
  /** Checks that must go red, each of them; a warning is red for a requirement that is no MUST. */
  readonly red: readonly string[];
  /** Other requirements that may go red, each with the reason why the fault cannot be seen without. */
  readonly also: Readonly<Record<string, string>>;
  /** Why no check catches it yet. An entry that is caught after all is stale, and fails. */
  readonly unproven?: string;
}

/** One expectation for several faults that break the same sentence. */
export function caught(
  red: string | readonly string[],
  faults: readonly string[],
  also: Expectation["also"] = {},
): Expectation[] {
  const checks = typeof red === "string" ? [red] : red;
  return faults.map((fault) => ({ fault, red: checks, also }));
}

/** A fault that the suite does not catch yet. The list can only get shorter: its length is held by a test. */
export function unproven(fault: string, reason: string): Expectation {
  return { fault, red: [], also: {}, unproven: reason };
}

/** The requirement of a check, or the requirement itself. */
export function requirementOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}
