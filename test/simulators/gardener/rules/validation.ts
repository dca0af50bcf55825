import type { Shoot, ShootSpec } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../../internal/base/json/json-equal.ts';
import type { ShootRules } from './shoot-rules.ts';

export interface Refusal {
  /** 422 of validation, or 403 of an admission plugin. */
  readonly status: 422 | 403;
  readonly message: string;
}

/** Names of project and Shoot together: they are part of names of resources of the provider. */
const NAME_LIMIT = 21;

/** Why Gardener refuses the Shoot, or the change; undefined if it does not. */
export function refusalOf(next: Shoot, old: Shoot | undefined, { project }: ShootRules): Refusal | undefined {
  const { spec, metadata } = next;
  if (spec === undefined) return invalid('spec: Required value');
  const all = [
    () => required(spec),
    () =>
      metadata.name.length + project.length > NAME_LIMIT && old === undefined
        ? invalid(
            `metadata.name: Invalid value: "${metadata.name}": the length of the shoot name and the project name must not exceed ${NAME_LIMIT} characters`,
          )
        : undefined,
    () => workers(spec),
    () => (old?.spec === undefined ? undefined : change(next, spec, old.spec)),
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
  return undefined;
}

function workers({ provider: { workers = [] } }: ShootSpec): Refusal | undefined {
  const names = new Set<string>();
  for (const { name, minimum, maximum, zones = [] } of workers) {
    if (names.has(name)) return invalid(`spec.provider.workers: Duplicate value: "${name}"`);
    names.add(name);
    if (maximum < minimum)
      return invalid(`spec.provider.workers: maximum of ${name} must be greater or equal to minimum`);
    if (maximum !== 0 && maximum < zones.length)
      return {
        status: 422,
        message: `spec.provider.workers: maximum value of ${name} must be greater than or equal to the number of zones`,
      };
  }
  return undefined;
}

function change(next: Shoot, spec: ShootSpec, old: ShootSpec): Refusal | undefined {
  if (next.metadata.deletionTimestamp !== undefined && !jsonEqual(spec, old))
    return invalid('spec: Invalid value: cannot update shoot spec if deletion timestamp is set');
  const fixed: readonly [string, unknown, unknown][] = [
    ['spec.region', spec.region, old.region],
    ['spec.provider.type', spec.provider.type, old.provider.type],
    ['spec.secretBindingName', spec.secretBindingName, old.secretBindingName],
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
