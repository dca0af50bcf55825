/** The Shoot of a Runtime: how it is read, what it is rendered from, and the ConfigMap with its authentication configuration. */
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual, kindOf, messageOf, valueAt } from '../../../framework/base/index.ts';
import {
  type ConfigMap,
  configMaps,
  getIfExists,
  type Informer,
  type Informers,
  isNotFound,
  type KubeObject,
  keyString,
  type ResourceType,
  undefinedIfExists,
} from '../../../framework/kube/index.ts';
import { isOlder } from '../../../framework/kube/object/object.ts';
import type { AuditTenant } from '../configuration/configuration.ts';
import {
  ask,
  type Gardener,
  gardenerRefusal,
  isLasting,
  namespaceOf,
  shootInformer,
  shootKey,
  slimShoot,
} from '../gardener/gardener.ts';
import { digestOf } from '../gardener/shoot-fields.ts';
import { authenticationConfigName } from '../metadata.ts';
import { cachesOfShoot } from '../rendering/extensions.ts';
import { cachesOf, type RenderingFacts } from '../rendering/model/extender.ts';
import { assignedAuditLog, auditDataOfAuditLog } from './audit-log.ts';
import { auditLogFailed, authenticationConfigFailed, conversionFailed } from './messages.ts';
import {
  type End,
  failUnexpectedly,
  RenderingProblem,
  type RuntimeRun,
  remember,
  shootNameOf,
  shootNameProblem,
} from './run.ts';
import { reasons } from './status.ts';

/** Until the informer must have a Shoot that this process has created, in ms; then a GET says whether it is still there. */
const FOLLOWS_MS = 30_000;

/** As the informer has it, or the result of the last own write if that is newer; else as a GET finds it. */
export async function findShoot(run: RuntimeRun, name: string): Promise<Shoot | undefined> {
  const { context, gardener } = run;
  if (shootNameProblem(name) !== undefined) return undefined;
  const informer = shootInformer(context.informersAt(gardener.cluster), gardener);
  const cached = informer.get(shootKey(gardener, name));
  const { written, createdAt = Number.NEGATIVE_INFINITY } = context.memory.get() ?? {};
  if (cached === undefined) {
    const isNew = context.clock.monotonic() - createdAt < FOLLOWS_MS && written?.metadata.name === name;
    return isNew ? written : readShoot(run, name);
  }
  if (written === undefined) return cached;
  const isAhead =
    written.metadata.uid === cached.metadata.uid &&
    isOlder(cached.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '');
  if (isAhead) return written;
  const { written: _, ...rest } = context.memory.get() ?? {};
  context.memory.set(rest);
  return cached;
}

/** The newest version of the Shoot; undefined if it is proved that there is none. @throws UnprovenAbsenceError */
export async function readShoot(run: RuntimeRun, name: string): Promise<Shoot | undefined> {
  const { gardener, context } = run;
  const key = { namespace: namespaceOf(gardener), name };
  return ask(() => getIfExists(gardener.client, shoots, key, context));
}

/** Keeps the result of a write until the informer has it. */
export function rememberWritten(run: RuntimeRun, shoot: Shoot): void {
  run.shoot = shoot;
  remember(run, { written: slimShoot(shoot) });
}

/** Where audit logs of the Runtime go: to its own AuditLog, or to the tenant that the configuration has. @throws RenderingProblem */
function auditDataOf(run: RuntimeRun, isNew: boolean): AuditTenant | undefined {
  const own = assignedAuditLog(run);
  if (own !== undefined) return auditDataOfAuditLog(own);
  const { object, rendering, settings, context } = run;
  const audit = rendering.auditData(object);
  if ('data' in audit) return audit.data;
  if (settings.auditLogMandatory)
    throw new RenderingProblem(reasons.auditLogError, auditLogFailed(audit.missing));
  // A Shoot is compared again and again.
  if (isNew) context.log.info('no audit logs', { why: audit.missing });
  return undefined;
}

/** What a Shoot is rendered from beside the Runtime and the configuration. Costs no request. @throws RenderingProblem */
export function factsOf(run: RuntimeRun, live?: Shoot): RenderingFacts {
  return {
    audit: auditDataOf(run, live === undefined),
    accessControl: rendered(run, (runtime) => run.accessControl(runtime)),
    cacheSecrets: live === undefined ? undefined : cacheSecretsOf(run.object, live),
  };
}

