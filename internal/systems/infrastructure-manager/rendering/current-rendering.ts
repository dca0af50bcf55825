import type { Configuration } from '../configuration/configuration.ts';
import type { ShootRendering } from '../runtime/rendering.ts';
import { createShootRendering, type RenderingOptions } from './shoot-rendering.ts';

/** A rendering by the configuration that is current at each call. */
export function currentRendering(
  source: { current(): Configuration; revision(): number },
  options: RenderingOptions = {},
): ShootRendering {
  const renderNow = () => ({
    revision: source.revision(),
    rendering: createShootRendering(source.current(), options),
  });
  let latest = renderNow();
  const current = () => {
    if (latest.revision !== source.revision()) latest = renderNow();
    return latest.rendering;
  };
  return {
    auditData: (runtime) => current().auditData(runtime),
    create: (runtime, facts) => current().create(runtime, facts),
    patch: (runtime, live, facts) => current().patch(runtime, live, facts),
    needsAccessControl: (runtime) => current().needsAccessControl(runtime),
    accessControlName: () => current().accessControlName(),
    openIdConnects: (runtime) => current().openIdConnects(runtime),
    authenticationConfig: (runtime) => current().authenticationConfig(runtime),
    revision: () => source.revision(),
  };
}
