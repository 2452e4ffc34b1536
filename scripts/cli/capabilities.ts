// Each capability beside the core, by the door of its folder: nothing else of the core names it.

export { client } from "../client/client-door.ts";
export { cluster } from "../cluster/cluster-door.ts";
export { earlier } from "../earlier/earlier-door.ts";
export { proof } from "../proof/proof-door.ts";
export { twin } from "../twin/twin-door.ts";
