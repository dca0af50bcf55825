import type { Shoot, ShootSpec } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../../internal/framework/base/json/json-value.ts';
import type {
  Admission,
  AdmissionRequest,
  AnyObject,
} from '../../../../internal/framework/kube/fakes/memory-store.ts';
import { defaultedShoot } from './defaults.ts';
import type { ShootRules } from './shoot-rules.ts';
import { refusalOf } from './validation.ts';

const CONFIRMATION = 'confirmation.gardener.cloud/deletion';
const CONFIRMED_BY = 'deletion.gardener.cloud/confirmed-by';
const OPERATION = 'gardener.cloud/operation';

const REASONS = { 403: 'Forbidden', 422: 'Invalid', 500: 'InternalError' } as const;

/** As Go's strconv.ParseBool. */
const isConfirmed = ({ metadata: { annotations = {} } }: Shoot): boolean =>
  ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(annotations[CONFIRMATION] ?? '');

/** What the gardener-apiserver and its admission plugins do to Shoots, as far as the infrastructure manager can notice. */
export function shootAdmission(rules: ShootRules): Admission {
  return {
    defaulted: (object) => defaultedShoot(object as unknown as Shoot) as unknown as AnyObject,
    admit: (request) => {
      const { operation, part, refuse } = request;
      const next = bound(request.next as unknown as Shoot, request.old as unknown as Shoot | undefined);
      const old = request.old as unknown as Shoot | undefined;
      if (operation === 'delete') {
        if (!isConfirmed(next))
          refuse(403, 'Forbidden', `annotation "${CONFIRMATION}" is missing or not "true"`);
        return request.next;
      }
      if (part === 'status') return request.next;
      const refusal = refusalOf(next, old, rules);
      if (refusal !== undefined) refuse(refusal.status, REASONS[refusal.status], refusal.message);
      assertFinalizer(next, old, request);
      const shoot = completed(request.isPatch ? withSortedDocuments(next) : next, old, rules);
      return counted(shoot, old, request.isPatch) as unknown as AnyObject;
    },
  };
}

/** Requests other than those of the scheduler do not change the seed. */
function bound(next: Shoot, old: Shoot | undefined): Shoot {
  const seedName = old?.spec?.seedName;
  return seedName === undefined || next.spec === undefined
    ? next
    : { ...next, spec: { ...next.spec, seedName } };
}

/** Gardener's finalizer goes when the deletion has succeeded. */
function assertFinalizer(next: Shoot, old: Shoot | undefined, { refuse }: AdmissionRequest): void {
  const had = old?.metadata.finalizers?.includes('gardener') === true;
  if (!had || next.metadata.finalizers?.includes('gardener') === true) return;
  const { technicalID = '', lastOperation } = old.status ?? {};
  if (technicalID === '' || lastOperation === undefined) return;
  const { type, state, progress } = lastOperation;
  if (type === 'Delete' && state === 'Succeeded' && progress === 100) return;
  refuse(
    403,
    'Forbidden',
    'finalizer "gardener" cannot be removed because shoot deletion has not completed successfully yet',
  );
}

function completed(next: Shoot, old: Shoot | undefined, rules: ShootRules): Shoot {
  const { spec } = next;
  if (spec === undefined) return next;
  const annotations = { ...next.metadata.annotations };
  if (old === undefined) {
    annotations['gardener.cloud/created-by'] = rules.user;
    annotations['shoot.gardener.cloud/tasks'] =
      'deployInfrastructure,deployDNSRecordInternal,deployDNSRecordExternal,deployDNSRecordIngress';
  }
  if (!isConfirmed(next)) delete annotations[CONFIRMED_BY];
  else
    annotations[CONFIRMED_BY] =
      (old && isConfirmed(old) && old.metadata.annotations?.[CONFIRMED_BY]) || rules.user;
  const metadata = {
    ...next.metadata,
    annotations,
    labels: { ...next.metadata.labels, ...extensionLabels(next) },
  };
  const isBound = spec.seedName !== undefined;
  const domain = `${next.metadata.name}.${rules.project}.${rules.defaultDomain}`;
  const dns = isBound && spec.dns?.domain === undefined ? { dns: { ...spec.dns, domain } } : {};
  const cloudProfile = profilesOf(spec);
  const shoot = { ...next, metadata, spec: { ...spec, ...dns, ...cloudProfile } };
  return shoot;
}

