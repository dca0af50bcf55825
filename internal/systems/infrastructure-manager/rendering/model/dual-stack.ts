import type { RenderingInput } from './extender.ts';

/** Providers whose networks can have both families. */
const PROVIDERS: ReadonlySet<string> = new Set(['aws', 'gcp']);

/** Whether a new Shoot has addresses of IPv4 and IPv6. */
export const usesDualStack = ({ spec: { shoot }, configuration }: RenderingInput): boolean =>
  shoot.networking.dualStack === true &&
  configuration.converter.networking.enableDualStackIP &&
  PROVIDERS.has(shoot.provider.type);
