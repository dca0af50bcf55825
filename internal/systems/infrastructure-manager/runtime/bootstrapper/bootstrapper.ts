import { InvalidConfigurationError, messageOf, ProviderError } from '../../../../framework/base/index.ts';
import { LOW_PRIORITY, mapped, type Source } from '../../../../framework/controller/index.ts';
import {
  type ConfigMap,
  configMaps,
  getIfExists,
  type Informer,
  type Informers,
  type KubeClient,
  type KubeObject,
  keyString,
  type ObjectKey,
  type ResourceType,
  type Secret,
  secrets,
} from '../../../../framework/kube/index.ts';
import type { InfrastructureManagerFlags } from '../../settings/flags.ts';
import { clusterTrustBundles, type Manifests, parseManifests } from './manifests.ts';

/** Where what is copied to each cluster comes from, and what it is called there. */
export interface CopiedObject {
  readonly source: ObjectKey;
  readonly target: ObjectKey;
}

/** The runtime bootstrapper, which makes images and certificates of an installation available to pods of a runtime. */
export interface BootstrapperSettings {
  /** ConfigMap with the manifests. */
  readonly manifests: ObjectKey;
  /** The Deployment of a cluster that says whether the bootstrapper works. */
  readonly deployment: ObjectKey;
  readonly config: CopiedObject;
  /** Undefined: there is none. */
  readonly pullSecret: CopiedObject | undefined;
  /** The same. */
  readonly trustBundle: CopiedObject | undefined;
}

/** Undefined: it is not enabled. @throws InvalidConfigurationError if a name that is needed is empty */
export function bootstrapperSettings(flags: InfrastructureManagerFlags): BootstrapperSettings | undefined {
  if (!flags.runtimeBootstrapperEnabled) return undefined;
  const named = (flag: string, name: string, needs = '--runtime-bootstrapper-enabled') => {
    if (name === '') throw new InvalidConfigurationError(`${needs} needs --runtime-bootstrapper-${flag}`);
    return name;
  };
  const source = { namespace: flags.runtimeNamespace };
  const target = { namespace: named('skr-namespace', flags.runtimeBootstrapperSkrNamespace) };
  const {
    runtimeBootstrapperKcpPullSecretName: pullSecret,
    runtimeBootstrapperKcpClusterTrustBundle: trustBundle,
  } = flags;
  const targetOf = (flag: string, name: string, sourceFlag: string) =>
    named(flag, name, `--runtime-bootstrapper-${sourceFlag}`);
  return {
    manifests: {
      ...source,
      name: named('manifests-config-map-name', flags.runtimeBootstrapperManifestsConfigMapName),
    },
    deployment: {
      ...target,
      name: named('skr-deployment-name', flags.runtimeBootstrapperSkrDeploymentName),
    },
    config: {
      source: { ...source, name: named('kcp-config-name', flags.runtimeBootstrapperKcpConfigName) },
      target: { ...target, name: named('skr-config-name', flags.runtimeBootstrapperSkrConfigName) },
    },
    pullSecret:
      pullSecret === ''
        ? undefined
        : {
            source: { ...source, name: pullSecret },
            target: {
              ...target,
              name: targetOf(
                'skr-pull-secret-name',
                flags.runtimeBootstrapperSkrPullSecretName,
                'kcp-pull-secret-name',
              ),
            },
          },
    trustBundle:
      trustBundle === ''
        ? undefined
        : {
            source: { name: trustBundle },
            target: {
              name: targetOf(
                'skr-cluster-trust-bundle',
                flags.runtimeBootstrapperSkrClusterTrustBundle,
                'kcp-cluster-trust-bundle',
              ),
            },
          },
  };
}

// What is installed in each cluster for the runtime bootstrapper: manifests and objects beside the Runtimes, which operators change.

const KEY = 'manifests.yaml';
const PULL_SECRET = 'kubernetes.io/dockerconfigjson';

/** An object of a cluster, as it must be there. */
export interface WantedObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export interface Bootstrapper {
  readonly deployment: ObjectKey;
  /** What is copied to each cluster. Costs no request. @throws ProviderError if a source is missing */
  copies(): readonly WantedObject[];
  /** Costs no request. @throws ProviderError if they are missing or have a mistake */
  manifests(): Manifests;
  /** Differs when one of these differs. */
  revision(): string;
}

interface CopyRule {
  readonly type: ResourceType;
  readonly objects: CopiedObject;
  /** The members that are copied. */
  readonly members: readonly string[];
}

