import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../../internal/base/json/json-equal.ts';
import type { Admission, AdmissionRequest, AnyObject } from '../../../../internal/kube/fakes/memory-store.ts';
import { defaultedShoot } from './defaults.ts';
import type { ShootRules } from './shoot-rules.ts';
import { refusalOf } from './validation.ts';

const CONFIRMATION = 'confirmation.gardener.cloud/deletion';
const CONFIRMED_BY = 'deletion.gardener.cloud/confirmed-by';
const OPERATION = 'gardener.cloud/operation';

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
      if (refusal !== undefined)
        refuse(refusal.status, refusal.status === 403 ? 'Forbidden' : 'Invalid', refusal.message);
      assertFinalizer(next, old, request);
      return completed(next, old, rules) as unknown as AnyObject;
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
  const cloudProfile =
    spec.cloudProfileName === undefined
      ? {}
      : { cloudProfile: { kind: 'CloudProfile', name: spec.cloudProfileName } };
  const shoot = { ...next, metadata, spec: { ...spec, ...dns, ...cloudProfile } };
  return asked(shoot, old);
}

/** `gardener.cloud/operation` counts as a change of the spec, once. */
function asked(shoot: Shoot, old: Shoot | undefined): Shoot {
  const { [OPERATION]: operation, ...annotations } = shoot.metadata.annotations ?? {};
  const last = old?.status?.lastOperation;
  const wanted = last?.state === 'Failed' ? 'retry' : 'reconcile';
  if (last === undefined || operation !== wanted) return shoot;
  const { generation = 1 } = old?.metadata ?? {};
  const isCounted = !jsonEqual(shoot.spec, old?.spec);
  const metadata = { ...shoot.metadata, annotations };
  return { ...shoot, metadata: isCounted ? metadata : { ...metadata, generation: generation + 1 } };
}

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
