/** The namespace of the HanaDatabase in examples/composition. */
export const TEAM = 'team-shop';
