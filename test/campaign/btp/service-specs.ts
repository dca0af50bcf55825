import fc from 'fast-check';
import type { ObjectKey } from '../../../internal/framework/kube/index.ts';
import type {
  ServiceBinding,
  ServiceBindingSpec,
} from '../../../internal/systems/btp/servicebinding/resource.ts';
import type {
  ServiceInstance,
  ServiceInstanceSpec,
} from '../../../internal/systems/btp/serviceinstance/resource.ts';
import { specArbitrary } from '../actions/spec-arbitrary.ts';

const CRDS = 'btp/chart/files/crds/services.cloud.sap.com_';
/** Secrets with parameters, in each namespace. The first never changes: bindings have what it had when they were bound. */
export const PARAMETER_SECRETS = ['p-0', 'p-1', 'p-2'] as const;
/** Names that others have in Service Manager. */
export const FOREIGN_NAMES = ['foreign-1', 'foreign-2'] as const;

const sources = (names: readonly string[]) =>
  fc.subarray(names.map((name) => ({ secretKeyRef: { name, key: 'parameters' } })));
const externalName = fc.constantFrom('a', 'b', ...FOREIGN_NAMES);
/** `refused`: by Service Manager. Other keys than those of the Secrets. */
const parameters = fc.dictionary(
  fc.constantFrom('a', 'b', 'refused'),
  fc.constantFrom<unknown>(1, 'text', { list: [] }),
  { maxKeys: 2, noNullPrototype: true },
);

const anyInstance = specArbitrary<ServiceInstanceSpec>(`${CRDS}serviceinstances.yaml`, {
  serviceOfferingName: fc.constant('xsuaa'),
  servicePlanName: fc.constantFrom('application', 'broker'),
  externalName,
  parameters,
  parametersFrom: sources(PARAMETER_SECRETS),
  // They choose another Service Manager, plan or user.
  servicePlanID: undefined,
  dataCenter: undefined,
  btpAccessCredentialsSecret: undefined,
  userInfo: undefined,
});

/** Without `watchParametersFromChanges` an instance has what its Secrets had when its spec was changed. */
export const instanceSpecs = anyInstance.map((spec) =>
  spec.parametersFrom === undefined ? spec : { ...spec, watchParametersFromChanges: true },
);

const INSTANCE_NAMES = ['orders', 'other'] as const;

export const bindingSpecs = specArbitrary<ServiceBindingSpec>(`${CRDS}servicebindings.yaml`, {
  serviceInstanceName: fc.constantFrom(...INSTANCE_NAMES),
  externalName: fc.constantFrom('a', 'b'),
  secretName: fc.constantFrom('s-1', 's-2'),
  secretKey: fc.constantFrom('credentials'),
  secretRootKey: fc.constantFrom('root'),
  secretTemplate: fc.constantFrom(
    'apiVersion: v1\nkind: Secret\nmetadata:\n  labels: {made: by-template}\nstringData:\n  both: "{{ .credentials.user }}:{{ .credentials.port }}"\n',
  ),
  parameters,
  parametersFrom: sources(PARAMETER_SECRETS.slice(0, 1)),
  serviceInstanceNamespace: undefined,
  // Rotations make bindings of their own.
  credentialsRotationPolicy: undefined,
  userInfo: undefined,
});

export const instanceOf = (key: ObjectKey, spec: ServiceInstanceSpec): ServiceInstance => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceInstance',
  metadata: { namespace: '', ...key },
  spec,
});

export const bindingOf = (key: ObjectKey, spec: ServiceBindingSpec): ServiceBinding => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceBinding',
  metadata: { namespace: '', ...key },
  spec,
});
