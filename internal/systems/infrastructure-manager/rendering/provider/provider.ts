import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import {
  type Extender,
  type PatchInput,
  quoted,
  RenderingError,
  type RenderingInput,
  rawDocument,
  type ShootPart,
  usesDualStack,
} from '../model/extender.ts';
import { patchWorkers, poolsOf, renderWorkers, zonesOf } from '../workers.ts';
import { alicloud } from './alicloud.ts';
import { aws } from './aws.ts';
import { azure } from './azure.ts';
import { gcp } from './gcp.ts';
import { gdch } from './gdch.ts';
import type { Infrastructure, InfrastructureOptions } from './infrastructure.ts';

const apiVersion = 'openstack.provider.extensions.gardener.cloud/v1alpha1';

/** One subnet for all zones. */
const openstack: Infrastructure = {
  create: (nodes) => {
    const config: ExtensionSchemas['OpenstackInfrastructureConfig'] = {
      apiVersion,
      kind: 'InfrastructureConfig',
      floatingPoolName: 'FloatingIP-external-kyma-01',
      networks: { workers: nodes },
    };
    return rawDocument(config);
  },
  addZones: (live) => live,
  controlPlane: () => {
    const config: ExtensionSchemas['OpenstackControlPlaneConfig'] = {
      apiVersion,
      kind: 'ControlPlaneConfig',
      loadBalancerProvider: 'f5',
    };
    return rawDocument(config);
  },
};

const TYPE = 'spec.shoot.provider.type';

const infrastructures = new Map<string, Infrastructure>(
  Object.entries({ aws, azure, gcp, openstack, alicloud, gdch }),
);

function infrastructureOf({ spec }: RenderingInput): Infrastructure {
  const found = infrastructures.get(spec.shoot.provider.type);
  if (found === undefined) throw new RenderingError(TYPE, 'provider not supported');
  return found;
}

function optionsOf(input: RenderingInput): InfrastructureOptions {
  const { parentReferenceName, parentReferenceNamespace, parentReferenceType } =
    input.configuration.converter.provider.gdch;
  return {
    dualStack: usesDualStack(input),
    parentReference: {
      name: parentReferenceName,
      ...(parentReferenceNamespace === '' ? {} : { namespace: parentReferenceNamespace }),
      ...(parentReferenceType === '' ? {} : { type: parentReferenceType }),
    },
  };
}

const workersSettings = { sshAccess: { enabled: false } };

/** Worker pools and the configuration of the provider, for a new Shoot. */
export const createProvider: Extender = (input): ShootPart => {
  const infrastructure = infrastructureOf(input);
  const pools = poolsOf(input);
  const zones = zonesOf(pools);
  const { provider, networking } = input.spec.shoot;
  const options = optionsOf(input);
  return {
    spec: {
      provider: {
        type: provider.type,
        infrastructureConfig: infrastructure.create(networking.nodes, zones, options),
        controlPlaneConfig: infrastructure.controlPlane(zones, options),
        workers: renderWorkers(pools, input),
        workersSettings,
      },
    },
  };
};

/** The same for a Shoot that exists: nothing that runs gets another subnet, zone, or older image. */
export const patchProvider: Extender<PatchInput> = (input): ShootPart => {
  const infrastructure = infrastructureOf(input);
  const pools = poolsOf(input);
  const zones = zonesOf(pools);
  const { provider, networking } = input.spec.shoot;
  const { type } = provider;
  const live = input.live.spec?.provider;
  if (live !== undefined && live.type !== type)
    throw new RenderingError(TYPE, `it cannot change from ${quoted(live.type)} to ${quoted(type)}`);
  const { infrastructureConfig, controlPlaneConfig, workers = [] } = live ?? {};
  if (infrastructureConfig === undefined)
    throw new RenderingError('spec.provider of the Shoot', 'existing infrastructure config is required');
  if (workers.length === 0)
    throw new RenderingError('spec.provider of the Shoot', 'shoot workers are required');
  const rendered = renderWorkers(pools, input);
  return {
    spec: {
      provider: {
        type,
        infrastructureConfig: infrastructure.addZones(infrastructureConfig, networking.nodes, zones),
        controlPlaneConfig:
          controlPlaneConfig ?? infrastructure.controlPlane([...zonesOf(workers), ...zones]),
        workers: patchWorkers(rendered, workers),
        workersSettings,
      },
    },
  };
};