const copyRules = ({ config, pullSecret, trustBundle }: BootstrapperSettings): readonly CopyRule[] => [
  { type: configMaps, objects: config, members: ['data'] },
  ...(pullSecret === undefined ? [] : [{ type: secrets, objects: pullSecret, members: ['data', 'type'] }]),
  ...(trustBundle === undefined
    ? []
    : [{ type: clusterTrustBundles, objects: trustBundle, members: ['spec'] }]),
];

/** Follows the sources by informers of one object each. */
export function createBootstrapper(settings: BootstrapperSettings, informers: Informers) {
  const informerOf = <T extends KubeObject>(type: ResourceType<T>, { namespace, name }: ObjectKey) =>
    informers.of(type, {
      selection: {
        ...(namespace === undefined ? {} : { namespace }),
        fieldSelector: `metadata.name=${name}`,
      },
    });
  const rules = copyRules(settings).map((rule) => ({
    ...rule,
    informer: informerOf(rule.type, rule.objects.source),
  }));
  const ofManifests = informerOf(configMaps, settings.manifests);
  const followed = [ofManifests, ...rules.map(({ informer }) => informer)];
  let parsed: { readonly version: string | undefined; readonly manifests: Manifests } | undefined;
  const bootstrapper: Bootstrapper = {
    deployment: settings.deployment,
    copies: () =>
      rules.map(({ type, objects, members, informer }) => ({
        type,
        object: copyOf(known(informer, type, objects.source), objects.target, members),
      })),
    manifests: () => {
      const found = known(ofManifests, configMaps, settings.manifests);
      const version = found.metadata.resourceVersion;
      if (parsed === undefined || parsed.version !== version)
        parsed = { version, manifests: manifestsOf(found, settings) };
      return parsed.manifests;
    },
    revision: () =>
      followed
        .flatMap((informer) => informer.list())
        .map(({ metadata }) => metadata.resourceVersion)
        .join(),
  };
  return {
    bootstrapper,
    /** The requests of `keys`, one after the other, when one of these changes. */
    sources: (keys: () => readonly string[]): readonly Source[] =>
      followed.map((informer) => changesOf(informer, keys)),
  };
}

/** Between Runtimes, in ms, so that not all clusters are changed at once. */
const PACE_MS = 100;

const changesOf = (informer: Informer<KubeObject>, keys: () => readonly string[]): Source => ({
  ...mapped(informer, () => []),
  start: (enqueue) =>
    informer.subscribe((event) => {
      if (event.type === 'added' && event.initial) return;
      for (const [index, key] of keys().entries())
        enqueue(key, { priority: LOW_PRIORITY, delayMs: index * PACE_MS });
    }),
});

function known<T extends KubeObject>(informer: Informer<T>, type: ResourceType<T>, key: ObjectKey): T {
  const found = informer.get(keyString(key));
  if (found === undefined)
    throw new ProviderError(
      'waiting',
      `${type.kind} ${keyString(key)} of the runtime bootstrapper is missing`,
    );
  return found;
}

const copyOf = (source: KubeObject, target: ObjectKey, members: readonly string[]): KubeObject => ({
  apiVersion: source.apiVersion,
  kind: source.kind,
  metadata: { ...target },
  ...Object.fromEntries(Object.entries(source).filter(([member]) => members.includes(member))),
});

const manifestsOf = ({ data }: ConfigMap, { manifests, deployment }: BootstrapperSettings): Manifests =>
  parseManifests(data?.[KEY] ?? '', `ConfigMap ${keyString(manifests)}: ${KEY}`, deployment);

/**
 * Checks at the start that all sources are there, and have no mistake.
 *
 * @throws InvalidConfigurationError
 */
export async function checkBootstrapper(client: KubeClient, settings: BootstrapperSettings): Promise<void> {
  const found = await read(client, configMaps, settings.manifests);
  try {
    manifestsOf(found, settings);
  } catch (cause) {
    throw new InvalidConfigurationError(messageOf(cause), { cause });
  }
  for (const { type, objects } of copyRules(settings)) {
    const source = await read(client, type, objects.source);
    if (type.kind !== secrets.kind || (source as Secret).type === PULL_SECRET) continue;
    throw new InvalidConfigurationError(
      `pull secret ${keyString(objects.source)} has invalid type, expected ${PULL_SECRET}`,
    );
  }
}

async function read<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  key: ObjectKey,
): Promise<T> {
  const found = await getIfExists(client, type, key);
  if (found !== undefined) return found;
  throw new InvalidConfigurationError(
    `--runtime-bootstrapper-enabled: unable to find ${type.kind} ${keyString(key)}`,
  );
}
