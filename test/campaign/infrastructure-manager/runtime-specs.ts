import fc from 'fast-check';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ObjectKey } from '../../../internal/framework/kube/index.ts';
import { requiredLabels } from '../../../internal/systems/infrastructure-manager/rendering/fixtures/rendering.fixture.ts';
import {
  runtimeOf,
  worker,
} from '../../../internal/systems/infrastructure-manager/runtime/fixtures/runtime.fixture.ts';
import { type FieldChoices, specArbitrary } from '../actions/spec-arbitrary.ts';

const CRD = 'infrastructure-manager/chart/files/crds/infrastructuremanager.kyma-project.io_runtimes.yaml';

const { machine, volume, zones = [] } = worker();
const duration = fc.constantFrom('10m', '1h');
const workers = 'shoot.provider.workers[]';
const oidc = 'shoot.kubernetes.kubeAPIServer';

/** What users change in a pool. Gardener refuses most other values of these fields. */
const ofPool: FieldChoices = {
  name: fc.constant('cpu-worker-0'),
  machine: fc.constant(machine),
  volume: fc.constant(volume),
  zones: undefined,
  minimum: fc.constantFrom(1, 2),
  maximum: fc.constantFrom(3, 5),
  maxSurge: fc.constantFrom(1, 2),
  maxUnavailable: undefined,
  'taints[].effect': fc.constantFrom('NoSchedule', 'NoExecute'),
  'taints[].timeAdded': undefined,
  'taints[].key': fc.constantFrom('a', 'b'),
  'machineControllerManager.inPlaceUpdateTimeout': undefined,
  'machineControllerManager.machineCreationTimeout': duration,
  'machineControllerManager.machineDrainTimeout': duration,
  'machineControllerManager.machineHealthTimeout': duration,
  'machineControllerManager.nodeConditions': undefined,
  'clusterAutoscaler.maxNodeProvisionTime': duration,
  'clusterAutoscaler.scaleDownUnneededTime': duration,
  'clusterAutoscaler.scaleDownUnreadyTime': duration,
  'clusterAutoscaler.scaleDownGpuUtilizationThreshold': fc.constantFrom(0.1, 0.5),
  'clusterAutoscaler.scaleDownUtilizationThreshold': fc.constantFrom(0.1, 0.5),
  'kubernetes.kubelet': fc.record(
    { maxPods: fc.constantFrom(110, 250), serializeImagePulls: fc.boolean() },
    { requiredKeys: [], noNullPrototype: true },
  ),
  'kubernetes.version': undefined,
  annotations: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('one', 'two'), {
    noNullPrototype: true,
  }),
  caBundle: undefined,
  controlPlane: undefined,
  cri: undefined,
  dataVolumes: undefined,
  kubeletDataVolumeName: undefined,
  providerConfig: undefined,
  sysctls: undefined,
  updateStrategy: undefined,
  systemComponents: undefined,
};

const provider = fc.record(
  {
    issuerURL: fc.constantFrom('https://one.example.org', 'https://two.example.org'),
    clientID: fc.constantFrom('one', 'two'),
    groupsClaim: fc.constantFrom('groups'),
    groupsPrefix: fc.constantFrom('g:'),
    usernameClaim: fc.constantFrom('sub', 'email'),
    usernamePrefix: fc.constantFrom('-', 'u:'),
    signingAlgs: fc.constantFrom(['RS256'], ['RS256', 'RS512']),
  },
  { requiredKeys: ['issuerURL', 'clientID'], noNullPrototype: true },
);

export const runtimeSpecs = specArbitrary<RuntimeSpec>(CRD, {
  ...Object.fromEntries(Object.entries(ofPool).map(([field, value]) => [`${workers}.${field}`, value])),
  'shoot.name': fc.constant('set by the place'),
  'shoot.purpose': fc.constantFrom('development', 'production'),
  'shoot.platformRegion': fc.constant('cf-eu10'),
  'shoot.region': fc.constant('eu-central-1'),
  'shoot.licenceType': fc.constantFrom('SAPDEV'),
  'shoot.secretBindingName': fc.constant('aws-binding'),
  'shoot.enforceSeedLocation': undefined,
  'shoot.kubernetes.version': undefined,
  [`${oidc}.oidcConfig`]: provider,
  [`${oidc}.additionalOidcConfig`]: fc.uniqueArray(provider, {
    selector: ({ issuerURL }) => issuerURL,
    maxLength: 2,
  }),
  'shoot.provider.type': fc.constant('aws'),
  'shoot.provider.additionalWorkers': fc.constantFrom([], [worker({ name: 'two' })]),
  'shoot.provider.infrastructureConfig': undefined,
  'shoot.provider.controlPlaneConfig': undefined,
  'shoot.networking': fc.constant(runtimeOf().spec?.shoot.networking),
  'shoot.controlPlane': undefined,
  'security.administrators': fc.uniqueArray(fc.constantFrom('a@example.org', 'b@example.org'), {
    minLength: 1,
  }),
  imageRegistryCache: undefined,
}).map(withOnePool);

/** The first pool of several, or one as the broker creates. Gardener lets no zone go. */
function withOnePool(spec: RuntimeSpec): RuntimeSpec {
  const { provider: given } = spec.shoot;
  const [pool = worker()] = given.workers;
  return { ...spec, shoot: { ...spec.shoot, provider: { ...given, workers: [{ ...pool, zones }] } } };
}

export const PLACES: readonly ObjectKey[] = [
  { namespace: 'kcp-system', name: 'runtime-1' },
  { namespace: 'kcp-system', name: 'runtime-2' },
];
/** Of the Runtimes at the places. */
export const SHOOTS: readonly string[] = ['one', 'two'];

/** As the broker creates it, with labels of its own. */
export function runtimeAt({ name, namespace = '' }: ObjectKey, spec: RuntimeSpec): Runtime {
  const shoot = SHOOTS[PLACES.findIndex((place) => place.name === name)] ?? '';
  const labels = { ...requiredLabels, 'kyma-project.io/runtime-id': name };
  const metadata = { name, namespace, labels };
  const { apiVersion, kind } = runtimeOf();
  return { apiVersion, kind, metadata, spec: { ...spec, shoot: { ...spec.shoot, name: shoot } } };
}
