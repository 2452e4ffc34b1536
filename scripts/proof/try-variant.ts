import type { Target } from "../../conformance/client/target.ts";
import { type RunningService, type ServiceOptions, startService } from "../../service/start.ts";
import { defaults } from "../config/settings.ts";
import { unjudgeableUnder } from "./expectations/variants.ts";
import { expectationOf } from "./expectations.ts";
import { injectionOf } from "./injections.ts";
import { startProxy } from "./proxy.ts";
import { judgeInProcess } from "./suite-in-process.ts";
import { type Judgement, judgeFault, judgeVariant, type Trial } from "./trial.ts";

/** A variant of the reference service to try, with the seed of its catalogue. */
export type Variation = Pick<Trial, "kind" | "name" | "seed">;

// The polite part of the suite hardly waits with this burst, and a busy machine can still exceed it.
const limit = { rate: 20, burst: 350 };
const maxRequests = 3000;

/** Starts the reference service with one fault, one variant or none, and runs the whole suite on it. */
export async function tryVariant(variation: Variation, signal: AbortSignal): Promise<Trial> {
  const started = performance.now();
  const frame = { ...variation, scope: "whole suite" as const };
  const took = () => Math.round(performance.now() - started);
  try {
    const { requests, ...judgement } = await judgeVariation(variation, signal);
    return { ...frame, ...judgement, requests, milliseconds: took() };
  } catch (error) {
    signal.throwIfAborted();
    return { ...frame, ...brokeOn(error), requests: 0, milliseconds: took() };
  }
}

async function judgeVariation(
  { kind, name, seed }: Variation,
  signal: AbortSignal,
): Promise<Judgement & { requests: number }> {
  const judge = async (target: Target) =>
    await judgeInProcess(target, { only: [], skip: [], maxRequests, signal });
  switch (kind) {
    case "fault": {
      await using served = await serve({ seed, faults: [name] });
      const { checks, requests } = await judge(served.target);
      return { ...judgeFault(expectationOf(name), checks), requests };
    }
    case "injection": {
      const injection = injectionOf(name);
      await using served = await serve({ seed });
      await using proxy = await startProxy(served.target, injection.start());
      const { checks, requests } = await judge({ ...served.target, baseUrl: proxy.baseUrl });
      return { ...judgeFault(injection, checks), requests };
    }
    case "variant":
    case "honest": {
      await using served = await serve({ seed, variants: kind === "variant" ? [name] : [] });
      const { checks, requests } = await judge(served.target);
      return { ...judgeVariant(checks, unjudgeableUnder[name]), requests };
    }
    default:
      return kind satisfies never;
  }
}

async function serve(options: ServiceOptions): Promise<AsyncDisposable & { target: Target }> {
  const service: RunningService = await startService({ ...limit, ...options });
  const { baseUrl, keys, categories } = service;
  const { timeoutMilliseconds } = defaults;
  return {
    target: { name: defaults.target, baseUrl, keys, categories, dialect: {}, timeoutMilliseconds },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

/** A run that could not be made proves nothing. */
export function brokeOn(error: unknown): Judgement {
  const finding = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { verdict: "broke", red: [], findings: [finding] };
}
