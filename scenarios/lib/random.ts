/**
 * A number in [0, 1) that is a pure function of its arguments, so that any virtual user, process or shard
 * that serves iteration `index` draws the same one. `stream` tells the draws of one iteration apart.
 */
export function uniform(seed: number, index: number, stream: number): number {
  let hash = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) + Math.imul(index + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}
