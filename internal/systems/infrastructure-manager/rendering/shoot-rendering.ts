import type { Shoot, ShootSpec } from '../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { cloneJson } from '../../../framework/base/json/clone-json.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { findAuditTenant } from '../configuration/find-audit-tenant.ts';
import type { RenderingFacts, ShootRendering } from '../runtime/rendering.ts';
import { authenticationConfig } from './authentication-config.ts';
import { createExtenders, patchExtenders } from './chain.ts';
import { hasAccessControl } from './extensions/access-control.ts';
import { type Extender, extend, type RenderingInput } from './model/extender.ts';
import { RenderingError } from './model/rendering-error.ts';
import { openIdConnects } from './open-id-connects.ts';
import { assertRequiredLabels } from './required-labels.ts';

/** A Shoot is stored as one entry, of one and a half mebibytes at most, with its status and managed fields. */
const MAX_BYTES = 1.25 * 2 ** 20;

export interface RenderingOptions {
  /** Whether Shoots have the extension that filters traffic. Default true. */
  readonly networkRestriction?: boolean;
}

/** Renders as the configuration says. The functions of the result are pure. */
export function createShootRendering(
  configuration: Configuration,
  { networkRestriction = true }: RenderingOptions = {},
): ShootRendering {
  const inputOf = (
    runtime: Runtime,
    { audit, accessControl, cacheSecrets = new Map() }: RenderingFacts = {},
  ): RenderingInput => ({
    runtime,
    spec: specOf(runtime),
    configuration,
    networkRestriction,
    audit,
    accessControl,
    cacheSecrets,
  });
  return {
    auditData: (runtime) => {
      const { provider, region } = specOf(runtime).shoot;
      return findAuditTenant(configuration.auditTenants, provider.type, region);
    },
    create: (runtime, facts) => render(inputOf(runtime, facts), createExtenders),
    patch: (runtime, live, facts) => render({ ...inputOf(runtime, facts), live }, patchExtenders),
    needsAccessControl: (runtime) => hasAccessControl({ spec: specOf(runtime) }),
    accessControlName: () => configuration.converter.kubernetes.kubeApiServer.acl.configMapName,
    openIdConnects: (runtime) => openIdConnects(inputOf(runtime)),
    revision: () => 0,
    authenticationConfig: (runtime) => authenticationConfig(inputOf(runtime)),
  };
}

function specOf({ spec }: Runtime): RuntimeSpec {
  if (spec === undefined) throw new RenderingError('spec', 'it is required');
  return spec;
}

function render<Input extends RenderingInput>(input: Input, extenders: readonly Extender<Input>[]): Shoot {
  assertRequiredLabels(input.runtime);
  const rendered = extenders.reduce((shoot, extender) => extend(shoot, extender(input)), baseOf(input));
  // It shares nothing with the arguments, so that a caller may change it.
  const shoot = cloneJson(rendered);
  if (Buffer.byteLength(JSON.stringify(shoot)) > MAX_BYTES)
    throw new RenderingError('spec.shoot', `the Shoot would have more than ${MAX_BYTES} bytes`);
  return shoot;
}

/** What is copied as it is. */
function baseOf({ spec: { shoot }, configuration }: RenderingInput): Shoot & { spec: ShootSpec } {
  const { name, purpose, region, networking, controlPlane, provider } = shoot;
  const { type, nodes, pods, services } = networking;
  return {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Shoot',
    metadata: { name, namespace: `garden-${configuration.converter.gardener.projectName}` },
    spec: {
      purpose,
      region,
      networking: { ...(type === undefined ? {} : { type }), nodes, pods, services },
      ...(controlPlane === undefined ? {} : { controlPlane }),
      kubernetes: {},
      provider: { type: provider.type },
    },
  };
}