/** One name of the catalog is set by the other. A NamespacedCloudProfile has no older name. */
function profilesOf({ cloudProfile, cloudProfileName }: ShootSpec): Partial<ShootSpec> {
  if (cloudProfile === undefined)
    return cloudProfileName === undefined
      ? {}
      : { cloudProfile: { kind: 'CloudProfile', name: cloudProfileName } };
  return cloudProfile.kind === 'CloudProfile' ? { cloudProfile, cloudProfileName: cloudProfile.name } : {};
}

/**
 * The generation for reasons other than a change of the spec: `gardener.cloud/operation`, and documents of
 * providers that a PUT brings with their keys in another order. Gardener compares their bytes.
 */
function counted(shoot: Shoot, old: Shoot | undefined, isPatch: boolean): Shoot {
  if (old === undefined) return shoot;
  const { [OPERATION]: operation, ...annotations } = shoot.metadata.annotations ?? {};
  const last = old.status?.lastOperation;
  const isTaken = last !== undefined && operation === (last.state === 'Failed' ? 'retry' : 'reconcile');
  // These stay until gardenlet has done them.
  const isKept =
    last !== undefined && last.state !== 'Failed' && /(?:^|;)\s*(?:rotate|rollout)-/.test(operation ?? '');
  const isAsked = isTaken || isKept;
  const metadata = isTaken ? { ...shoot.metadata, annotations } : shoot.metadata;
  const isReordered = !isPatch && documentsOf(shoot) !== documentsOf(old);
  // A change of the spec counts anyway.
  if (!(isAsked || isReordered) || !jsonEqual(shoot.spec, old.spec)) return { ...shoot, metadata };
  return { ...shoot, metadata: { ...metadata, generation: (old.metadata.generation ?? 1) + 1 } };
}

/** A patch goes through a map of Go, which is written with its keys in order. */
function withSortedDocuments(shoot: Shoot): Shoot {
  const { provider } = shoot.spec ?? {};
  if (shoot.spec === undefined || provider === undefined) return shoot;
  const { infrastructureConfig, controlPlaneConfig } = provider;
  const documents = {
    ...(infrastructureConfig === undefined ? {} : { infrastructureConfig: sorted(infrastructureConfig) }),
    ...(controlPlaneConfig === undefined ? {} : { controlPlaneConfig: sorted(controlPlaneConfig) }),
  };
  return { ...shoot, spec: { ...shoot.spec, provider: { ...provider, ...documents } } };
}

function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)])) as T;
}

const documentsOf = ({ spec }: Shoot): string =>
  JSON.stringify([spec?.provider.infrastructureConfig, spec?.provider.controlPlaneConfig]);

/** By which extensions select their Shoots. */
function extensionLabels({ spec }: Shoot): Record<string, string> {
  if (spec === undefined) return {};
  const images = (spec.provider.workers ?? []).flatMap(({ machine }) => machine.image?.name ?? []);
  const label = (kind: string, type: string) =>
    [`${kind}.extensions.gardener.cloud/${type}`, 'true'] as const;
  return Object.fromEntries([
    label('provider', spec.provider.type),
    ...(spec.networking?.type === undefined ? [] : [label('networking', spec.networking.type)]),
    ...images.map((name) => label('operatingsystemconfig', name)),
    ...(spec.extensions ?? [])
      .filter(({ disabled }) => disabled !== true)
      .map(({ type }) => label('extensions', type)),
  ]);
}