/** The Secrets that the Shoot names for registry caches, by the uid of the cache. Two of one Shoot have different upstreams. */
export function cacheSecretsOf({ spec }: RuntimeRun['object'], live: Shoot): ReadonlyMap<string, string> {
  const caches = cachesOfShoot(live);
  const named = (Array.isArray(caches) ? caches : []).flatMap((cache) => {
    const name = valueAt(cache, ['secretReferenceName']);
    return typeof name === 'string' ? [[valueAt(cache, ['upstream']), name] as const] : [];
  });
  const byUpstream = new Map<unknown, string>(named);
  const own = spec === undefined ? [] : cachesOf({ spec });
  return new Map(
    own.flatMap(({ uid, config }) => {
      const name = byUpstream.get(config.upstream);
      return name === undefined ? [] : [[uid, name] as const];
    }),
  );
}

/** A rendering changes nothing of the Runtime, and shares nothing with it. @throws RenderingProblem */
export function rendered<T>(run: RuntimeRun, render: (runtime: RuntimeRun['object']) => T): T {
  try {
    return render(run.object);
  } catch (cause) {
    if (kindOf(cause) === 'bug') throw cause;
    throw new RenderingProblem(reasons.conversionError, conversionFailed(messageOf(cause)), { cause });
  }
}

/** Shows why no Shoot can be rendered. */
export const failRendering = (run: RuntimeRun, { reason, message }: RenderingProblem): Promise<End> =>
  failUnexpectedly(run, reason, message);

// The ConfigMap with the authentication configuration of a Shoot. *
/** Of a Shoot: the digest of the ConfigMap that was stored for it. Gardener does not watch the ConfigMap. */
const annotationDigest = 'infrastructuremanager.kyma-project.io/authentication-config';

/** Of each reconcile: serializing the document takes as long as the rendering of the Shoot. */
const configs = new WeakMap<RuntimeRun, ConfigMap>();

function renderConfig(run: RuntimeRun): ConfigMap {
  const config = configs.get(run) ?? rendered(run, (runtime) => run.rendering.authenticationConfig(runtime));
  configs.set(run, config);
  return config;
}

/** The ConfigMap as the informer has it; undefined: it has none. */
export function knownAuthenticationConfig(run: RuntimeRun): StoredAuthenticationConfig | undefined {
  const { gardener, context, object } = run;
  const shoot = shootNameOf(object);
  if (shoot === undefined) return undefined;
  const key = { namespace: namespaceOf(gardener), name: authenticationConfigName(shoot) };
  return authenticationConfigInformer(context.informersAt(gardener.cluster), gardener).get(keyString(key));
}

/**
 * Whether the ConfigMap is as it would be rendered now, and the Shoot was written after that; or the Shoot was written by another
 * program, or by former rules, which note nothing. Costs no request.
 */
export function isAuthenticationConfigApplied(run: RuntimeRun, shoot: Shoot): boolean {
  const noted = shoot.metadata.annotations?.[annotationDigest];
  if (noted === undefined) return true;
  return isAuthenticationConfigNoted(run, shoot) && knownAuthenticationConfig(run)?.digest === noted;
}

/** Whether the Shoot was written after the ConfigMap as it would be rendered now; or by what notes nothing. */
export function isAuthenticationConfigNoted(run: RuntimeRun, { metadata }: Shoot): boolean {
  const noted = metadata.annotations?.[annotationDigest];
  return noted === undefined || noted === digestOfConfig(renderConfig(run));
}

/** Whether users of the Shoot are authenticated by a ConfigMap. */
export const usesAuthenticationConfig = ({ spec }: Shoot): boolean =>
  spec?.kubernetes.kubeAPIServer?.structuredAuthentication !== undefined;

/** The Shoot with a note of the ConfigMap that was stored for it, if it uses one. */
export function withAuthenticationConfig(run: RuntimeRun, shoot: Shoot): Shoot {
  if (!usesAuthenticationConfig(shoot)) return shoot;
  const annotations = {
    ...shoot.metadata.annotations,
    [annotationDigest]: digestOfConfig(renderConfig(run)),
  };
  return { ...shoot, metadata: { ...shoot.metadata, annotations } };
}

/**
 * Creates the ConfigMap, or makes it as rendered. One that the informer has as rendered costs no request, and one that it does not have is
 * created without a look.
 *
 * @returns whether an existing one was changed: then Gardener has to reconcile the Shoot
 * @throws RenderingProblem if Gardener refuses it
 */
