import type { Contract, Dialect, Drift } from "../../../schemas/types.ts";
import { change } from "./change.ts";

const meanings: Readonly<Record<keyof Dialect, string>> = {
  batchRequestField: "the field of a batch request that carries the items",
  batchFoundField: "the list of found products in a batch result",
  batchFoundProduct: "the place of the product in an entry of that list",
  gtin: "the place of the GTIN on a product",
};

/** Names that the spec leaves open, and that clients have to use as they are. */
export function dialectDrift(before: Contract, after: Contract): Drift[] {
  return (Object.keys(meanings) as (keyof Dialect)[]).flatMap((name) =>
    nameDrift(name, before.dialect[name], after.dialect[name], after),
  );
}

function nameDrift(
  name: keyof Dialect,
  old: string | undefined,
  now: string | undefined,
  contract: Contract,
): Drift[] {
  if (old === now) return [];
  const meaning = `${meanings[name]} (dialect.${name})`;
  if (old === undefined) {
    const statement = `${meaning} was found: ${shown(now)}`;
    return [change("dialect.found", { subject: name, after: shown(now), statement })];
  }
  if (now === undefined) {
    const statement = `${meaning} was ${shown(old)} and could not be found`;
    return [change("dialect.lost", { subject: name, before: shown(old), statement })];
  }
  const told = { subject: name, before: shown(old), after: shown(now) };
  const stillThere =
    name === "gtin" &&
    Object.values(contract.fieldsByRetailer).some(({ fields }) => Object.hasOwn(fields, old));
  return stillThere
    ? [
        change("dialect.moved", {
          ...told,
          statement: `${meaning} was ${shown(old)}, which is still there; found was ${shown(now)}`,
        }),
      ]
    : [
        change("dialect.renamed", {
          ...told,
          statement: `${meaning} was ${shown(old)} and is ${shown(now)}`,
        }),
      ];
}

function shown(name: string | undefined): string {
  return name === "" ? "the body itself" : JSON.stringify(name ?? "");
}
