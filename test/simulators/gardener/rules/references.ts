import type { ShootSpec } from '../../../../apis/gardener/kinds.ts';
import {
  CLOUD_PROFILES,
  EXTENSIONS,
  KUBERNETES_VERSIONS,
  MACHINE_IMAGES,
  MACHINE_TYPES,
  PROVIDERS,
  type ProviderType,
  REGIONS,
  VOLUME_TYPES,
} from '../../../environment/gardener/catalog.ts';
import type { Refusal } from './refusal.ts';

/** Why Gardener refuses a Shoot that names what the landscape of tests does not have. Only new names are looked up. */
export function unknownReference(spec: ShootSpec, old: ShootSpec | undefined): Refusal | undefined {
  const type = spec.provider.type as ProviderType;
  const binding = spec.credentialsBindingName ?? spec.secretBindingName ?? '';
  const profile = spec.cloudProfile?.name ?? spec.cloudProfileName ?? '';
  if (!PROVIDERS.some((known) => `${known}-binding` === binding))
    return internal(
      `could not find referenced secret binding: secretbinding.core.gardener.cloud "${binding}" not found`,
    );
  if (!Object.values(CLOUD_PROFILES).includes(profile))
    return internal(
      `could not find referenced cloud profile: cloudprofile.core.gardener.cloud "${profile}" not found`,
    );
  if (binding !== `${type}-binding`)
    return forbidden(
      `spec.provider.type: Invalid value: "${type}": provider type in shoot must match provider type of referenced SecretBinding`,
    );
  const extension = spec.extensions?.findIndex((entry) => !EXTENSIONS.includes(entry.type)) ?? -1;
  if (extension >= 0)
    return forbidden(`given Shoot uses non-registered extension type: spec.extensions[${extension}].type`);
  for (const { path, value, known, before } of choices(spec, old, type)) {
    if (value === undefined || value === before || known.includes(value)) continue;
    return forbidden(`${path}: Unsupported value: "${value}": supported values: "${known.join('", "')}"`);
  }
  return undefined;
}

interface Choice {
  readonly path: string;
  readonly value: string | undefined;
  readonly known: readonly string[];
  readonly before?: string | undefined;
}

function choices(spec: ShootSpec, old: ShootSpec | undefined, type: ProviderType): Choice[] {
  const zones = REGIONS[type][spec.region ?? ''] ?? [];
  return [
    { path: 'spec.region', value: spec.region, known: Object.keys(REGIONS[type]) },
    {
      path: 'spec.kubernetes.version',
      value: spec.kubernetes.version,
      known: KUBERNETES_VERSIONS,
      before: old?.kubernetes.version,
    },
    ...(spec.provider.workers ?? []).flatMap((worker, index): Choice[] => {
      const path = `spec.provider.workers[${index}]`;
      const before = old?.provider.workers?.find(({ name }) => name === worker.name);
      return [
        {
          path: `${path}.machine.type`,
          value: worker.machine.type,
          known: MACHINE_TYPES[type],
          before: before?.machine.type,
        },
        {
          path: `${path}.machine.image`,
          value: worker.machine.image?.version,
          known: MACHINE_IMAGES,
          before: before?.machine.image?.version,
        },
        {
          path: `${path}.volume.type`,
          value: worker.volume?.type,
          known: VOLUME_TYPES[type],
          before: before?.volume?.type,
        },
        ...(worker.zones ?? []).map((value) => ({ path: `${path}.zones`, value, known: zones })),
      ];
    }),
  ];
}

const forbidden = (message: string): Refusal => ({ status: 403, message });
const internal = (message: string): Refusal => ({ status: 500, message });
