/** Messages about shard ownership, for conditions and events. */

/** Shown during the ownership delay, where something would have to be written externally. */
export function ownershipDelayText(delayMs: number): string {
  const seconds = Math.ceil(delayMs / 1000);
  return `this resource came from another shard of the provider, which may still be at work for it: nothing is changed for ${seconds} s`;
}

/** @param owner the label selector of the shard that owns the resource; empty: the provider without a selector */
export function lostOwnershipText(owner: string): string {
  const which = owner === '' ? 'the provider without a label selector' : `the shard ${JSON.stringify(owner)}`;
  return `${which} took this resource over, though it is selected here as well: have the label selectors of the providers exclude each other`;
}
