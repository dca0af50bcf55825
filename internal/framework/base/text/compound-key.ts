/**
 * One key of several texts, which no other texts have: some of them are chosen by others, who could write any separator into them.
 */
export const compoundKey = (...parts: readonly string[]): string => JSON.stringify(parts);
