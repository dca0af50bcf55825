import { createHash } from 'node:crypto';
import { goJson } from '../parameters/go-json.ts';
import type { ServiceInstance, ServiceInstanceSpec } from './resource.ts';

/**
 * `status.hashedSpec`: the hash of what an update sends to Service Manager. It is the hash of the SAP BTP service operator
 * (hex SHA-256 of the JSON text that Go writes for the spec), so that a ServiceInstance of that operator is not updated
 * when this provider reconciles it for the first time.
 */
export function specHash(spec: ServiceInstanceSpec): string {
  const known = hashes.get(spec)?.spec;
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(specText(spec)).digest('hex');
  recallHashes(spec, { spec: hash });
  return hash;
}

export interface SpecHashes {
  readonly spec?: string;
  readonly content?: string;
}

/** Those of this spec that were computed or recalled. */
export const knownHashes = (spec: ServiceInstanceSpec): SpecHashes | undefined => hashes.get(spec);

/** For a spec whose hashes were computed before, of another copy. */
export const recallHashes = (spec: ServiceInstanceSpec, known: SpecHashes): void =>
  void hashes.set(spec, { ...hashes.get(spec), ...known });

/** Parameters may have a megabyte, and several steps of a reconcile ask. No step changes a spec. */
const hashes = new WeakMap<ServiceInstanceSpec, SpecHashes>();

/** Releases of the SAP BTP service operator before 0.11 stored an MD5 hash. */
export const isMd5 = (hash: string): boolean => hash.length === 32;

/**
 * `status.acceptedSpec`: the hash of what Service Manager has of the instance. Without the user, so that an edit that is taken back by
 * another user is taken back; without tags, which stay in the cluster; the same for each way to write it.
 */
export function contentHash(instance: ServiceInstance): string {
  const known = hashes.get(instance.spec)?.content;
  if (known !== undefined) return known;
  const content = specHash(contentOf(instance));
  recallHashes(instance.spec, { content });
  return content;
}

function contentOf({ metadata, spec }: ServiceInstance): ServiceInstanceSpec {
  const {
    userInfo,
    customTags,
    watchParametersFromChanges: watches,
    externalName,
    parameters,
    ...rest
  } = spec;
  return {
    ...rest,
    ...(externalName === metadata.name ? {} : { externalName }),
    ...(Object.keys(parameters ?? {}).length === 0 ? {} : { parameters }),
    ...(watches && spec.parametersFrom?.length ? { watchParametersFromChanges: true } : {}),
  };
}

/** `status.acceptedSpec` as earlier releases stored it: as it is written, without the user. */
export const writtenHash = ({ spec: { userInfo: _, ...spec } }: ServiceInstance): string => specHash(spec);

/** Whether the spec was edited since it was sent to Service Manager. */
export const isOutdated = ({ spec, status }: ServiceInstance): boolean =>
  Boolean(status?.hashedSpec) && status?.hashedSpec !== specHash(spec);

/** `shared` is not part of it: sharing is a call of its own. */
export function specText(spec: ServiceInstanceSpec): string {
  const { parameters, parametersFrom = [], userInfo, watchParametersFromChanges } = spec;
  const members: readonly (readonly [string, string | undefined])[] = [
    ['serviceOfferingName', goJson(spec.serviceOfferingName)],
    ['servicePlanName', goJson(spec.servicePlanName)],
    ['dataCenter', unlessEmpty(spec.dataCenter)],
    ['servicePlanID', unlessEmpty(spec.servicePlanID)],
    ['externalName', unlessEmpty(spec.externalName)],
    ['shared', 'false'],
    ['parameters', parameters === undefined ? undefined : goJson(parameters)],
    ['parametersFrom', parametersFrom.length === 0 ? undefined : list(parametersFrom.map(sourceText))],
    // A pointer in Go: an explicit false is written.
    [
      'watchParametersFromChanges',
      watchParametersFromChanges === undefined ? undefined : goJson(watchParametersFromChanges),
    ],
    ['customTags', unlessEmpty(spec.customTags)],
    ['userInfo', userInfo === undefined ? undefined : userText(userInfo)],
    ['btpAccessCredentialsSecret', unlessEmpty(spec.btpAccessCredentialsSecret)],
  ];
  return object(members);
}

type SpecUser = NonNullable<ServiceInstanceSpec['userInfo']>;
type ParametersSource = NonNullable<ServiceInstanceSpec['parametersFrom']>[number];

const sourceText = ({ secretKeyRef }: ParametersSource): string =>
  object([
    [
      'secretKeyRef',
      object([
        ['name', goJson(secretKeyRef.name)],
        ['key', goJson(secretKeyRef.key)],
      ]),
    ],
  ]);

const userText = ({ username, uid, groups, extra = {} }: SpecUser): string =>
  object([
    ['username', unlessEmpty(username)],
    ['uid', unlessEmpty(uid)],
    ['groups', unlessEmpty(groups)],
    ['extra', Object.keys(extra).length === 0 ? undefined : goJson(extra)],
  ]);

const unlessEmpty = (value: string | readonly string[] | undefined): string | undefined =>
  value === undefined || value.length === 0 ? undefined : goJson(value);

const list = (items: readonly string[]): string => `[${items.join(',')}]`;

/** Members in the order of the Go struct. */
const object = (members: readonly (readonly [string, string | undefined])[]): string =>
  `{${members.flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${text}`])).join(',')}}`;