export async function storeAuthenticationConfig(run: RuntimeRun): Promise<boolean> {
  const { gardener, context } = run;
  const wanted = renderConfig(run);
  const known = knownAuthenticationConfig(run);
  if (known !== undefined && known.digest === digestOfConfig(wanted)) return false;
  try {
    if (known === undefined) {
      context.guard.assertMayWrite();
      const created = await ask(() => gardener.client.create(configMaps, wanted, context)).catch(
        undefinedIfExists,
      );
      if (created !== undefined) return false;
    }
    return await updateConfig(run, wanted);
  } catch (cause) {
    if (!isLasting(gardenerRefusal(cause))) throw cause;
    const message = authenticationConfigFailed(messageOf(cause));
    throw new RenderingProblem(reasons.oidcConfigurationError, message, { cause });
  }
}

/** @returns whether it was changed */
async function updateConfig({ gardener, context }: RuntimeRun, wanted: ConfigMap): Promise<boolean> {
  const { name, namespace = '' } = wanted.metadata;
  const { client } = gardener;
  const found = await ask(() => client.get(configMaps, { namespace, name }, context)).catch(
    undefinedIfMissing,
  );
  if (found !== undefined && jsonEqual(found.data, wanted.data)) return false;
  context.guard.assertMayWrite();
  const { data = {} } = wanted;
  await ask<unknown>(() =>
    found === undefined
      ? client.create(configMaps, wanted, context)
      : client.update(configMaps, { ...found, data }, context),
  );
  return found !== undefined;
}

/** Deletes the ConfigMap of the Runtime's Shoot, if there is one. */
export async function deleteAuthenticationConfig(run: RuntimeRun): Promise<void> {
  const { gardener, context } = run;
  const shoot = shootNameOf(run.object);
  if (shoot === undefined || shootNameProblem(shoot) !== undefined) return;
  const key = { namespace: namespaceOf(gardener), name: authenticationConfigName(shoot) };
  const found = await ask(() => getIfExists(gardener.client, configMaps, key, context));
  if (found === undefined) return;
  const { uid = '', resourceVersion = '' } = found.metadata;
  const preconditions = { uid, resourceVersion };
  context.guard.assertMayWrite();
  await ask(() => gardener.client.delete(configMaps, key, { ...context, preconditions })).catch(
    undefinedIfMissing,
  );
}

const undefinedIfMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};

// The ConfigMaps with the authentication configuration of Shoots. Of thousands of them only a digest is in memory. *
/** A ConfigMap without its content. */
export interface StoredAuthenticationConfig extends KubeObject {
  /** Of its data; undefined: it is another ConfigMap of the project. */
  readonly digest?: string;
}

const PREFIX = authenticationConfigName('');

/** ConfigMaps as this module reads them. */
const digested: ResourceType<StoredAuthenticationConfig> = {
  group: configMaps.group,
  version: configMaps.version,
  kind: configMaps.kind,
  plural: configMaps.plural,
  namespaced: configMaps.namespaced,
};

/** The name of the Shoot whose configuration it is; undefined: it is another ConfigMap. */
export const shootOfConfig = ({ metadata: { name } }: KubeObject): string | undefined =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;

const digestOfConfig = ({ data }: Pick<ConfigMap, 'data'>): string => digestOf(data, 'data', '');

/** The ConfigMaps of the project. They have no label by which those of Shoots could be selected. */
export const authenticationConfigInformer = (
  informers: Informers,
  gardener: Pick<Gardener, 'project'>,
): Informer<StoredAuthenticationConfig> =>
  informers.of(digested, { selection: { namespace: namespaceOf(gardener) }, transform: withoutContent });

function withoutContent(config: ConfigMap): StoredAuthenticationConfig {
  const { apiVersion, kind } = config;
  const { name, namespace = '', uid = '', resourceVersion = '' } = config.metadata;
  const kept = { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
  return shootOfConfig(config) === undefined ? kept : { ...kept, digest: digestOfConfig(config) };
}

/** Copies what Gardener does with the Shoot into the status. It is stored with the next condition, or by the last state. */
export function showLastOperation({ object, shoot }: RuntimeRun): void {
  const { lastOperation, lastErrors } = shoot?.status ?? {};
  // A status needs a state.
  if (object.status?.state === undefined || lastOperation === undefined) return;
  const { shootLastErrors: _, ...status } = object.status;
  object.status = {
    ...status,
    shootLastOperation: lastOperation,
    ...(lastErrors === undefined || lastErrors.length === 0 ? {} : { shootLastErrors: lastErrors }),
  };
}

/** The text with a sign in place of each word that has digits: errors that differ by times or numbers of requests are the same. */
export const withoutNumbers = (text: string): string =>
  text
    .split(' ')
    .map((word) => (/\d/.test(word) ? '#' : word))
    .join(' ');
