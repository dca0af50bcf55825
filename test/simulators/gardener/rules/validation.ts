import type { Shoot, ShootSpec } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../../internal/framework/base/json/json-value.ts';
import { unknownReference } from './references.ts';
import type { Refusal } from './refusal.ts';
import type { ShootRules } from './shoot-rules.ts';

/** Names of project and Shoot together: they are part of names of resources of the provider. */
const NAME_LIMIT = 21;

/** Why Gardener refuses the Shoot, or the change; undefined if it does not. */
export function refusalOf(next: Shoot, old: Shoot | undefined, rules: ShootRules): Refusal | undefined {
  const { spec, metadata } = next;
  const { project, catalog } = rules;
  if (spec === undefined) return invalid('spec: Required value');
  const all = [
    () => required(spec),
    () => values(spec),
    () =>
      metadata.name.length + project.length > NAME_LIMIT && old === undefined
        ? invalid(
            `metadata.name: Invalid value: "${metadata.name}": the length of the shoot name and the project name must not exceed ${NAME_LIMIT} characters`,
          )
        : undefined,
    () => workers(spec),
    () => (old?.spec === undefined ? undefined : change(next, spec, old.spec)),
    () => (catalog ? unknownReference(spec, old?.spec) : undefined),
  ];
  for (const check of all) {
    const refusal = check();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

const invalid = (message: string): Refusal => ({ status: 422, message });

function required(spec: ShootSpec): Refusal | undefined {
  if (spec.region === '' || spec.region === undefined)
    return invalid('spec.region: Required value: must specify a region');
  if (spec.secretBindingName === undefined && spec.credentialsBindingName === undefined)
    return invalid('spec.secretBindingName: Required value: must be set when credentialsBindingName is not');
  if (spec.secretBindingName !== undefined && spec.credentialsBindingName !== undefined)
    return invalid('spec.secretBindingName: Forbidden: is incompatible with credentialsBindingName');
  return undefined;
}

const PURPOSES = ['development', 'evaluation', 'production', 'testing'];

function values({ purpose = '', kubernetes, networking }: ShootSpec): Refusal | undefined {
  if (!PURPOSES.includes(purpose)) return invalid(`spec.purpose: Unsupported value: "${purpose}"`);
  const [, minor = '0'] = (kubernetes.version ?? '').split('.');
  if (kubernetes.kubeAPIServer?.oidcConfig !== undefined && Number(minor) >= 32)
    return invalid(
      'spec.kubernetes.kubeAPIServer.oidcConfig: Invalid value: must not be set for Kubernetes >= 1.32',
    );
  for (const name of ['nodes', 'pods', 'services'] as const) {
    const range = networking?.[name];
    if (range !== undefined && !/^[\da-f.:]+\/\d+$/.test(range))
      return invalid(`spec.networking.${name}: Invalid value: "${range}": invalid CIDR address: ${range}`);
  }
  return undefined;
}

/** Of a worker: it is part of names of its machines. */
const WORKER_NAME_LIMIT = 15;

function workers({ provider: { workers = [] } }: ShootSpec): Refusal | undefined {
  const names = new Set<string>();
  for (const { name, minimum, maximum, zones = [] } of workers) {
    if (names.has(name)) return invalid(`spec.provider.workers: Duplicate value: "${name}"`);
    names.add(name);
    if (name.length > WORKER_NAME_LIMIT)
      return invalid(`spec.provider.workers.name: Too long: may not be more than ${WORKER_NAME_LIMIT} bytes`);
    if (maximum < minimum)
      return invalid(`spec.provider.workers: maximum of ${name} must be greater or equal to minimum`);
    if (maximum !== 0 && maximum < zones.length)
      return {
        status: 422,
        message: `spec.provider.workers: maximum value of ${name} must be greater than or equal to the number of zones`,
      };
  }
  if (workers.length > 0 && workers.every(({ maximum }) => maximum === 0))
    return invalid('spec.provider.workers: Forbidden: at least one active worker pool is needed');
  return undefined;
}

function change(next: Shoot, spec: ShootSpec, old: ShootSpec): Refusal | undefined {
  if (next.metadata.deletionTimestamp !== undefined && !jsonEqual(spec, old))
    return invalid('spec: Invalid value: cannot update shoot spec if deletion timestamp is set');
  if (isLower(spec.kubernetes.version, old.kubernetes.version))
    return invalid('spec.kubernetes.version: Forbidden: kubernetes version downgrade is not supported');
  if ((old.provider.workers?.length ?? 0) > 0 && (spec.provider.workers?.length ?? 0) === 0)
    return invalid(
      'spec.provider.workers: Forbidden: cannot switch from a Shoot with workers to a workerless Shoot',
    );
  if (old.credentialsBindingName !== undefined && spec.credentialsBindingName === undefined)
    return invalid('spec.credentialsBindingName: Forbidden: the field cannot be unset');
  const isMoved = spec.secretBindingName === undefined && spec.credentialsBindingName !== undefined;
  const fixed: readonly [string, unknown, unknown][] = [
    ['spec.region', spec.region, old.region],
    ['spec.provider.type', spec.provider.type, old.provider.type],
    ['spec.secretBindingName', spec.secretBindingName, isMoved ? undefined : old.secretBindingName],
    ['spec.networking.pods', spec.networking?.pods, old.networking?.pods],
    ['spec.networking.services', spec.networking?.services, old.networking?.services],
    ...(old.dns?.domain === undefined || old.seedName === undefined
      ? []
      : [['spec.dns.domain', spec.dns?.domain, old.dns.domain] as [string, unknown, unknown]]),
  ];
  for (const [path, value, before] of fixed) {
    if (before !== undefined && value !== before)
      return invalid(`${path}: Invalid value: field is immutable`);
  }
  return undefined;
}

/** By their first two numbers. */
function isLower(version = '', than = ''): boolean {
  const minor = (text: string) => Number(text.split('.')[1] ?? 0);
  return version !== '' && minor(version) < minor(than);
}
