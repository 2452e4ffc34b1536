const allUpTo = 100;
const thenEvery = 5;

/**
 * Whether page or batch `index` is held against its schema: the first hundred are, then one in five, since
 * a body of fifty products costs the generator fifty times a lookup's.
 */
export function validatedInFull(index: number): boolean {
  return index < allUpTo || index % thenEvery === 0;
}
