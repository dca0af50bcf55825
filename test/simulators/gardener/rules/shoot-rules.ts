/** What the rules for Shoots depend on. */
export interface ShootRules {
  /** Without `garden-`. */
  readonly project: string;
  /** The user of all requests. */
  readonly user: string;
  /** Below it are domains of Shoots that ask for none. */
  readonly defaultDomain: string;
  /** Whether a Shoot may name only what the landscape of tests has. */
  readonly catalog: boolean;
}
